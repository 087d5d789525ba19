#!/usr/bin/env bats
# config.json and its variables
load helper

settings() {
	mkdir -p "$XDG_CONFIG_HOME/handoff"
	echo "$1" >"$XDG_CONFIG_HOME/handoff/config.json"
}

@test "the file sets the budget, a variable is stronger, an option strongest" {
	cp -r "$FIXTURES/../demo/claude" "$HOME/demo"
	demo() {
		"$R" doc --claude-dir "$HOME/demo" "$@" 7c1e42aa >out
	}
	demo
	whole=$(wc -c <out)
	settings '{"budget": 1500}'
	demo
	[ "$(wc -c <out)" -le 6000 ]
	[ "$(wc -c <out)" -lt "$whole" ]
	HANDOFF_BUDGET=1000 demo
	[ "$(wc -c <out)" -le 4000 ]
	HANDOFF_BUDGET=1000 demo --budget 4000
	[ "$(wc -c <out)" = "$whole" ]
}

@test "the file names the client's folder, the variable is stronger" {
	orchard
	mv "$CLAUDE_CONFIG_DIR" "$HOME/elsewhere"
	settings '{"claude_dir": "~/elsewhere"}'
	run --separate-stderr -1 "$R" list
	complains "$CLAUDE_CONFIG_DIR"
	unset CLAUDE_CONFIG_DIR
	run -0 "$R" list --json
	json '.sessions | length' 4
}

@test "a setting that is no good is said and passed over" {
	orchard
	settings '{"budget": "plenty"}'
	run --separate-stderr -0 "$R" doc
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == "handoff-recover: "*budget* ]]
	holds "source_session: $KILLED"
	settings '{"budget": '
	run --separate-stderr -0 "$R" doc
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == "handoff-recover: "*config.json* ]]
	holds "source_session: $KILLED"
}

@test "the manual has every setting, with its variable" {
	run -0 "$BIN/handoff" config --json
	jq -r '.settings[] | .key + " " + (.variable // "")' <<<"$output" >keys
	[ "$(wc -l <keys)" -gt 9 ]
	man=$BATS_TEST_DIRNAME/../../docs/handoff.1
	sed -n '/^\.Sh SETTINGS/,/^\.Sh ENVIRONMENT/p' "$man" >section
	while read -r key variable; do
		grep -qE "^\.It Cm (.* )?$key( |$)" section || { echo "not in the manual: $key"; return 1; }
		[ -z "$variable" ] || grep -q "Ev $variable\$" section || { echo "not in the manual: $variable"; return 1; }
	done <keys
}
