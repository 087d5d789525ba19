#!/usr/bin/env bats
# A fresh install, and what the first session hears of it.
load lib

setup()
{
	room
}

teardown()
{
	leave
}

@test "the plugin and its marketplace are valid" {
	run -0 claude plugin validate "$E2E_PLUGIN"
	[[ $output == *"Validation passed" ]]
	run -0 claude plugin validate "$E2E_PLUGIN/handoff"
	[[ $output == *"Validation passed" ]]
}

@test "a first session hears nothing, and sees no error" {
	install_plugin
	run -0 claude plugin list
	[[ $output == *handoff@handoff* ]]
	[[ $output != *[Ee]rror* && $output != *ailed* ]]
	script <<<'{"main": ["Good morning."]}'
	start a --session-id $ONE
	typed a 'good morning'
	until_screen a 'Good morning\.'
	refute screen_has a '[Hh]ook.*error|handoff:'
	[ -z "$(seen main all ours)" ]
	quit a
	no_hook_errors
	# a session without work leaves no document
	[ -z "$(documents '.*')" ]
}

@test "uninstall leaves the settings as they were" {
	claude plugin list >/dev/null
	cp "$HOME_DIR/.claude/settings.json" "$ROOM/before"
	install_plugin
	refute cmp -s "$ROOM/before" "$HOME_DIR/.claude/settings.json"
	claude plugin uninstall handoff@handoff
	claude plugin marketplace remove handoff
	run -0 jq -S 'del(.enabledPlugins, .extraKnownMarketplaces) | .' "$HOME_DIR/.claude/settings.json"
	[ "$output" = "$(jq -S . "$ROOM/before")" ]
	run -0 jq '[.enabledPlugins // {}, .extraKnownMarketplaces // {}] | map(length) | add' "$HOME_DIR/.claude/settings.json"
	[ "$output" = 0 ]
}
