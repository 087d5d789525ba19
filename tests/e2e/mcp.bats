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

# result N: what the model was told of its Nth call
result()
{
	seen main last | sed -n 's/^\[user\] \[result\] //p' | sed -n "$1p"
}

# says N JQ: the Nth result is JSON, and so
says()
{
	result "$1" | jq -e "$2" >/dev/null || {
		echo "result $1 is not so: $2" >&2
		result "$1" >&2
		return 1
	}
}

# called PROMPT SESSION: all that was scripted with `calls`, in a run of the client
called()
{
	claude -p "$1" --session-id "$2" --allowedTools mcp__plugin_handoff_handoff >"$ROOM/out" 2>&1
	grep 'All calls are made' "$ROOM/out"
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
	called 'Count the apples' $ONE
	seen main last >"$ROOM/last"
	for n in 2 3 4; do
		result $n | grep -E 'ev_[0-9a-f]{8}'
	done
	grep 'Superseded by best match' "$ROOM/last"
	grep -E 'Found [0-9]+ result\(s\):' "$ROOM/last"
	grep -F 'One row a tree' "$ROOM/last"
	grep -F "$ONE" "$ROOM/last"              # the list of sessions
	result 8 | grep -F 'Z\nCount the apples' # the backbone of this one
	grep -F 'round 1 of 10' "$ROOM/last"
	grep -F 'Error executing tool log_event: type: ' "$ROOM/last"
	[ "$(grep -c 'Error executing tool' "$ROOM/last")" = 1 ]
	# one note of this very session, in this project, closed
	[ "$(ls "$VAULT"/project/sessions)" = "$(cd "$VAULT"/project/sessions && echo *_111111.md)" ]
	grep -q '^status: done' "$VAULT"/project/sessions/*.md
	[ "$(grep -c '^- \*\*\[' "$VAULT"/project/sessions/*.md)" = 3 ]
}

@test "the real client calls the tools of records and packets, where an agent has a name" {
	install_plugin
	CLIENT_ENV+=(AGENT_ID=scout)
	calls memory_write '{"scope":"tree/12","key":"apples","value":{"count":40},"confidence":0.8,"tags":["apple"]}' \
		memory_write '{"scope":"tree/12","key":"apples","value":{"count":41},"tags":["apple"]}' \
		memory_read '{"scope":"tree/12","key":"apples"}' \
		memory_search '{"tags":["apple"]}' \
		memory_outcome '{"scope":"tree/12","key":"apples","outcome":"success"}' \
		handoff_create '{"summary":"Tree 12 is counted.","refs":[{"scope":"tree/12","key":"apples"}]}' \
		memory_stats '{"verify":true}'
	called 'Keep the count' $ONE
	says 1 '.written and .record.version == 1'
	says 2 '.written and .record.version == 2 and .supersedes == 1'
	says 3 '.record.value == {"count": 41} and .record.agent == "scout"'
	says 4 '[.records[].version] == [2]'
	says 5 '.moved and .after > .before'
	says 6 '.packet.status == "waiting" and .packet.refs[0].version == 2'
	says 7 '.ok and .records == 1 and .versions == 2 and .packets.waiting == 1'
	id=$(result 6 | jq -r .packet.id)
	# another agent is told of what waits, and takes it
	forget_seen
	CLIENT_ENV+=(AGENT_ID=executor HANDOFF_HEADLESS=1)
	calls handoff_pickup '{}'
	called 'go on' $TWO
	told first "$id"
	told first 'Tree 12 is counted.'
	says 1 ".packet.id == \"$id\" and .packet.status == \"picked_up\""
}

@test "the prompt of the server is a command of the real client" {
	install_plugin
	calls log_event '{"type":"next_step","content":"Prune the second row of trees."}'
	called 'Note the next step' $ONE
	forget_seen
	script <<<'{"main": ["I know where we are."]}'
	run -0 claude -p /mcp__plugin_handoff_handoff__resume --session-id $TWO
	[ "$output" = 'I know where we are.' ]
	seen main first | grep -F 'Prune the second row of trees.'
	seen main first | grep -F 'do not redo settled decisions'
}

@test "the next session of the real client starts with what the server stored" {
	install_plugin
	calls log_event '{"type":"next_step","content":"Prune the second row of trees."}'
	called 'Note the next step' $ONE
	forget_seen
	calls get_brief '{}'
	called 'go on' $TWO
	seen main last | grep -q 'Prune the second row of trees.'
}

@test "the official SDK: every method, its own schemas check the answers" {
	[ -d "${E2E_MCP:-/none}/node_modules/@modelcontextprotocol/sdk" ] || skip "the SDK could not be fetched"
	mkdir "$ROOM/my root"
	run -0 timeout -k 5 $LIMIT_S env -i PATH="$PATH" HOME="$HOME_DIR" ROOT="$ROOM/my root" node "$E2E_TESTS/mcp-sdk.mjs" \
		"$E2E_MCP/node_modules/@modelcontextprotocol/sdk" "$BIN/handoff-mcp"
	[ "$output" = 'all well' ]
}

# inspect METHOD ARGUMENTS...: the Inspector's command line
inspect()
{
	local method=$1

	shift
	(cd "$P" && exec timeout -k 5 $LIMIT_S env -i PATH="$PATH" HOME="$HOME_DIR" node "$E2E_MCP/node_modules/@modelcontextprotocol/inspector/cli/build/cli.js" --cli \
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
