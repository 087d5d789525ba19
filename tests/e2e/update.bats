#!/usr/bin/env bats
# `make install-plugin`, and an update under a session that runs.
load lib

setup()
{
	room
	DATA=$HOME_DIR/.local/share/handoff
	mkdir -p "$HOME_DIR/bin"
	ln -s "$E2E_CLIENT" "$HOME_DIR/bin/claude"
}

teardown()
{
	leave
}

installed_from()
{
	env -i "${CLIENT_ENV[@]}" "$E2E_TESTS/../../scripts/plugin" install "$1" >"$ROOM/installed.out" 2>&1
}

# The same plugin as version $1, in $ROOM/new
other_version()
{
	rm -rf "$ROOM/new"
	cp -R "$E2E_PLUGIN" "$ROOM/new"
	sed -i "s/\"version\": *\"[^\"]*\"/\"version\": \"$1\"/" "$ROOM/new/handoff/.claude-plugin/plugin.json"
}

@test "installed twice it is one plugin, which works" {
	installed_from "$E2E_PLUGIN"
	installed_from "$E2E_PLUGIN"
	[ "$(find "$DATA/versions" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]
	run -0 jq -r '.plugins | keys[]' "$HOME_DIR/.claude/plugins/installed_plugins.json"
	[ "$output" = handoff@handoff ]
	worked a $ONE
	quit a
	until_true one_document pending
	no_hook_errors
}

@test "an update under a session that runs: it goes on, the next one has the new version" {
	installed_from "$E2E_PLUGIN"
	worked a $ONE
	until_true one_document live
	before=$(readlink "$DATA/current")
	other_version 0.2.0
	installed_from "$ROOM/new"
	[ "$(readlink "$DATA/current")" != "$before" ]
	# what the running session was started with is still there
	[ -x "$DATA/$before/handoff/bin/handoff-hook" ]
	script <<<'{"main": ["The pears are next."]}'
	typed a 'and never shake the pear trees'
	until_screen a 'The pears are next'
	until_true grep -rqF 'never shake the pear trees' "$VAULT"
	one_document live
	quit a
	until_true one_document pending
	no_hook_errors
	greet b $TWO
	told first 'Never touch config/prod.yaml'
	told first 'never shake the pear trees'
	quit b
	run -0 claude plugin list --json
	[[ $output == *0.2.0* ]]
	no_hook_errors
}

@test "after many updates the last versions are kept, and no more" {
	for v in 0.2.1 0.2.2 0.2.3 0.2.4; do
		other_version $v
		installed_from "$ROOM/new"
	done
	[ "$(find "$DATA/versions" -mindepth 1 -maxdepth 1 | wc -l)" = 3 ]
	[[ $(readlink "$DATA/current") == versions/0.2.4-* ]]
	worked a $ONE
	quit a
	until_true one_document pending
}
