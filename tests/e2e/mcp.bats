#!/usr/bin/env bats
# The server: under the real client through the plugin, the official SDK, and the Inspector.
load lib

setup()
{
	room
}

teardown()
{
	leave
}

# calls TOOL ARGUMENTS...: replies of the model that call our tools one after the other
calls()
{
	jq -cn '{main: ([$ARGS.positional | range(0; length; 2) as $i
		| {say: "Call \($i / 2 + 1).", call: [["mcp__plugin_handoff_handoff__\(.[$i])", (.[$i + 1] | fromjson)]]}] + ["All calls are made."])}' \
		--args "$@" | script
}

@test "the real client calls every tool through the plugin, and the model reads what they say" {
	install_plugin
	calls get_brief '{}' \
		log_event '{"type":"goal","content":"Count every apple."}' \
		log_event '{"type":"decision","content":"Store the counts in a flat file."}' \
		log_event '{"type":"decision","content":"Store the counts in SQLite, see [[Counts]].","supersedes_query":"flat file"}' \
		note_entity '{"name":"Counts","content":"One row a tree."}' \
		search_memory '{"query":"sqlite counts","limit":"5"}' \
		recover_session '{"view":"list"}' \
		recover_session "{\"session\":\"$ONE\",\"view\":\"backbone\"}" \
		recover_read "{\"session\":\"$ONE\",\"indexes\":[1]}" \
		log_event '{"type":"gaol","content":"x"}' \
		checkpoint '{"summary":"Counted by hand."}'
	claude -p 'Count the apples' --session-id $ONE --allowedTools mcp__plugin_handoff_handoff >"$ROOM/out" 2>&1
	grep -q 'All calls are made' "$ROOM/out"
	seen main last >"$ROOM/last"
	grep -q '\[result\].*Superseded by best match: ev_[0-9a-f]* «Store the counts in a flat file.»' "$ROOM/last" ||
		grep -q 'Superseded by best match' "$ROOM/last"
	grep -q 'Found [0-9]* result(s):' "$ROOM/last"
	grep -q 'round 1 of 10' "$ROOM/last"
	grep -q 'Error executing tool log_event: type: ' "$ROOM/last"
	grep -q 'One row a tree' "$ROOM/last"
	# one note of this very session, in this project, closed
	[ "$(ls "$VAULT"/project/sessions)" = "$(cd "$VAULT"/project/sessions && echo *_111111.md)" ]
	grep -q '^status: done' "$VAULT"/project/sessions/*.md
	[ "$(grep -c '^- \*\*\[' "$VAULT"/project/sessions/*.md)" = 3 ]
}

@test "the next session of the real client starts with what the server stored" {
	install_plugin
	calls log_event '{"type":"next_step","content":"Prune the second row of trees."}'
	claude -p 'Note the next step' --session-id $ONE --allowedTools mcp__plugin_handoff_handoff >"$ROOM/out" 2>&1
	forget_seen
	calls get_brief '{}'
	claude -p 'go on' --session-id $TWO --allowedTools mcp__plugin_handoff_handoff >"$ROOM/out" 2>&1
	seen main last | grep -q 'Prune the second row of trees.'
}

@test "the official SDK: every method, its own schemas check the answers" {
	[ -d "${E2E_MCP:-/none}/node_modules/@modelcontextprotocol/sdk" ] || skip "the SDK could not be fetched"
	mkdir "$ROOM/my root"
	run -0 env -i PATH="$PATH" HOME="$HOME_DIR" ROOT="$ROOM/my root" node "$E2E_TESTS/mcp-sdk.mjs" \
		"$E2E_MCP/node_modules/@modelcontextprotocol/sdk" "$BIN/handoff-mcp"
	[ "$output" = 'all well' ]
}

# inspect METHOD ARGUMENTS...: the Inspector's command line
inspect()
{
	local method=$1

	shift
	(cd "$P" && exec env -i PATH="$PATH" HOME="$HOME_DIR" node "$E2E_MCP/node_modules/@modelcontextprotocol/inspector/cli/build/cli.js" --cli \
		"$BIN/handoff-mcp" --method "$method" "$@" 3>&- </dev/null)
}

@test "the Inspector's command line: lists and calls" {
	[ -d "${E2E_MCP:-/none}/node_modules/@modelcontextprotocol/inspector" ] || skip "the Inspector could not be fetched"
	inspect tools/list >"$ROOM/out"
	[ "$(jq -r '.tools[0].name' "$ROOM/out")" = get_brief ]
	inspect tools/call --tool-name log_event --tool-arg type=goal --tool-arg 'content=Count every apple.' --tool-arg importance=5 >"$ROOM/out"
	jq -r '.content[0].text' "$ROOM/out" | grep -qE '^ev_[0-9a-f]{8}$'
	inspect tools/call --tool-name get_brief >"$ROOM/out"
	jq -r '.content[0].text' "$ROOM/out" | grep -q 'Count every apple.'
	inspect resources/list >"$ROOM/out"
	jq -e '.resources[] | select(.uri == "session://brief")' "$ROOM/out"
	inspect resources/read --uri session://brief >"$ROOM/out"
	jq -r '.contents[0].text' "$ROOM/out" | grep -q 'Count every apple.'
	inspect prompts/get --prompt-name resume >"$ROOM/out"
	jq -r '.messages[0].content.text' "$ROOM/out" | grep -q 'do not redo settled decisions'
}
