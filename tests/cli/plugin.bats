#!/usr/bin/env bats
# The plugin as it is built and installed, and the rules of its hooks.json; no client is needed.
load helper

PLUGIN=$BATS_TEST_DIRNAME/../../scripts/plugin
TREE=$BATS_TEST_DIRNAME/../..

_setup=$(declare -f setup)
eval "base_${_setup}"
setup()
{
	base_setup
	OUT=$BATS_TEST_TMPDIR/plugin
	unset XDG_DATA_HOME
}

# programs that are small: what is copied does not matter
small()
{
	BIN=$BATS_TEST_TMPDIR/bin
	mkdir -p "$BIN"
	for p in handoff handoff-hook handoff-recover "$@"; do
		printf '#!/bin/sh\necho "%s $*"\n' "$p" >"$BIN/$p"
		chmod 755 "$BIN/$p"
	done
}

# a client that writes down how it was called
client()
{
	mkdir -p "$BATS_TEST_TMPDIR/path"
	printf '#!/bin/sh\necho "$@" >>"%s"\n' "$BATS_TEST_TMPDIR/called" >"$BATS_TEST_TMPDIR/path/claude"
	chmod 755 "$BATS_TEST_TMPDIR/path/claude"
	PATH=$BATS_TEST_TMPDIR/path:$PATH
}

# lint of the shipped file after a jq filter
lint()
{
	jq "$1" "$TREE/plugin/hooks/hooks.json" >"$BATS_TEST_TMPDIR/hooks.json"
	run --separate-stderr "$PLUGIN" lint "$BATS_TEST_TMPDIR/hooks.json"
}

@test "the shipped hooks.json holds all rules" {
	run --separate-stderr -0 "$PLUGIN" lint "$TREE/plugin/hooks/hooks.json"
	[ -z "$output$stderr" ]
}

@test "an event that the oldest client does not know is found" {
	lint '.hooks.PostCompact = .hooks.Stop'
	[ "$status" = 1 ]
	[[ $stderr == *"PostCompact: an event"* ]]
	lint '.hooks.sessionStart = .hooks.SessionStart'
	[ "$status" = 1 ]
}

@test "a timeout that is missing, zero or too long is found" {
	lint 'del(.hooks.Stop[0].hooks[0].timeout)'
	[ "$status" = 1 ]
	[[ $stderr == *"Stop[0]: no timeout"* ]]
	for t in 0 -1 11 2000 '"5"'; do
		lint ".hooks.SessionStart[0].hooks[1].timeout = $t"
		[ "$status" = 1 ]
		[[ $stderr == *"SessionStart[1]: "*timeout* ]]
	done
}

@test "the shell form is found" {
	lint 'del(.hooks.PreCompact[0].hooks[0].args)'
	[ "$status" = 1 ]
	[[ $stderr == *"PreCompact[0]: shell form"* ]]
	lint '.hooks.PreCompact[0].hooks[0].args = [1]'
	[ "$status" = 1 ]
	lint '.hooks.PreCompact[0].hooks[0].command = "${CLAUDE_PLUGIN_ROOT}/bin/handoff-hook stop"'
	[ "$status" = 1 ]
	lint '.hooks.PreCompact[0].hooks[0].command = "/usr/bin/handoff-hook"'
	[ "$status" = 1 ]
}

@test "other handlers, and those that are not waited for, are found" {
	lint '.hooks.Stop[0].hooks[0].type = "prompt"'
	[ "$status" = 1 ]
	lint '.hooks.Stop[0].hooks[0].async = true'
	[ "$status" = 1 ]
	lint '.hooks.Stop[0].hooks = []'
	[ "$status" = 1 ]
	lint 'del(.hooks)'
	[ "$status" = 1 ]
	echo '{' >"$BATS_TEST_TMPDIR/hooks.json"
	run -1 "$PLUGIN" lint "$BATS_TEST_TMPDIR/hooks.json"
}

@test "each hook that is wired is one that the program knows" {
	while IFS=$'\t' read -r event args; do
		printf '{"session_id":"%s","hook_event_name":"%s","cwd":"%s"}' $KILLED "$event" "$ORCHARD" >in.json
		# shellcheck disable=SC2086
		run --separate-stderr -0 "$BIN/handoff-hook" $args <in.json
		[ -z "$stderr" ]
		log=$XDG_STATE_HOME/handoff/hook.log
		[ ! -e "$log" ] || run -1 grep "no event that is known" "$log"
	done < <(jq -r '.hooks | to_entries[] | .key as $e | .value[].hooks[] | "\($e)\t\(.args|join(" "))"' \
		"$TREE/plugin/hooks/hooks.json")
}

@test "build makes a marketplace with the plugin, the version filled in" {
	small
	run -0 "$PLUGIN" build "$BIN" "$OUT" 1.2.3
	[ "$(jq -r .plugins[0].source "$OUT/.claude-plugin/marketplace.json")" = ./handoff ]
	[ "$(jq -r .version "$OUT/handoff/.claude-plugin/plugin.json")" = 1.2.3 ]
	cmp "$OUT/handoff/hooks/hooks.json" "$TREE/plugin/hooks/hooks.json"
	for s in handoff recover session-handoff session-planning; do
		[ -f "$OUT/handoff/skills/$s/SKILL.md" ]
	done
	[ -x "$OUT/handoff/bin/handoff-hook" ]
	[ ! -e "$OUT/handoff/.mcp.json" ]
	[ -z "$(find "$OUT" -type l)" ]
	# again, with the server
	small handoff-mcp
	run -0 "$PLUGIN" build "$BIN" "$OUT" 1.2.4
	[ "$(jq -r .mcpServers.handoff.command "$OUT/handoff/.mcp.json")" = '${CLAUDE_PLUGIN_ROOT}/bin/handoff-mcp' ]
	[ ! -e "$OUT.new" ]
}

@test "build without a program says which, and leaves what was there" {
	small
	"$PLUGIN" build "$BIN" "$OUT" 1.2.3
	rm "$BIN/handoff-hook"
	run --separate-stderr -1 "$PLUGIN" build "$BIN" "$OUT" 1.2.4
	[[ $stderr == "plugin: "*"handoff-hook is not built" ]]
	[ "$(jq -r .version "$OUT/handoff/.claude-plugin/plugin.json")" = 1.2.3 ]
}

@test "skills carry their name, and what they inline is allowed, ends well and is short" {
	"$PLUGIN" build "$BIN" "$OUT" 1.2.3
	git init -q .
	for f in "$OUT"/handoff/skills/*/SKILL.md; do
		name=$(basename "$(dirname "$f")")
		[ "$(sed -n 's/^name: //p' "$f")" = "$name" ]
		grep -q '^description: .' "$f"
		[ "$(sed -n 's/^description: //p' "$f" | wc -m)" -lt 1536 ]
		# arguments never stand where a shell would read them
		run -1 grep '^!`.*$ARGUMENTS' "$f"
		block=$(sed -n '/^```!$/,/^```$/{/^```/!p}' "$f")
		if [ -n "$block" ]; then
			block=${block//'${CLAUDE_PLUGIN_ROOT}'/$OUT/handoff}
			block=${block//'${CLAUDE_SESSION_ID}'/$KILLED}
			block=${block//'$ARGUMENTS'/it\'s \"open; touch ran \$(touch ran) \`touch ran\`}
			run -0 sh -c "$block"
			[ -n "$output" ]
			[ ! -e ran ]
		fi
		while IFS= read -r cmd; do
			program=${cmd%% *}
			grep '^allowed-tools:' "$f" | grep -qF "Bash($program:*)"
			cmd=${cmd//'${CLAUDE_PLUGIN_ROOT}'/$OUT/handoff}
			cmd=${cmd//'${CLAUDE_SESSION_ID}'/$KILLED}
			cmd=${cmd//'$ARGUMENTS'/}
			run -0 sh -c "$cmd"
			[ -n "$output" ]
			[ ${#output} -le 25000 ]
		done < <(sed -n 's/^!`\(.*\)`$/\1/p' "$f")
	done
}

@test "install copies a version, links it as current, and tells the client" {
	small
	client
	"$PLUGIN" build "$BIN" "$OUT" 1.2.3
	run -0 "$PLUGIN" install "$OUT"
	data=$HOME/.local/share/handoff
	[ -L "$data/current" ]
	[ "$("$data/current/handoff/bin/handoff" x)" = "handoff x" ]
	[ "$(sed -n 1,2p "$BATS_TEST_TMPDIR/called")" = "plugin marketplace add $data/current
plugin install handoff@handoff" ]
	first=$(readlink "$data/current")
	# the same again is the same; another build of the version is another folder
	run -0 "$PLUGIN" install "$OUT"
	[ "$(readlink "$data/current")" = "$first" ]
	echo '#!/bin/sh' >"$BIN/handoff"
	"$PLUGIN" build "$BIN" "$OUT" 1.2.3
	run -0 "$PLUGIN" install "$OUT"
	[ "$(readlink "$data/current")" != "$first" ]
	[ -d "$data/$first" ]
	[ -z "$(find "$data" -name '.*' -mindepth 1 -maxdepth 2 ! -name . ! -name .claude-plugin)" ]
}

@test "install keeps three versions" {
	small
	client
	for v in 1 2 3 4 5; do
		"$PLUGIN" build "$BIN" "$OUT" $v.0.0
		"$PLUGIN" install "$OUT" >/dev/null
		touch -d "2026-01-0$v" "$HOME"/.local/share/handoff/versions/$v.*
	done
	[ "$(ls "$HOME/.local/share/handoff/versions" | cut -d. -f1 | paste -sd' ')" = "3 4 5" ]
}

@test "install goes below XDG_DATA_HOME, and without a client prints the two commands" {
	small
	"$PLUGIN" build "$BIN" "$OUT" 1.2.3
	export XDG_DATA_HOME=$BATS_TEST_TMPDIR/data
	mkdir -p "$BATS_TEST_TMPDIR/tools"
	for t in sh sed find sort cksum cut mkdir cp mv rm ln ls tail touch dirname; do
		ln -s "$(command -v $t)" "$BATS_TEST_TMPDIR/tools/$t"
	done
	PATH=$BATS_TEST_TMPDIR/tools run -0 "$PLUGIN" install "$OUT"
	holds "claude plugin marketplace add $XDG_DATA_HOME/handoff/current"
	holds "claude plugin install handoff@handoff"
	[ -d "$XDG_DATA_HOME/handoff/current/handoff/bin" ]
}

@test "install of nothing says so" {
	run --separate-stderr -1 "$PLUGIN" install "$BATS_TEST_TMPDIR/nothing"
	[[ $stderr == *"no plugin was built there" ]]
}

@test "dist has a folder for each system, and starts the one of this system" {
	small
	run -0 "$PLUGIN" dist "$BIN" "$OUT" 1.2.3
	at=$(uname -s | tr A-Z a-z)-$(uname -m)
	[ -x "$OUT/handoff/bin/$at/handoff-hook" ]
	run -0 "$OUT/handoff/bin/handoff-recover" list --json
	[ "$output" = "handoff-recover list --json" ]
	[ "$(jq -r .version "$OUT/handoff/package.json")" = 1.2.3 ]
	# a second system is added, the first stays
	mkdir -p "$OUT/handoff/bin/plan9-mips"
	run -0 "$PLUGIN" dist "$BIN" "$OUT" 1.2.4
	[ -d "$OUT/handoff/bin/plan9-mips" ]
	# where there is no program, the hook is silent and the others are not
	rm -r "$OUT/handoff/bin/$at"
	run --separate-stderr -0 "$OUT/handoff/bin/handoff-hook" stop </dev/null
	[ -z "$output$stderr" ]
	run --separate-stderr -1 "$OUT/handoff/bin/handoff" status
	[[ $stderr == "handoff: no program for "* ]]
}

@test "called wrongly it says how" {
	run --separate-stderr -1 "$PLUGIN"
	[[ $stderr == "plugin: build BIN OUT VERSION"* ]]
}
