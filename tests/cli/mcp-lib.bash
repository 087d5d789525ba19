# mcp-lib.bash: a client of handoff-mcp, one message at a time; the rest as in helper.bash.
#
#   serve                            start the server and shake hands; serve_raw only starts it
#   ask METHOD [PARAMS]              a request; $reply is the answer's line
#   tool NAME [ARGUMENTS]            a call; $text is what it said, $failed true or false
#   notify METHOD [PARAMS]
#   leave                            close its input; it has to end with status 0, its stdout clean
#   feed [LINE...]                   lines to a server of their own, then the end: $status $output $stderr
load helper

M=${HANDOFF_BIN:-$BATS_TEST_DIRNAME/../../build/bin}/handoff-mcp
NEWEST=2025-11-25
PATIENCE=20 # seconds; only a hanging server takes them

teardown() {
	[ -z "${RUNS:-}" ] || kill -9 "$RUNS" 2>/dev/null || :
}

serve_raw() {
	NEXT=0
	coproc SERVER { exec "$M" 2>"$BATS_TEST_TMPDIR/stderr" 3>&-; }
	# bash forgets these three as soon as the process is gone
	IN=${SERVER[1]} OUT=${SERVER[0]} RUNS=$SERVER_PID
}

say() {
	printf '%s\n' "$1" >&"$IN"
}

hear() {
	IFS= read -r -t $PATIENCE -u "$OUT" reply || { echo "no answer; stderr: $(cat "$BATS_TEST_TMPDIR/stderr")"; return 1; }
	jq -e .jsonrpc <<<"$reply" >/dev/null || { echo "no message: $reply"; return 1; }
}

ask() {
	NEXT=$((NEXT + 1))
	say "{\"jsonrpc\":\"2.0\",\"id\":$NEXT,\"method\":\"$1\"${2:+,\"params\":$2}}"
	hear
	[ "$(jq -r '.id' <<<"$reply")" = $NEXT ] || { echo "another answer: $reply"; return 1; }
}

notify() {
	say "{\"jsonrpc\":\"2.0\",\"method\":\"$1\"${2:+,\"params\":$2}}"
}

# serve [CAPABILITIES [VERSION]]
serve() {
	serve_raw
	ask initialize "{\"protocolVersion\":\"${2:-$NEWEST}\",\"capabilities\":${1:-{\}},\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}"
	notify notifications/initialized
}

tool() {
	ask tools/call "{\"name\":\"$1\",\"arguments\":${2:-{\}}}"
	text=$(jq -r '.result.content[0].text // empty' <<<"$reply")
	failed=$(jq -r '.result.isError // false' <<<"$reply")
}

# tool, which has to work; t_NAME of what it takes is shell-quoted by jq
works() {
	tool "$@"
	[ "$failed" = false ] || { echo "$1: $text"; return 1; }
}

# args KEY VALUE...: an object of texts
args() {
	jq -cn '$ARGS.positional | [range(0; length; 2) as $i | {(.[$i]): .[$i + 1]}] | add' --args "$@"
}

# log TYPE CONTENT [KEY VALUE...]: $id
log() {
	works log_event "$(args type "$1" content "$2" "${@:3}")"
	id=${text%%$'\n'*}
	[[ $id =~ ^ev_[0-9a-f]{8}$ ]] || { echo "no id: $text"; return 1; }
}

leave() {
	local rc=0
	eval "exec $IN>&-" 2>/dev/null || :
	wait "$RUNS" || rc=$?
	RUNS=
	[ $rc = "${1:-0}" ] || { echo "status $rc; stderr: $(cat "$BATS_TEST_TMPDIR/stderr")"; return 1; }
}

HELLO="{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"$NEWEST\",\"capabilities\":{}}}"

feed() {
	printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/in"
	run --separate-stderr "$M" <"$BATS_TEST_TMPDIR/in"
	[ "$status" = 0 ] || { echo "status $status: $stderr"; return 1; }
	[ -z "$output" ] || jq -es 'all(.[]; (if type == "array" then .[] else . end) | .jsonrpc == "2.0")' <<<"$output" >/dev/null ||
		{ echo "not only messages: $output"; return 1; }
}

# says WORDS / silent WORDS: the last tool's text
says() {
	[[ $text == *"$1"* ]] || { printf 'wanted: %s\ntext: %s\n' "$1" "$text"; return 1; }
}

silent() {
	[[ $text != *"$1"* ]] || { printf 'not wanted: %s\ntext: %s\n' "$1" "$text"; return 1; }
}

# of FILTER WANT: what jq makes of the last reply
of() {
	local got
	got=$(jq -r "$1" <<<"$reply")
	[ "$got" = "$2" ] || { printf 'wanted: %s\ngot: %s\nreply: %s\n' "$2" "$got" "$reply"; return 1; }
}
