#!/usr/bin/env bats
# The protocol, over the real server: messages, versions, lists, ends.
load mcp-lib

_setup=$(declare -f setup)
eval "base_${_setup}"
setup() {
	base_setup
	export HANDOFF_PROJECT=orchard
}

@test "a version that is known is answered with itself, any other with the newest" {
	for v in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
		feed "${HELLO/$NEWEST/$v}"
		json .result.protocolVersion $v
	done
	for v in 2026-07-28 9999-01-01 ''; do
		feed "${HELLO/$NEWEST/$v}"
		json .result.protocolVersion $NEWEST
	done
	feed '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
	json .result.protocolVersion $NEWEST
	feed '{"jsonrpc":"2.0","id":1,"method":"initialize"}'
	json .result.protocolVersion $NEWEST
	json .result.serverInfo.name handoff-mcp
}

@test "the handshake names the program, its version and what it can" {
	serve
	of .result.serverInfo.version "$("$M" --version | sed 's/handoff-mcp //')"
	of '.result.capabilities | keys | join(" ")' 'completions logging prompts resources tools'
	of '.result.instructions | length < 1000' true
	ask ping
	of '.result | length' 0
	leave
	[ ! -s "$BATS_TEST_TMPDIR/stderr" ]
}

@test "before initialize only ping is answered" {
	feed '{"jsonrpc":"2.0","id":1,"method":"ping"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' \
		'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_brief"}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}'
	[ "${#lines[@]}" = 3 ]
	[ "${lines[0]}" = '{"jsonrpc":"2.0","id":1,"result":{}}' ]
	[ "$(jq .error.code <<<"${lines[1]}")" = -32600 ]
	[ "$(jq .error.code <<<"${lines[2]}")" = -32600 ]
}

@test "what is wrong is told with the codes of the standard, and the next message is answered" {
	feed "$HELLO" 'no json' '{"jsonrpc":"2.0","id":1}' '{"jsonrpc":"2.0","id":2,"method":"no/such"}' \
		'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}' \
		'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{}}' \
		'{"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"loud"}}' \
		'{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{}}' \
		'{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"x"}}' \
		'{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"cursor":"6162"}}' \
		'{"jsonrpc":"2.0","id":9,"method":"resources/list","params":{"cursor":"x"}}' \
		'{"jsonrpc":"2.0","id":10,"method":"completion/complete","params":{}}' \
		'{"jsonrpc":"2.0","id":null,"method":"ping"}' '{"jsonrpc":"2.0","id":[],"method":"ping"}' \
		'{"jsonrpc":"2.0","id":11,"method":"ping"}'
	[ "$(jq -sc '[.[1:][] | [.id, .error.code]]' <<<"$output")" = \
		'[[null,-32700],[1,-32600],[2,-32601],[3,-32602],[4,-32602],[5,-32602],[6,-32602],[7,-32602],[8,-32602],[9,-32602],[10,-32602],[null,-32600],[null,-32600],[11,null]]' ]
}

@test "an id goes back as it came" {
	local ids=('0' '-3' '1.50' '123456789012345678901234567890' '1e400' '""' '"a \u00e9"') lines_in=() i
	for i in "${ids[@]}"; do
		lines_in+=("{\"jsonrpc\":\"2.0\",\"id\":$i,\"method\":\"ping\"}")
	done
	feed "${lines_in[@]}"
	for i in "${!ids[@]}"; do
		[ "${lines[$i]}" = "{\"jsonrpc\":\"2.0\",\"id\":${ids[$i]},\"result\":{}}" ]
	done
}

@test "notifications are never answered" {
	feed "$HELLO" '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
		'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"hello"}}' \
		'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}' \
		'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}' \
		'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}' \
		'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"log_event","arguments":{}}}' \
		'{"jsonrpc":"2.0","method":"x","params":[1]}' \
		'{"jsonrpc":"2.0","id":"nobody","result":{}}' '{"jsonrpc":"2.0","id":4,"error":{"code":1}}' \
		'{"jsonrpc":"2.0","id":1,"method":"ping"}'
	[ "${#lines[@]}" = 2 ]
	[ "${lines[1]}" = '{"jsonrpc":"2.0","id":1,"result":{}}' ]
}

# call ID CONTENT, cancel ID: lines
call() {
	printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"log_event","arguments":{"type":"goal","content":"%s"}}}' "$1" "$2"
}

cancel() {
	printf '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"changed my mind"}}' "$1"
}

@test "a request that is cancelled before its turn is neither run nor answered" {
	feed "$HELLO" "$(call 1 'goal of one')" "$(call '"two"' 'goal of two')" "$(call 3 'goal of three')" \
		"$(cancel '"two"')" "$(cancel '"hello"')" "$(cancel 99)" '{"jsonrpc":"2.0","id":4,"method":"ping"}' "$(cancel 4)"
	[ "$(jq -sc '[.[].id]' <<<"$output")" = '["hello",1,3]' ]
	grep -rq 'goal of one' "$HANDOFF_VAULT"
	grep -rq 'goal of three' "$HANDOFF_VAULT"
	[ -z "$(grep -rl 'goal of two' "$HANDOFF_VAULT")" ]
}

@test "what was cancelled does not come back: a later request of that id is run, initialize always" {
	feed "${HELLO/\"hello\"/1}" "$(cancel 1)" "$(cancel 5)" "$(call 5 'goal of five')" '{"jsonrpc":"2.0","id":6,"method":"ping"}'
	[ "$(jq -sc '[.[].id]' <<<"$output")" = '[1,5,6]' ]
	grep -rq 'goal of five' "$HANDOFF_VAULT"
}

@test "of a batch only what was cancelled is left out" {
	feed "${HELLO/$NEWEST/2025-03-26}" "[$(call 1 'goal of one'),$(call 2 'goal of two')]" "$(cancel 1)" "[$(call 3 'goal of three')]" "$(cancel 3)"
	[ "${#lines[@]}" = 2 ]
	[ "$(jq -c '[.[].id]' <<<"${lines[1]}")" = '[2]' ]
	[ -z "$(grep -rl 'goal of one' "$HANDOFF_VAULT")" ]
	grep -rq 'goal of two' "$HANDOFF_VAULT"
	[ -z "$(grep -rl 'goal of three' "$HANDOFF_VAULT")" ]
}

@test "batches belong to 2025-03-26 alone" {
	local batch='[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},[],7,{"jsonrpc":"2.0","id":"b","method":"tools/list"}]'
	feed "${HELLO/$NEWEST/2025-03-26}" "$batch" '[]' '[{"jsonrpc":"2.0","method":"x"}]' '{"jsonrpc":"2.0","id":9,"method":"ping"}'
	[ "${#lines[@]}" = 4 ]
	[ "$(jq -c '[.[] | [.id, .error.code]]' <<<"${lines[1]}")" = '[[1,null],[null,-32600],[null,-32600],["b",null]]' ]
	[ "$(jq -c '[.id, .error.code]' <<<"${lines[2]}")" = '[null,-32600]' ]
	[ "$(jq -c .id <<<"${lines[3]}")" = 9 ]
	for v in 2024-11-05 2025-06-18 2025-11-25; do
		feed "${HELLO/$NEWEST/$v}" "$batch" '{"jsonrpc":"2.0","id":9,"method":"ping"}'
		[ "$(jq -c '[.id, .error.code]' <<<"${lines[1]}")" = '[null,-32600]' ]
		[ "$(jq -c .id <<<"${lines[2]}")" = 9 ]
	done
}

@test "a request is cancelled by a message of a batch too" {
	feed "${HELLO/$NEWEST/2025-03-26}" "$(call 1 'goal of one')" "$(call 2 'goal of two')" "[$(cancel 2),{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]"
	[ "$(jq -sc '[.[].id]' <<<"$output")" = '["hello",1]' ]
	[ -z "$(grep -rl 'goal of two' "$HANDOFF_VAULT")" ]
}

@test "a batch of too many messages is refused as one; answers that are too long together are told one by one" {
	local n
	{
		echo "${HELLO/$NEWEST/2025-03-26}"
		printf '[1'
		for ((n = 0; n < 10000; n++)); do printf ',1'; done
		printf ']\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n'
	} >in
	run --separate-stderr -0 "$M" <in
	[ "$(jq -sc '[.[1:][] | [.id, .error.code]]' <<<"$output")" = '[[null,-32600],[2,null]]' ]
	mkdir -p "$HANDOFF_VAULT/orchard/entities"
	{
		printf '# Big\n\n'
		head -c 2000000 /dev/zero | tr '\0' x
	} >"$HANDOFF_VAULT/orchard/entities/Big.md"
	{
		echo "${HELLO/$NEWEST/2025-03-26}"
		printf '[{"jsonrpc":"2.0","id":0,"method":"ping"}'
		for n in {1..40}; do
			printf ',{"jsonrpc":"2.0","id":%s,"method":"resources/read","params":{"uri":"handoff://entity/orchard/Big"}}' "$n"
		done
		printf ',{"jsonrpc":"2.0","id":41,"method":"ping"}]\n'
	} >in
	"$M" <in 2>err | jq -c 'arrays | [length, ([.[] | select(.result) | .id] | length > 10 and .[-1] == 41), ([.[].error.message | strings] | unique)]' >out
	[ "$(cat out)" = '[42,true,["Internal error: the answer is too long"]]' ] || { cat out; return 1; }
	[ ! -s err ]
}

@test "initialize in a batch is refused, and the version stays" {
	feed "${HELLO/$NEWEST/2025-03-26}" "[${HELLO/\"hello\"/5},{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"}]" '[{"jsonrpc":"2.0","id":7,"method":"ping"}]'
	[ "$(jq -c '[.[] | [.id, .error.code]]' <<<"${lines[1]}")" = '[[5,-32600],[6,null]]' ]
	[ "$(jq -c '[.[] | [.id, .error.code]]' <<<"${lines[2]}")" = '[[7,null]]' ]
}

@test "lines of ten and of thirty megabytes and deep nesting are answered, and the next message too" {
	{
		echo "$HELLO"
		printf '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'
		head -c 10000000 /dev/zero | tr '\0' x
		printf '"}}\n'
		head -c 30000000 /dev/zero | tr '\0' '['
		printf '\n{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":'
		head -c 200000 /dev/zero | tr '\0' '['
		head -c 200000 /dev/zero | tr '\0' ']'
		printf '}}\n{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":'
		head -c 200 /dev/zero | tr '\0' '['
		head -c 200 /dev/zero | tr '\0' ']'
		printf '}}\n{"jsonrpc":"2.0","id":4,"method":"ping"}\n'
	} >"$BATS_TEST_TMPDIR/in"
	run --separate-stderr -0 "$M" <"$BATS_TEST_TMPDIR/in"
	[ "$(jq -sc '[.[1:][] | [.id, .error.code]]' <<<"$output")" = '[[1,null],[null,-32600],[null,-32700],[3,-32602],[4,null]]' ]
}

@test "bytes that are no UTF-8, a NUL, a BOM and carriage returns" {
	printf '\xef\xbb\xbf%s\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"\xff"}\r\n{"jsonrpc":"2.0","id":2,"meth\0od":"ping"}\n\0\n{"jsonrpc":"2.0","id":3,"method":"ping"}' "$HELLO" >in
	run --separate-stderr -0 "$M" <in
	[ "$(jq -sc '[.[1:][] | [.id, .error.code]]' <<<"$output")" = '[[null,-32700],[null,-32700],[null,-32700],[3,null]]' ]
}

@test "cut at every byte a message gets at most one answer, and the server its end" {
	local message='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}' n
	for ((n = 0; n < ${#message}; n++)); do
		printf %s "${message:0:n}" >in
		run --separate-stderr -0 "$M" <in
		if [ $n = 0 ]; then
			[ -z "$output" ]
		else
			[ "$(jq -sc '[.[] | [.id, .error.code]]' <<<"$output")" = '[[null,-32700]]' ]
		fi
		[ -z "$stderr" ]
	done
}

@test "it ends with status 0 when its input ends, when nobody reads, and on signals" {
	run --separate-stderr -0 "$M" </dev/null
	[ -z "$output$stderr" ]
	run --separate-stderr -0 bash -c '"$1" <&-' _ "$M"
	[ -z "$output" ]
	serve
	leave
	for signal in INT TERM HUP; do
		serve
		kill -$signal "$RUNS"
		leave
		[ ! -s "$BATS_TEST_TMPDIR/stderr" ]
	done
	# the reader goes away
	serve
	trap '' PIPE
	eval "exec $OUT<&-"
	say '{"jsonrpc":"2.0","id":90,"method":"tools/list"}' || :
	say '{"jsonrpc":"2.0","id":91,"method":"tools/list"}' || :
	leave
	run --separate-stderr -0 bash -c '"$1" <<<"$2" >&-' _ "$M" "$HELLO"
	[ -z "$output" ]
}

@test "one signal ends it while the client does not read what it writes" {
	local n
	for signal in INT TERM HUP; do
		mkfifo in.$signal out.$signal
		exec 7<>in.$signal 8<>out.$signal
		{
			echo "$HELLO"
			for ((n = 0; n < 200; n++)); do
				echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
			done
		} >&7
		"$M" <in.$signal >out.$signal 7>&- 8>&- 3>&- &
		RUNS=$!
		# it has begun: the rest is more than a pipe holds
		IFS= read -r -t $PATIENCE -u 8
		kill -$signal "$RUNS"
		for ((n = 0; n < PATIENCE * 10; n++)); do
			kill -0 "$RUNS" 2>/dev/null || break
			sleep 0.1
		done
		[ $n -lt $((PATIENCE * 10)) ]
		wait "$RUNS"
		RUNS=
	done
}

@test "the tools are listed in few words, with hints and plain schemas" {
	serve
	ask tools/list
	of '[.result.tools[].name] | join(" ")' 'get_brief log_event search_memory note_entity checkpoint recover_session recover_read'
	of '[.result.tools[] | {name, description, inputSchema} | tojson | length] | add < 8000' true
	of 'all(.result.tools[]; (.name | test("^[a-z0-9_]+$")) and (.description | length < 2048) and .inputSchema.type == "object" and .outputSchema == null)' true
	of '.result.tools[] | select(.name == "get_brief") | .annotations | tojson' '{"readOnlyHint":true,"openWorldHint":false}'
	of '.result.tools[] | select(.name == "search_memory") | .annotations | tojson' '{"readOnlyHint":true,"openWorldHint":false}'
	of '.result.tools[] | select(.name == "log_event") | .annotations | tojson' '{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}'
	of '.result.tools[] | select(.name == "note_entity") | .annotations | tojson' '{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}'
	of '.result.tools[] | select(.name == "checkpoint") | .annotations | tojson' '{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}'
	of '[.result.tools[] | select(.annotations.readOnlyHint).name] | join(" ")' 'get_brief search_memory recover_session'
	of '.result.tools[] | select(.name == "log_event") | .inputSchema.properties.type.enum | join(" ")' 'goal decision deadend file question next_step'
	of '.result.tools[] | select(.name == "search_memory") | .inputSchema.properties.scope.enum | join(" ")' 'current all'
	of '.result.tools[] | select(.name == "search_memory") | .inputSchema.properties.limit | tojson' '{"type":"integer","minimum":1,"maximum":50,"default":10}'
	of '[.result.tools[].inputSchema.required // [] | join(",")] | join(" ")' 'type,content query name,content session,indexes'
	leave
}

@test "an unknown tool, unknown and missing arguments" {
	serve
	tool no_such_tool
	[ "$failed" = true ]
	[ "$text" = 'Unknown tool: no_such_tool' ]
	tool '<system-reminder>'
	[ "$text" = 'Unknown tool: &lt;system-reminder>' ]
	tool log_event '{"type":"goal"}'
	[ "$failed" = true ]
	[ "$text" = 'Error executing tool log_event: content: Field required.' ]
	tool log_event '{"type":"gaol","content":"x"}'
	[ "$failed" = true ]
	says "Error executing tool log_event: type: Input should be 'goal', 'decision', 'deadend', 'file', 'question' or 'next_step'"
	tool search_memory '{"query":"x","scope":"curent"}'
	[ "$failed" = true ]
	says "Input should be 'current' or 'all'"
	tool search_memory '{"query":"x","limit":51}'
	says 'limit: Input should be less than or equal to 50, not 51'
	tool log_event '{"type":"goal","content":"x","importance":6}'
	[ "$failed" = true ]
	tool get_brief '[]'
	[ "$failed" = true ]
	works get_brief '{"colour":"blue","token_budget":"300"}'
	leave
}

@test "six calls that do not wait for each other are all kept, each answer with its id" {
	serve
	local n
	for n in 1 2 3 4 5 6; do
		say "{\"jsonrpc\":\"2.0\",\"id\":\"call $n\",\"method\":\"tools/call\",\"params\":{\"name\":\"log_event\",\"arguments\":{\"type\":\"file\",\"content\":\"file number $n\"}}}"
	done
	for n in 1 2 3 4 5 6; do
		hear
		of .id "call $n"
		of '.result.content[0].text | test("^ev_[0-9a-f]{8}$")' true
	done
	leave
	[ "$(cat "$HANDOFF_VAULT"/orchard/sessions/*.md | grep -c 'file number')" = 6 ]
}

@test "everything on stdout is a message, also with a trace, a bad clock and bad settings" {
	mkdir -p "$XDG_CONFIG_HOME/handoff"
	echo '{"budget": "lots", oops' >"$XDG_CONFIG_HOME/handoff/config.json"
	HANDOFF_TRACE=$BATS_TEST_TMPDIR/trace HANDOFF_NOW=yesterday feed "$HELLO" \
		'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recover_session","arguments":{"view":"list"}}}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_brief","arguments":{}}}'
	[ "${#lines[@]}" = 3 ]
}

@test "log messages come only when a level was asked for" {
	serve
	tool log_event '{"type":"goal"}'
	ask ping
	ask logging/setLevel '{"level":"warning"}'
	say '{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"log_event","arguments":{"type":"goal"}}}'
	hear
	of .method notifications/message
	of .params.level warning
	hear
	of .id 50
	ask logging/setLevel '{"level":"emergency"}'
	tool log_event '{"type":"goal"}'
	leave
}

@test "a program that was replaced on disk is told once, and goes on" {
	cp "$M" "$BATS_TEST_TMPDIR/handoff-mcp"
	M=$BATS_TEST_TMPDIR/handoff-mcp
	serve
	works get_brief
	silent 'replaced on disk'
	cp "$M" "$M.new"
	mv "$M.new" "$M"
	tool log_event '{"type":"goal"}'
	silent 'replaced on disk'
	works get_brief
	says 'has been replaced on disk'
	works get_brief
	silent 'replaced on disk'
	leave
}

@test "--help and --version, and nothing else on the command line" {
	run --separate-stderr -0 "$M" --help
	holds 'Usage: handoff-mcp'
	holds 'search_memory'
	[ -z "$stderr" ]
	run --separate-stderr -0 "$M" --version
	[[ $output =~ ^handoff-mcp\ [0-9.]+$ ]]
	for bad in x --no-such '-v'; do
		run --separate-stderr -64 "$M" "$bad"
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" = 1 ]
	done
	run --separate-stderr -64 "$M" --help x
}
