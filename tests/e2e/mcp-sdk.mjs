#!/usr/bin/env node
/*
 * mcp-sdk.mjs SDK SERVER: the official TypeScript SDK as a client of SERVER. Every method that the
 * SDK has for what we serve is called, and its own schemas check each answer. Prints "all well".
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [sdk, server] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.join(sdk, 'dist/esm', file)));
const { Client } = await load('client/index.js');
const { StdioClientTransport } = await load('client/stdio.js');
const { ListRootsRequestSchema, LoggingMessageNotificationSchema } = await load('types.js');

const client = new Client({ name: 'e2e', version: '1.0.0' }, { capabilities: { roots: { listChanged: true } } });
const transport = new StdioClientTransport({ command: server, args: [], env: { ...process.env }, cwd: '/', stderr: 'inherit' });
let asked = 0;
const logged = [];

client.setRequestHandler(ListRootsRequestSchema, () => {
	asked++;
	return { roots: [{ uri: pathToFileURL(process.env.ROOT).href, name: 'root' }] };
});
client.setNotificationHandler(LoggingMessageNotificationSchema, (n) => logged.push(n.params.level));
await client.connect(transport);
assert.equal(client.getServerVersion().name, 'handoff-mcp');
assert.ok(client.getInstructions().length > 50);

const text = (r) => r.content[0].text;
const call = (name, args) => client.callTool({ name, arguments: args });

const { tools } = await client.listTools();
assert.deepEqual(tools.slice(0, 7).map((t) => t.name),
	['get_brief', 'log_event', 'search_memory', 'note_entity', 'checkpoint', 'recover_session', 'recover_read']);
await client.ping();

const first = text(await call('log_event', { type: 'decision', content: 'Keep the counts in a flat file. See [[Counts]].' }));
assert.match(first, /^ev_[0-9a-f]{8}$/);
assert.equal(asked, 1);
const second = text(await call('log_event', { type: 'decision', content: 'Keep the counts in SQLite. See [[Counts]].', supersedes: [first] }));
assert.equal(text(await call('note_entity', { name: 'Counts', content: 'One row a tree.' })), 'Counts');
assert.match(text(await call('get_brief', {})), /^# Hand-off brief — my-root\n/);
assert.doesNotMatch(text(await call('get_brief', {})), /flat file/);
assert.ok(text(await call('search_memory', { query: 'counts', limit: 5 })).includes(`(id: ${second})`));
assert.ok(text(await call('checkpoint', { summary: 'Counted.' })).includes('SQLite'));
const wrong = await call('log_event', { type: 'gaol', content: 'x' });
assert.equal(wrong.isError, true);

const seven = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => call('log_event', { type: 'file', content: `file ${n}` })));
assert.equal(new Set(seven.map(text)).size, 7);

const { resources } = await client.listResources();
assert.ok(resources.some((r) => r.uri === 'session://brief'));
const brief = await client.readResource({ uri: 'handoff://brief/my-root' });
assert.match(brief.contents[0].text, /SQLite/);
const { resourceTemplates } = await client.listResourceTemplates();
assert.deepEqual(resourceTemplates.map((t) => t.uriTemplate), [
	'handoff://brief/{project}', 'handoff://entity/{project}/{name}', 'handoff://document/{project}/{name}',
]);
await assert.rejects(client.readResource({ uri: 'handoff://entity/my-root/None' }), { code: -32002 });
assert.match((await client.readResource({ uri: 'handoff://entity/my-root/Counts' })).contents[0].text, /One row a tree/);

const { prompts } = await client.listPrompts();
assert.deepEqual(prompts.map((p) => p.name), ['resume']);
const prompt = await client.getPrompt({ name: 'resume' });
assert.match(prompt.messages[0].content.text, /do not redo settled decisions/);
const done = await client.complete({
	ref: { type: 'ref/resource', uri: 'handoff://entity/{project}/{name}' },
	argument: { name: 'name', value: 'Co' }, context: { arguments: { project: 'my-root' } },
});
assert.deepEqual(done.completion.values, ['Counts']);
await client.setLoggingLevel('warning');
await call('log_event', { type: 'gaol', content: 'x' });
assert.deepEqual(logged, ['warning']);
await assert.rejects(client.request({ method: 'no/such' }, (await load('types.js')).EmptyResultSchema), { code: -32601 });

/* a call that is given up does no harm */
const stop = new AbortController();
const given = client.callTool({ name: 'get_brief', arguments: {} }, undefined, { signal: stop.signal });
stop.abort();
await assert.rejects(given);
await client.ping();
await client.close();
console.log('all well');
