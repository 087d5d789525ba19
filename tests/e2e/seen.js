#!/usr/bin/env node
/*
 * seen.js SEEN.JSONL KIND WHICH [PART]: what the model was sent, as text.
 *
 * KIND is a kind of model.js, WHICH is first, last, all, or count (the number of requests).
 * PART is all (the messages; default), ours (only what our hooks added: from the client's prefix or
 * our own opening words to the end of the notes), or outside (all but the summary of a
 * compaction and the last exchange that the client keeps word for word beside it).
 */
'use strict';
const fs = require('fs');
const [file, kind, which, part = 'all'] = process.argv.slice(2);

function texts(message) {
	const content = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;

	return content.map((b) => {
		if (b.type === 'tool_use')
			return `[call ${b.name}] ${JSON.stringify(b.input)}`;
		if (b.type === 'tool_result')
			return `[result] ${typeof b.content === 'string' ? b.content : JSON.stringify(b.content)}`;
		return b.text || '';
	});
}

function ours(text) {
	const found = [];
	const line = /(?:SessionStart|UserPromptSubmit)(?::\w+)? hook (?:additional context|success): /g;
	let m;

	while ((m = line.exec(text))) {
		const rest = text.slice(m.index + m[0].length);
		const end = rest.search(/\n<\/system-reminder>/);
		const close = rest.lastIndexOf('</handoff-notes>');
		// the entries come in the order in which they ended: lines without a frame may stand last
		const blank = rest.indexOf('\n\n', Math.max(close, 0));

		found.push(end >= 0 ? rest.slice(0, end) : close >= 0 && blank >= 0 ? rest.slice(0, blank) : rest);
	}
	return found;
}

const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
let requests = lines.map((l) => JSON.parse(l)).filter((r) => r.kind === kind).map((r) => r.body.messages);

if (which === 'count') {
	console.log(requests.length);
	process.exit(0);
}
if (which === 'first')
	requests = requests.slice(0, 1);
if (which === 'last')
	requests = requests.slice(-1);
for (const messages of requests) {
	for (const message of messages) {
		for (const text of texts(message)) {
			if (part === 'ours')
				ours(text).forEach((t) => console.log(t));
			else if (part !== 'outside' || !/^(?:<system-reminder>\s*)?This session is being continued/.test(text))
				console.log(`[${message.role}] ${text}`);
		}
	}
}
