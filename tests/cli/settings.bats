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

# everywhere WORDS: every program fails with one line that has them, and writes nothing
everywhere() {
	local c
	for c in brief 'search x' 'log goal x' status list projects 'record write a/k 1' 'record read a/k' 'packet list' 'undo ev_1' 'note A b' doctor; do
		case $("$BIN/handoff" --help) in *" ${c%% *} "*) ;; *) continue ;; esac
		# shellcheck disable=SC2086
		run --separate-stderr "$BIN/handoff" $c
		[ "$status" != 0 ] || { echo "$c: $output"; return 1; }
		[[ $stderr == *"$1"* ]] || { echo "$c: $stderr"; return 1; }
		[ -z "$output" ]
	done
	printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}' \
		'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_brief"}}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"log_event","arguments":{"type":"goal","content":"x"}}}' >in
	run --separate-stderr -0 "$BIN/handoff-mcp" <in
	[[ $stderr == *"$1"* ]] || { echo "server: $stderr"; return 1; }
	[ "$(jq -r 'select(.id > 0) | .result.isError' <<<"$output" | grep -c true)" = 2 ]
	[ "$(jq -r 'select(.id > 0) | .result.content[0].text' <<<"$output" | grep -cF "$1")" = 2 ]
	[ ! -e "$HOME/.handoff-mcp" ]
	[ "$(ls)" = in ]
	rm in
}

@test "a vault that cannot be meant is refused by every program, and no other is taken" {
	: >plain
	HANDOFF_VAULT=$PWD/plain/x run --separate-stderr -1 "$BIN/handoff" status
	[[ $stderr == *"$PWD/plain/x: the vault cannot be there: it would be below a file"* ]]
	rm plain
	HANDOFF_VAULT=rel/vault everywhere 'HANDOFF_VAULT: "rel/vault" is no good for vault (an absolute path, or one that begins with ~/)'
	unset HANDOFF_VAULT
	MEMORY_DB=rel.db everywhere 'MEMORY_DB: "rel.db" is no good for vault (an absolute path, or one that begins with ~/)'
	settings '{"vault": "rel"}'
	everywhere 'config.json: "rel" is no good for vault'
	settings '{"vault": '
	everywhere 'where the vault is cannot be told'
	run --separate-stderr -0 "$BIN/handoff" config --json
	[[ $stderr == *config.json* ]]
	# a variable says where, whatever the file says
	HANDOFF_VAULT='~/v' "$BIN/handoff" log goal x
	[ -d "$HOME/v" ]
}

@test "MEMORY_DB stands for one vault, whichever program asks" {
	unset HANDOFF_VAULT
	export MEMORY_DB='~/.shared/m.db' HANDOFF_PROJECT=p
	local v=$HOME/.shared/m.vault
	"$BIN/handoff" log goal 'Ship the lantern.'
	[ -d "$v/p/sessions" ]
	"$BIN/handoff" record write a/k 1
	[ -f "$v/_records/a/k.md" ]
	run -0 "$BIN/handoff" brief
	holds 'Ship the lantern.'
	run -0 "$BIN/handoff" search lantern
	holds 'Ship the lantern.'
	run -0 "$BIN/handoff" status --json
	json .vault "$v"
	run -0 "$BIN/handoff" config --json
	json '.settings[] | select(.key == "vault") | .value + " " + .source' "$v environment"
	printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}' \
		'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_brief"}}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_read","arguments":{"scope":"a","key":"k"}}}' >in
	run --separate-stderr -0 "$BIN/handoff-mcp" <in
	[ -z "$stderr" ]
	[ "$(jq -r 'select(.id > 0) | .result.isError // false' <<<"$output" | grep -c false)" = 2 ]
	holds 'Ship the lantern.'
	rm in
	[ ! -e "$HOME/.handoff-mcp" ]
	[ -z "$(ls)" ]
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
