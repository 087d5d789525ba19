#!/usr/bin/env bats
# index, backbone, agents
load helper

@test "index numbers the records and says how the session ended" {
	place cli-killed $KILLED
	run --separate-stderr -0 "$R" index $KILLED
	[ -z "$stderr" ]
	holds "make weigh"
	holds "basket.c"
	holds "make harvest"
	run -0 "$R" index --json $KILLED
	jq -e . <<<"$output" >/dev/null
}

@test "backbone has what was said, and no tool output" {
	place cli-killed $KILLED
	run -0 "$R" backbone $KILLED
	holds "Count the pears in basket.c"
	holds "I will read the basket first."
	lacks "weighing pears"
}

@test "a damaged file yields its whole records" {
	place cli-torn $TORN
	run --separate-stderr -0 "$R" backbone $TORN
	holds "Mend the cracked jar"
	holds "The jar is glued."
	[ -z "$stderr" ]
	run -0 "$R" index $TORN
	holds "Mend the cracked jar"
}

@test "a file that is no transcript is a failure, and says so" {
	printf 'all: pears\n\tmake harvest\n' >Makefile.jsonl
	head -c 5000 /dev/urandom >noise.jsonl
	for f in Makefile.jsonl noise.jsonl; do
		for c in index backbone agents; do
			run --separate-stderr -1 "$R" $c $f
			complains "$f"
		done
	done
}

@test "--since and --range leave out the rest" {
	place cli-killed $KILLED
	run -0 "$R" backbone --since 2026-02-11T09:02:00Z $KILLED
	lacks "Count the pears in basket.c"
	holds "I will read the basket first."
	run -0 "$R" backbone --since 1978m $KILLED
	lacks "Count the pears in basket.c"
	demo="$BATS_TEST_DIRNAME/../../fixtures/demo/claude"
	run -0 "$R" agents --claude-dir "$demo" --since 2026-07-15T09:30:00Z 7c1e42aa
	holds "Review migrate.sh"
	lacks "Find callers"
	run -0 "$R" agents --claude-dir "$demo" --since 2099-01-01 7c1e42aa
	[ "$output" = "no sub-agents" ]
	run -0 "$R" index --range 7-8 $KILLED
	lacks "Count the pears in basket.c"
}

@test "secrets are never printed" {
	place cli-renamed $RENAMED
	for c in index backbone agents; do
		run -0 "$R" $c $RENAMED
		lacks ghp_16C7
		run -0 "$R" $c --json $RENAMED
		lacks ghp_16C7
	done
	run -0 "$R" show $RENAMED 1
	holds "[redacted:github-token]"
	lacks ghp_16C7
}

@test "the same state gives the same bytes" {
	place cli-killed $KILLED
	for c in index backbone agents; do
		run -0 "$R" $c $KILLED
		first=$output
		HANDOFF_NOW=2031-01-01T00:00:00Z run -0 "$R" $c $KILLED
		[ "$output" = "$first" ]
	done
}
