#!/usr/bin/env bats
# whatever the size of a file or a line: 16 MB
load helper

LIMIT_KB=16384

# a sanitizer's memory is its own, and so is that of counting coverage
measurable() {
	[ -x /usr/bin/time ] && ! grep -qE '__asan_init|__gcov_' "$R"
}

setup_file() {
	measurable || return 0
	cd "$BATS_FILE_TMPDIR"
	# 64 MB in one line, then 64 MB in lines of 1 KB, then an open call
	{
		printf '{"type":"user","uuid":"u-0","parentUuid":null,"isSidechain":false,"cwd":"/mill","sessionId":"s","message":{"role":"user","content":"grind the corn"},"timestamp":"2026-02-11T10:00:00.000Z"}\n'
		printf '{"type":"user","uuid":"u-1","parentUuid":"u-0","isSidechain":false,"message":{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"'
		head -c 64000000 /dev/zero | tr '\0' A
		printf '"}}]},"timestamp":"2026-02-11T10:00:01.000Z"}\n'
		awk 'BEGIN {
			for (i = 0; i < 1000; i++) x = x "x"
			for (i = 2; i < 60000; i++)
				printf "{\"type\":\"user\",\"uuid\":\"u-%d\",\"parentUuid\":\"u-%d\",\"isSidechain\":false,\"message\":{\"role\":\"user\",\"content\":\"%d %s\"},\"timestamp\":\"2026-02-11T11:00:00.000Z\"}\n", i, i - 1, i, x
		}'
		printf '{"type":"assistant","uuid":"v","parentUuid":"u-59999","isSidechain":false,"message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"make mill"}}]},"timestamp":"2026-02-11T12:00:00.000Z"}\n'
	} >big.jsonl
	zstd -q -1 big.jsonl -o big.jsonl.zst
}

peak() {
	/usr/bin/time -f %M -o peak "$@" >out
	[ "$(tail -n 1 peak)" -le $LIMIT_KB ] || { echo "$* : $(cat peak) kB"; return 1; }
}

@test "index, backbone, agents, doc" {
	measurable || skip
	for c in index backbone agents doc; do
		peak "$R" $c "$BATS_FILE_TMPDIR/big.jsonl"
	done
	grep -q "make mill" out
}

@test "one processor: the same, without the thread that reads ahead" {
	measurable && command -v taskset >/dev/null || skip
	for c in "index --json" backbone; do
		"$R" $c "$BATS_FILE_TMPDIR/big.jsonl" >out
		taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" \
			"$R" $c "$BATS_FILE_TMPDIR/big.jsonl" >out.one
		cmp out out.one
	done
}

@test "a reader of the output that goes away ends both threads" {
	measurable || skip
	mkfifo pipe
	timeout 60 "$R" index --json "$BATS_FILE_TMPDIR/big.jsonl" >pipe 2>stderr &
	program=$!
	head -c 1 pipe >/dev/null
	status=0
	wait $program || status=$?
	[ "$status" = 1 ]
	[ "$(cat stderr)" = "handoff-recover: standard output: Broken pipe" ]
}

@test "standard input and compressed files" {
	measurable || skip
	peak "$R" index - <"$BATS_FILE_TMPDIR/big.jsonl"
	peak "$R" index "$BATS_FILE_TMPDIR/big.jsonl.zst"
	grep -q "make mill" out
}

@test "show, repair, list --exact" {
	measurable || skip
	peak "$R" show "$BATS_FILE_TMPDIR/big.jsonl" 2 60001
	grep -q "make mill" out
	peak "$R" repair "$BATS_FILE_TMPDIR/big.jsonl" -o copy.jsonl
	cmp copy.jsonl "$BATS_FILE_TMPDIR/big.jsonl"
	mkdir -p "$CLAUDE_CONFIG_DIR/projects/mill"
	ln "$BATS_FILE_TMPDIR/big.jsonl" "$CLAUDE_CONFIG_DIR/projects/mill/s.jsonl" ||
		cp "$BATS_FILE_TMPDIR/big.jsonl" "$CLAUDE_CONFIG_DIR/projects/mill/s.jsonl"
	peak "$R" list --all --exact
	grep -q "killed mid-tool" out
}
