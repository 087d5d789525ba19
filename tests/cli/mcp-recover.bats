#!/usr/bin/env bats
# recover_session and recover_read, over the real server.
load mcp-lib

_setup=$(declare -f setup)
eval "base_${_setup}"
setup() {
	base_setup
	export CLAUDE_PROJECT_DIR=$ORCHARD
	orchard
}

@test "list shows the sessions of the project as the command does" {
	serve
	works recover_session '{"view":"list"}'
	says 38fb3e7a
	says 'killed'
	run --separate-stderr -0 "$R" list --project "$ORCHARD"
	[ "$text" = "$output" ]
	leave
}

@test "without arguments: the document of the newest dead session, as the command makes it" {
	serve
	works recover_session
	run --separate-stderr -0 "$R" doc --project "$ORCHARD"
	[ "$text" = "$output" ]
	says '## Hazards'
	works recover_session '{"session":"38fb3e7a","budget":"900","focus":"tests"}'
	run --separate-stderr -0 "$R" doc 38fb3e7a --budget 900 --focus tests
	[ "$text" = "$output" ]
	leave
}

@test "index, backbone and agents are those of the command" {
	place agents-2.0.42 aaaa0000-1111-4222-8333-444455556666
	serve
	for view in index backbone agents; do
		works recover_session "{\"view\":\"$view\",\"session\":\"aaaa0000\"}"
		run --separate-stderr -0 "$R" $view aaaa0000
		[ "$text" = "$output" ]
	done
	leave
}

@test "a budget below the minimum says which one it is" {
	serve
	tool recover_session '{"session":"38fb3e7a","budget":1}'
	[ "$failed" = true ]
	says 'budget: Input should be greater than or equal to 200'
	leave
}

@test "records by number, on the ledger that the command keeps" {
	serve
	works recover_read '{"session":"38fb3e7a","indexes":[1,"2-3"]}'
	says '-- round 1 of 10'
	run --separate-stderr -0 "$R" show 38fb3e7a 1
	holds 'round 2 of 10'
	works recover_read '{"session":"38fb3e7a","indexes":"1"}'
	says '-- round 3 of 10'
	for n in 4 5 6 7 8 9 10; do
		works recover_read '{"session":"38fb3e7a","indexes":["1"]}'
	done
	tool recover_read '{"session":"38fb3e7a","indexes":["1"]}'
	[ "$failed" = true ]
	leave
}

@test "numbers that are none, and records that are not there, cost nothing" {
	serve
	for bad in '[]' '"x"' '["3-1"]' '["0"]' '["1-"]' '["-1"]' '[1.5]' '["99999999999"]' '[99999]'; do
		tool recover_read "{\"session\":\"38fb3e7a\",\"indexes\":$bad}"
		[ "$failed" = true ] || { echo "$bad: $text"; return 1; }
	done
	works recover_read '{"session":"38fb3e7a","indexes":[1]}'
	says '-- round 1 of 10'
	leave
}

@test "a session is an id, never a path" {
	cp "$PLACED" ./38fb.jsonl
	cp "$PLACED" ./notes
	serve
	for bad in ./38fb.jsonl 38fb.jsonl "$PLACED" - notes ../notes /etc/passwd '' ' '; do
		tool recover_read "$(args session "$bad" indexes 1)"
		[ "$failed" = true ] || { echo "$bad: $text"; return 1; }
		[ -n "${bad// /}" ] || continue
		tool recover_session "$(args session "$bad" view index)"
		[ "$failed" = true ] || { echo "$bad: $text"; return 1; }
	done
	tool recover_session '{"session":"38fb"}'
	[ "$failed" = true ]
	says 38fbaaaa
	leave
}

@test "a long result comes in pages that together are the whole" {
	local big=bbbb0000-1111-4222-8333-444455556666 n all=
	place cli-killed $big
	for ((n = 0; n < 700; n++)); do
		printf '{"type":"user","uuid":"u%d","parentUuid":null,"sessionId":"%s","cwd":"%s","timestamp":"2026-02-12T17:00:00.000Z","message":{"role":"user","content":"apple number %d %s"}}\n' \
			$n $big "$ORCHARD" $n "$(printf 'pick it %.0s' {1..12})"
	done >>"$PLACED"
	serve
	works recover_session '{"view":"backbone","session":"bbbb0000"}'
	while says 'cursor "' 2>/dev/null >&2; do
		[ "${#text}" -le 50000 ]
		n=${text##*cursor \"}
		all+=${text%$'\n'-- *}$'\n'
		works recover_session "$(args view backbone session bbbb0000 cursor "${n%%\"*}")"
	done
	all+=$text
	run --separate-stderr -0 "$R" backbone bbbb0000
	[ "${#output}" -gt 60000 ]
	[ "$all" = "$output" ]
	tool recover_session '{"view":"backbone","session":"bbbb0000","cursor":"7"}'
	[ "$failed" = true ]
	says 'cursor:'
	tool recover_session '{"view":"backbone","session":"bbbb0000","cursor":"7-0123456789abcdef"}'
	[ "$failed" = true ]
	says 'has changed'
	# a record that is larger than a page is cut to one
	printf '{"type":"user","uuid":"big","parentUuid":null,"sessionId":"%s","timestamp":"2026-02-12T17:00:00.000Z","message":{"role":"user","content":"%s"}}\n' \
		$big "$(head -c 90000 /dev/zero | tr '\0' z)" >>"$PLACED"
	n=$(wc -l <"$PLACED")
	works recover_read "{\"session\":\"bbbb0000\",\"indexes\":[$n]}"
	[ "${#text}" -le 50000 ]
	[ "${#text}" -gt 30000 ] || { echo "${#text}: ${text:0:300} ... ${text: -300}"; return 1; }
	says 'round 1 of 10'
	leave
}

@test "the session that asks is never the dead one, also without hooks" {
	export CLAUDE_CODE_SESSION_ID=$KILLED
	mkdir -p "$XDG_STATE_HOME/handoff/journal"
	jq -cn --arg s $KILLED --arg d "$ORCHARD" '{session:$s,state:"open",dir:$d,project:"orchard",worktree:$d,started_at:1,last_event_at:1}' \
		>"$XDG_STATE_HOME/handoff/journal/$KILLED.json"
	serve
	tool recover_session '{"view":"index"}'
	silent 38fb3e7a
	leave
}

@test "of a session whose transcript is gone, what was typed" {
	local gone=dddd0000-1111-4222-8333-444455556666
	printf '{"display":"graft the old tree","timestamp":1770900000000,"project":"%s","sessionId":"%s"}\n' "$ORCHARD" $gone >"$CLAUDE_CONFIG_DIR/history.jsonl"
	serve
	works recover_session "{\"view\":\"backbone\",\"session\":\"$gone\"}"
	says 'graft the old tree'
	says 'history.jsonl'
	tool recover_session "{\"session\":\"$gone\"}"
	[ "$failed" = true ]
	leave
}

@test "no folder of sessions, no session: said in one sentence" {
	rm -rf "$CLAUDE_CONFIG_DIR"
	serve
	tool recover_session
	[ "$failed" = true ]
	[[ $text == "Error executing tool recover_session: "*. ]]
	mkdir -p "$CLAUDE_CONFIG_DIR/projects"
	works recover_session '{"view":"list"}'
	says "No session of $ORCHARD"
	leave
}

@test "progress comes only when it was asked for, and rises" {
	local big=cccc0000-1111-4222-8333-444455556666 n last=-1
	place cli-killed $big
	head -c 400000000 /dev/zero | tr '\0' ' ' >>"$PLACED"
	serve
	say "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"recover_session\",\"arguments\":{\"view\":\"index\",\"session\":\"cccc0000\"},\"_meta\":{\"progressToken\":1.50}}}"
	for (( ; ; )); do
		hear
		[[ $reply == *'"method"'* ]] || break
		of .method notifications/progress
		[[ $reply == *'"progressToken":1.50,'* ]]
		n=$(jq .params.progress <<<"$reply")
		[ "$n" -gt "$last" ]
		last=$n
	done
	of .id 1
	# a token is as long as the client likes
	say "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"recover_session\",\"arguments\":{\"view\":\"index\",\"session\":\"cccc0000\"},\"_meta\":{\"progressToken\":\"$(printf 'x%.0s' {1..10000})\"}}}"
	for (( ; ; )); do
		hear
		[[ $reply == *'"method"'* ]] || break
		of '.params.progressToken | length' 10000
	done
	of .id 2
	tool recover_session '{"view":"index","session":"cccc0000"}'
	[ "$failed" = false ]
	leave
}
