#!/usr/bin/env bats
# where output goes, and what happens when it cannot
load helper

ALL="list index backbone agents doc"

@test "a full disk is a failure, and says so once" {
	[ -w /dev/full ] || skip "no /dev/full"
	orchard
	for c in $ALL; do
		run -1 bash -c '"$1" "$2" 2>&1 >/dev/full' - "$R" $c
		[ "${#lines[@]}" = 1 ]
		[[ $output == "handoff-recover: standard output: No space left on device" ]]
	done
	run -1 bash -c '"$1" show 38fb3e7a 1 2>&1 >/dev/full' - "$R"
	[[ $output == *"No space left"* ]]
	run -1 bash -c '"$1" --help 2>&1 >/dev/full' - "$R"
	[[ $output == *"No space left"* ]]
}

@test "standard output closed is a failure, and no file takes its place" {
	orchard
	for c in $ALL; do
		run -1 bash -c '"$1" "$2" 2>&1 >&-' - "$R" $c
		[ "${#lines[@]}" = 1 ]
		[[ $output == "handoff-recover: standard output: "* ]]
	done
}

@test "all three descriptors closed" {
	orchard
	run -1 bash -c '"$1" list <&- >&- 2>&-' - "$R"
}

@test "a reader that goes away is told in one line" {
	place cli-killed $KILLED
	for i in $(seq 400); do sed "s/uuid\":\"/&$i-/g" "$PLACED"; done >big.jsonl
	[ "$("$R" index big.jsonl | wc -c)" -gt 150000 ] # more than a pipe and our buffer hold
	mkfifo pipe
	timeout 30 "$R" index big.jsonl >pipe 2>stderr &
	program=$!
	head -c 1 pipe >/dev/null
	status=0
	wait $program || status=$?
	[ "$status" = 1 ]
	[ "$(cat stderr)" = "handoff-recover: standard output: Broken pipe" ]
}

@test "no progress where stderr is no terminal" {
	orchard
	run --separate-stderr -0 "$R" list
	[ -z "$stderr" ]
	run --separate-stderr -0 "$R" list --quiet
	[ -z "$stderr" ]
}
