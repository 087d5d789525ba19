#!/usr/bin/env bats
load helper

COMMANDS="list index backbone agents show doc repair"

@test "--help names every command, on standard output" {
	run --separate-stderr -0 "$R" --help
	for c in $COMMANDS; do holds "  $c "; done
	[ -z "$stderr" ]
	first=$output
	run --separate-stderr -0 "$R" -h
	[ "$output" = "$first" ]
}

@test "each command has a --help that names itself and its options" {
	for c in $COMMANDS; do
		run --separate-stderr -0 "$R" $c --help
		holds "Usage: handoff-recover $c"
		holds "--json"
		holds "--help"
		[ -z "$stderr" ]
	done
}

@test "each long option that --help names is taken by its command" {
	for c in $COMMANDS; do
		run -0 "$R" $c --help
		for o in $(sed -n 's/^ .*--\([a-z-]*\)\( [A-Z]\).*/\1/p' <<<"$output"); do
			# it takes a value: none given is another error than an unknown option
			run --separate-stderr -64 "$R" $c "--$o"
			complains "option --$o needs a value"
		done
	done
}

@test "--version" {
	run --separate-stderr -0 "$R" --version
	[[ $output =~ ^handoff-recover\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "an unknown command is a usage error" {
	run --separate-stderr -64 "$R" frobnicate
	complains "'frobnicate' is no command and no session"
}

@test "an unknown option is a usage error, for each command" {
	for c in $COMMANDS; do
		run --separate-stderr -64 "$R" $c --frobnicate
		complains "unknown option --frobnicate"
		run --separate-stderr -64 "$R" $c -Z
		complains "unknown option -Z"
	done
	run --separate-stderr -64 "$R" --frobnicate
	complains "unknown option --frobnicate"
}

@test "an option of another command is a usage error" {
	run --separate-stderr -64 "$R" list --budget 5
	complains "unknown option --budget"
}

@test "an option without its value is a usage error" {
	run --separate-stderr -64 "$R" list -n
	complains "option -n needs a value"
	run --separate-stderr -64 "$R" doc --budget
	complains "option --budget needs a value"
}

@test "a value where none is taken is a usage error" {
	run --separate-stderr -64 "$R" list --json=yes
	complains "option --json=yes takes no value"
	run --separate-stderr -64 "$R" list --all --quiet=1
	complains "option --quiet=1 takes no value"
	run --separate-stderr -64 "$R" list --json -qZ
	complains "unknown option -Z"
}

@test "numbers that are none are usage errors" {
	for n in 0 -1 x 1x '' 99999999999999999999 1.5; do
		run --separate-stderr -64 "$R" doc --budget "$n"
		complains "--budget"
		run --separate-stderr -64 "$R" list -n "$n"
		complains "--limit"
	done
}

@test "a time that is none is a usage error" {
	run --separate-stderr -64 "$R" index --since yesterday
	complains "--since"
	run --separate-stderr -64 "$R" index --since h
	complains "--since"
}

@test "missing arguments are usage errors" {
	run --separate-stderr -64 "$R" show
	complains "missing argument"
	run --separate-stderr -64 "$R" show $KILLED
	complains "missing argument"
	run --separate-stderr -64 "$R" repair
	complains "missing argument"
	run --separate-stderr -64 "$R" repair x.jsonl
	complains "-o FILE"
}

@test "arguments too many are usage errors" {
	run --separate-stderr -64 "$R" list x
	complains "unexpected argument 'x'"
	run --separate-stderr -64 "$R" index a b
	complains "unexpected argument 'b'"
}

@test "a command after an option is told where it belongs" {
	run --separate-stderr -64 "$R" --json list
	complains "the command comes first"
}

@test "--all and --project exclude each other" {
	run --separate-stderr -64 "$R" list --all --project .
	complains "exclude"
}

@test "-- ends the options" {
	run --separate-stderr -1 "$R" index -- --json
	complains "no session '--json'"
}

@test "control characters of an argument do not reach the terminal" {
	run --separate-stderr -1 "$R" index $'x\e[31mred\nline'
	complains
	[[ $stderr != *$'\e'* ]]
}

@test "a pinned time that is none is said and passed over" {
	HANDOFF_NOW=garbage run --separate-stderr -0 "$R" --version
	[ "$stderr" = "handoff-recover: HANDOFF_NOW is no time like 2026-02-12T18:20:00Z: passed over" ]
	HANDOFF_NOW=garbage run --separate-stderr -0 "${R%-recover}" --version
	[ "$stderr" = "handoff: HANDOFF_NOW is no time like 2026-02-12T18:20:00Z: passed over" ]
	for now in '' 1770920402000 2026-02-12; do
		HANDOFF_NOW=$now run --separate-stderr -0 "$R" --version
		[ -z "$stderr" ]
	done
}
