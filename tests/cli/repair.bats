#!/usr/bin/env bats
load helper

@test "the copy holds every whole record, and parses" {
	place cli-torn $TORN
	run --separate-stderr -0 "$R" repair $TORN -o out.jsonl
	[ -z "$stderr" ]
	holds "2 records copied"
	[ "$(stat -c %a out.jsonl)" = 600 ]
	run -0 jq -s length out.jsonl
	[ "$output" = 2 ]
	run -0 "$R" backbone out.jsonl
	holds "The jar is glued."
}

@test "an undamaged transcript is copied byte for byte" {
	place cli-killed $KILLED
	run -0 "$R" repair "$PLACED" -o out.jsonl
	cmp "$PLACED" out.jsonl
	run -0 "$R" repair --json - -o out2.jsonl <"$PLACED"
	json .records 12
	json .losses 0
	cmp "$PLACED" out2.jsonl
}

@test "the source is never the target" {
	place cli-torn $TORN
	before=$(sha256sum <"$PLACED")
	ln -s "$PLACED" link.jsonl
	run --separate-stderr -64 "$R" repair "$PLACED" -o "$PLACED"
	complains
	[ "$(sha256sum <"$PLACED")" = "$before" ]
	run "$R" repair "$PLACED" -o link.jsonl
	[ "$(sha256sum <"$PLACED")" = "$before" ]
}

@test "a file that is no transcript leaves nothing behind" {
	head -c 5000 /dev/urandom >noise.jsonl
	run --separate-stderr -1 "$R" repair noise.jsonl -o out.jsonl
	complains noise.jsonl
	[ ! -e out.jsonl ]
	[ "$(ls)" = noise.jsonl ]
}

@test "a target that cannot be written" {
	place cli-torn $TORN
	run --separate-stderr -1 "$R" repair $TORN -o nowhere/out.jsonl
	complains nowhere
	mkdir folder
	run --separate-stderr -1 "$R" repair $TORN -o folder
	complains folder
	run --separate-stderr -64 "$R" repair $TORN -o ''
	complains "--output is empty"
}

@test "only a regular file is ever replaced" {
	place cli-torn $TORN
	mkdir folder
	mkfifo fifo
	ln -s folder to-folder
	ln -s /dev/null to-device
	for target in folder fifo to-folder to-device /dev/full /dev/stdout; do
		run --separate-stderr -1 "$R" repair $TORN -o $target
		complains "handoff-recover: $target: not a regular file"
		run --separate-stderr -1 "$R" doc $TORN -o $target
		complains "handoff-recover: $target: not a regular file"
	done
	[ -d folder ] && [ -p fifo ] && [ -L to-folder ] && [ -L to-device ]
	[ -c /dev/full ] && [ -L /dev/stdout ]
	[ -z "$(find . -name '*.part')" ]
}

@test "a link is replaced, not what it leads to" {
	place cli-torn $TORN
	echo old >target
	ln -s target link
	ln -s nowhere dangling
	run -0 "$R" repair $TORN -o link
	[ ! -L link ] && [ "$(cat target)" = old ]
	run -0 "$R" repair $TORN -o dangling
	[ ! -L dangling ] && [ ! -e nowhere ]
	cmp link dangling
}

@test "- is standard output, and what was done goes to standard error" {
	place cli-torn $TORN
	run -0 "$R" repair $TORN -o out.jsonl
	"$R" repair $TORN -o - >piped 2>told
	cmp out.jsonl piped
	[ "$(wc -l <told)" = 1 ]
	grep -q '^2 records copied' told
	[ ! -e ./- ]
	before=$(sha256sum <"$PLACED")
	status=0
	"$R" repair "$PLACED" -o - >>"$PLACED" 2>told || status=$?
	[ "$status" = 64 ]
	[ "$(sha256sum <"$PLACED")" = "$before" ]
}
