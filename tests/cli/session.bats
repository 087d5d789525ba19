#!/usr/bin/env bats
# which session is meant
load helper

@test "by path, id and unique prefix" {
	orchard
	run -0 "$R" backbone $KILLED
	good=$output
	holds "Count the pears"
	for name in 38fb3e7a 38fb3 38FB3E7A "$(dirname "$PLACED")/$KILLED.jsonl"; do
		run --separate-stderr -0 "$R" backbone "$name"
		[ "$output" = "$good" ]
		[ -z "$stderr" ]
	done
}

@test "by a relative path without a slash" {
	place cli-killed $KILLED
	cp "$PLACED" here.jsonl
	cp "$PLACED" plain
	run -0 "$R" backbone here.jsonl
	holds "Count the pears"
	run -0 "$R" backbone plain
	holds "Count the pears"
}

@test "left out: the most recent dead one of this project" {
	orchard
	place cli-killed 11111111-1111-4222-8333-444455556666 "$HOME/meadow"
	run -0 "$R" backbone
	holds "Count the pears"
	run -0 "$R" backbone --project "$HOME/meadow"
	holds "Count the pears"
}

@test "left out: not the session that asks" {
	orchard
	CLAUDE_CODE_SESSION_ID=$KILLED run -0 "$R" backbone
	holds "Paint the fence"
	lacks "Count the pears"
}

@test "left out and none is dead: says what there is" {
	place cli-clean $CLEAN
	run --separate-stderr -1 "$R" backbone
	complains "no dead session of $ORCHARD: the newest of 1 is 7c0ffee1"
	cd "$HOME"
	run --separate-stderr -1 "$R" backbone
	complains "1 of other projects: see --all"
	rm "$PLACED"
	run --separate-stderr -1 "$R" backbone --all
	complains "no session of any project"
}

@test "an ambiguous prefix lists the candidates" {
	orchard
	run --separate-stderr -1 "$R" index 38fb
	complains "'38fb' fits 2 sessions: $KILLED, $RENAMED"
}

@test "the whole id wins over longer ones that begin with it" {
	place cli-killed abcd
	place cli-clean abcdef
	run -0 "$R" backbone abcd
	holds "Count the pears"
}

@test "one session in two folders is the newer file, not ambiguous" {
	place cli-killed $KILLED
	touch -d 2026-01-01 "$PLACED"
	place cli-clean $KILLED "$HOME/meadow"
	run -0 "$R" backbone $KILLED
	holds "barn door"
}

@test "no such session" {
	orchard
	run --separate-stderr -1 "$R" index 99999999
	complains "no session '99999999'"
	run --separate-stderr -1 "$R" index 38f
	complains "a prefix needs 4 characters"
	run --separate-stderr -1 "$R" index gone.jsonl
	complains "gone.jsonl"
	run --separate-stderr -1 "$R" index ./gone
	complains "./gone"
	run --separate-stderr -64 "$R" index ''
	complains "empty"
}

@test "a folder, a FIFO, a device and a socket are refused by type, at once" {
	mkdir folder.jsonl
	mkfifo fifo.jsonl
	for x in folder.jsonl fifo.jsonl /dev/null /dev/zero ./folder.jsonl; do
		for c in index backbone agents doc; do
			run --separate-stderr -1 timeout 10 "$R" $c "$x"
			complains "$x"
		done
	done
	run --separate-stderr -1 timeout 10 "$R" repair fifo.jsonl -o out.jsonl
	complains fifo.jsonl
	[ ! -e out.jsonl ]
}

@test "an unreadable file" {
	[ "$(id -u)" != 0 ] || skip "root reads everything"
	place cli-killed $KILLED
	chmod 0 "$PLACED"
	run --separate-stderr -1 "$R" index $KILLED
	complains "Permission denied"
}

@test "standard input, a compressed file and the plain one give the same" {
	place cli-killed $KILLED
	run -0 "$R" backbone --json "$PLACED"
	plain=$(jq -cS 'del(.. | .path?, .session?, .id?)' <<<"$output" 2>/dev/null || echo "$output")
	zstd -q "$PLACED" -o packed.jsonl.zst
	run -0 "$R" backbone packed.jsonl.zst
	packed=$output
	run -0 "$R" backbone - <"$PLACED"
	holds "Count the pears"
	stdin=$output
	run -0 "$R" backbone - <packed.jsonl.zst
	[ "$output" = "$stdin" ]
	[[ $packed == *"Count the pears"* ]]
}

@test "a damaged compressed file is a clear failure" {
	place cli-killed $KILLED
	zstd -q "$PLACED" -o packed.jsonl.zst
	truncate -s 300 packed.jsonl.zst
	run --separate-stderr -1 "$R" index packed.jsonl.zst
	complains packed.jsonl.zst
}

@test "no current directory: a named session still works" {
	place cli-killed $KILLED
	mkdir gone
	cd gone
	rmdir ../gone
	run -0 "$R" backbone $KILLED
	holds "Count the pears"
	run --separate-stderr -1 "$R" backbone
	complains "current directory"
}

@test "a transcript that is gone: says what is left of it" {
	cp -r "$FIXTURES/../demo/claude" "$HOME/demo"
	rm "$HOME"/demo/projects/*/7c1e42aa-*.jsonl
	run --separate-stderr -1 "$R" index --claude-dir "$HOME/demo" 7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47
	complains "is gone"
	[[ $stderr =~ "shows its "[0-9]+" prompts from history.jsonl, the last of 2026-07-15T" ]]
	run --separate-stderr -0 "$R" backbone --claude-dir "$HOME/demo" 7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47
	holds "Close that hole in src/limiter.c"
	[[ $stderr == "handoff-recover: the transcript of "*" is gone"* ]]
	run --separate-stderr -1 "$R" backbone --claude-dir "$HOME/demo" 99999999-5b0d-4f0e-9a63-2f6d8e1b0c47
	complains "no session"
}

@test "JSON lines that are no session's records are not a transcript" {
	printf '{"a":1}\n{"b":2}\n' >other.jsonl
	for c in index backbone agents doc; do
		run --separate-stderr -1 "$R" $c other.jsonl
		complains "other.jsonl: not a transcript"
	done
	run --separate-stderr -1 "$R" show other.jsonl 1
	complains "other.jsonl: not a transcript"
	run --separate-stderr -1 "$R" repair other.jsonl -o out.jsonl
	complains "other.jsonl: not a transcript"
	run --separate-stderr -1 "$R" doc - <other.jsonl
	complains "not a transcript"
	echo '{"type":"a-type-to-come","uuid":"u1","sessionId":"s1"}' >>other.jsonl
	run -0 "$R" index other.jsonl
}

@test "the document of a Codex rollout says that it was not read" {
	echo '{"timestamp":"2026-02-11T10:00:00Z","type":"session_meta","payload":{"id":"x"}}' >rollout.jsonl
	run -0 "$R" doc rollout.jsonl
	holds "A Codex rollout: its 1 record was not read."
}
