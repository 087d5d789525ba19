#!/usr/bin/env bats
# What stands in fixtures/mcp/ is answered as it says there: one line a reply, [id, error code or isError].
load mcp-lib

_setup=$(declare -f setup)
eval "base_${_setup}"
setup() {
	base_setup
	export HANDOFF_PROJECT=lantern
	MESSAGES=$BATS_TEST_DIRNAME/../../fixtures/mcp
}

# answered NAME: NAME.jsonl gets the answers of NAME.want; the agent is called NAME
answered() {
	AGENT_ID=$1 run --separate-stderr "$M" <"$MESSAGES/$1.jsonl"
	[ "$status" = 0 ]
	[ -z "$stderr" ] || { echo "stderr: $stderr"; return 1; }
	jq -c '(if type == "array" then .[] else . end) | if .jsonrpc == "2.0" then [.id, .error.code // .result.isError] else error("no message") end' \
		<<<"$output" >"$BATS_TEST_TMPDIR/got"
	[ -z "${UPDATE:-}" ] || cp "$BATS_TEST_TMPDIR/got" "$MESSAGES/$1.want"
	diff "$MESSAGES/$1.want" "$BATS_TEST_TMPDIR/got"
}

@test "every file there is for a test" {
	[ "$(cd "$MESSAGES" && echo *.jsonl)" = 'batch.jsonl calls.jsonl memory.jsonl odd.jsonl packets.jsonl records.jsonl recover.jsonl wrong.jsonl' ]
}

@test "the memory tools, resources, the prompt, completion" {
	answered memory
}

@test "messages that are none, methods that there are not, bytes that are no UTF-8" {
	answered wrong
}

@test "calls with arguments that cannot be" {
	answered calls
}

@test "numbers beyond all bounds, keys twice, ids of all kinds, cursors and tokens that nobody gave, half of a completion" {
	answered odd
}

@test "records, and the packets that another agent picks up" {
	answered records
	answered packets
}

@test "recovery" {
	place cli-killed $KILLED
	place cli-torn $TORN
	answered recover
}

@test "batches, and calls that are called back" {
	answered batch
}
