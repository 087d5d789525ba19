#!/usr/bin/env node
/*
 * model.js FOLDER: a model on loopback that says what a script says.
 *
 * Everything lies in FOLDER: `port` is written once it listens; `script-N.json` with the highest N
 * is played (a new one takes over at the next request); `seen.jsonl` gets a line for each
 * request, before it is answered: {"kind": ..., "body": ...}.
 *
 * A script is {"main": [reply...], "compact": [reply...], "agent": [reply...]}, by the kind of the
 * request: the conversation, the summarizer of a compaction, a sub-agent. Past its end the last
 * reply of a kind is said again, without its calls. Other kinds (titles, side questions) have
 * fixed answers, so that a client that asks more of them takes nothing from a script.
 *
 * A reply is a text, or an object:
 *   {"say": "text", "call": [["Bash", {"command": "ls"}], ...], "tokens": 95000}
 *   {"fail": [429, "rate_limit_error", "words"]}    for this and every later request
 *   {"say": "half a sentence", "hang": true}        starts and never ends
 */
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');

const folder = process.argv[2];
const PAUSE_MS = 250; // an instant answer gives an unnatural order of records
const PIECE = 300;    // characters of a delta

let current = { number: -1, replies: {}, at: {} };
let made = 0;

function loadScript() {
	const numbers = fs.readdirSync(folder).map((n) => /^script-(\d+)\.json$/.exec(n))
		.filter(Boolean).map((m) => Number(m[1]));
	const newest = Math.max(-1, ...numbers);

	if (newest <= current.number)
		return;
	const replies = JSON.parse(fs.readFileSync(path.join(folder, `script-${newest}.json`), 'utf8'));
	current = { number: newest, replies, at: {} };
}

function words(content) {
	if (typeof content === 'string')
		return content;
	return (content || []).map((b) => b.text || '').join('\n');
}

/* What a request is for; the side questions first, since they look like nothing else. */
function kindOf(body, headers) {
	const system = words(body.system);
	const users = (body.messages || []).filter((m) => m.role === 'user');
	const last = users.length ? words(users[users.length - 1].content) : '';
	const tools = (body.tools || []).length;
	const format = JSON.stringify(body.output_config || body.output_format || '');

	if (/detailed summary of (the|this) (conversation|portion|recent)/i.test(last) ||
	    /tasked with summarizing conversations/i.test(system))
		return 'compact';
	if (body.max_tokens === 1)
		return 'probe';
	if (format.includes('"title"') || /\btitle\b/i.test(system.slice(0, 1200)) && !tools)
		return 'title';
	if (/\[SUGGESTION MODE/.test(last) || /stepped away/i.test(last) || !tools)
		return 'side';
	if (headers['x-claude-code-agent-id'] || /cc_is_subagent=true|You are an agent for Claude Code/.test(system))
		return 'agent';
	return 'main';
}

const FIXED = {
	probe: 'x',
	title: '{"title": "Orchard"}',
	side: '',
	agent: 'The agent has nothing to add.',
	compact: '<analysis>short</analysis>\n<summary>\nThe orchard was worked on.\n</summary>',
	main: 'Nothing more to say.',
};

function replyTo(kind) {
	const list = current.replies[kind];
	const n = current.at[kind] || 0;
	let reply = FIXED[kind];

	if (list && list.length) {
		current.at[kind] = n + 1;
		reply = list[Math.min(n, list.length - 1)];
		if (n >= list.length && typeof reply === 'object' && !reply.fail)
			reply = reply.say || 'Nothing more to say.';
	}
	return typeof reply === 'string' ? { say: reply } : reply;
}

function blocksOf(reply) {
	const blocks = [];

	if (reply.say !== undefined)
		blocks.push({ type: 'text', text: reply.say });
	for (const [name, input] of reply.call || [])
		blocks.push({ type: 'tool_use', id: `toolu_${String(++made).padStart(22, '0')}`, name, input });
	return blocks;
}

function messageOf(reply, body) {
	return {
		id: `msg_${String(++made).padStart(22, '0')}`, type: 'message', role: 'assistant',
		model: body.model, content: blocksOf(reply), stop_sequence: null,
		stop_reason: reply.call ? 'tool_use' : 'end_turn',
		usage: {
			input_tokens: reply.tokens || 1200, output_tokens: 40,
			cache_creation_input_tokens: 0, cache_read_input_tokens: 0,
		},
	};
}

function* eventsOf(message) {
	const { content, stop_reason, ...head } = message;

	yield ['message_start', { message: { ...head, content: [], stop_reason: null } }];
	for (const [index, b] of content.entries()) {
		const isText = b.type === 'text';
		const whole = isText ? b.text : JSON.stringify(b.input);

		yield ['content_block_start', { index, content_block: isText ? { type: 'text', text: '' } : { ...b, input: {} } }];
		for (let i = 0; i < whole.length; i += PIECE) {
			const piece = whole.slice(i, i + PIECE);
			const delta = isText ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece };

			yield ['content_block_delta', { index, delta }];
		}
		yield ['content_block_stop', { index }];
	}
	yield ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage: message.usage }];
	yield ['message_stop', {}];
}

function answer(reply, body, res) {
	if (reply.fail) {
		const [status, type, message] = reply.fail;

		res.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' });
		res.end(JSON.stringify({ type: 'error', error: { type, message } }));
		return;
	}
	const message = messageOf(reply, body);
	if (!body.stream) {
		if (!reply.hang)
			res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
		return;
	}
	res.writeHead(200, { 'content-type': 'text/event-stream' });
	for (const [type, data] of eventsOf(message)) {
		if (reply.hang && type === 'content_block_stop')
			return;
		res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
	}
	res.end();
}

const server = http.createServer((req, res) => {
	const parts = [];

	req.on('data', (d) => parts.push(d));
	req.on('end', () => {
		const url = req.url.split('?')[0];
		const raw = Buffer.concat(parts).toString('utf8');

		if (url !== '/v1/messages') {
			const known = url === '/v1/messages/count_tokens';

			res.writeHead(known || req.method === 'HEAD' ? 200 : 404, { 'content-type': 'application/json' });
			res.end(req.method === 'HEAD' ? '' : JSON.stringify(known ? { input_tokens: Math.ceil(raw.length / 4) }
				: { type: 'error', error: { type: 'not_found_error', message: 'no such place' } }));
			return;
		}
		const body = JSON.parse(raw);
		const kind = kindOf(body, req.headers);

		loadScript();
		const reply = replyTo(kind);
		fs.appendFileSync(path.join(folder, 'seen.jsonl'), JSON.stringify({ kind, body }) + '\n');
		setTimeout(() => answer(reply, body, res), PAUSE_MS);
	});
});

server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
	fs.writeFileSync(path.join(folder, 'port.new'), String(server.address().port));
	fs.renameSync(path.join(folder, 'port.new'), path.join(folder, 'port'));
});
