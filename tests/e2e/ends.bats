#!/usr/bin/env bats
# How sessions end without dying, and what the next one makes of it.
load lib

setup()
{
	room
	install_plugin
}

teardown()
{
	leave
}

# The last turn of a session fails as the model says; then it is left, and another begins.
failed()
{
	worked a $ONE
	script <<<"{\"main\": [{\"fail\": $1}]}"
	typed a 'now give it twelve trees'
	until_true on_disk $ONE '.isApiErrorMessage == true'
	until_true on_disk $ONE '.type == "system" and .subtype == "turn_duration" and (.parentUuid != null)'
	quit a
	greet b $TWO
	told first 'now give it twelve trees'
	told first 'Never touch config/prod.yaml'
}

ending()
{
	seen main first ours | grep '^>' | grep -iE -- "$1"
}

@test "rate limit" {
	failed '[429, "rate_limit_error", "This would exceed your rate limit."]'
	ending 'rate limit'
}

@test "prompt too long" {
	failed '[400, "invalid_request_error", "prompt is too long: 1000042 tokens > 1000000 maximum"]'
	ending 'context|too long'
}

@test "overloaded" {
	failed '[529, "overloaded_error", "Overloaded"]'
	ending 'overload|server|API error'
}

@test "interrupted by the user, then left: nothing of the last turn is lost" {
	work_script '{"say": "The long check now.", "call": [["Bash", {"command": "./slow.sh --orchard", "description": "Long check"}]]}'
	start a --session-id $ONE
	typed a 'Fix the apple counter so that ./check.sh passes. Never touch config/prod.yaml.'
	until_true call_on_disk $ONE 'slow.sh'
	key a Escape
	until_true on_disk $ONE '.type == "user" and (.message.content | tostring | contains("interrupted by user"))'
	quit a
	greet b $TWO
	ending 'user stopped it'
	told first 'Never touch config/prod.yaml'
	told first './slow.sh --orchard'
	told first 'len() instead of a loop'
}

@test "left in order, then the world moves: drift is told" {
	worked a $ONE
	quit a
	git -C "$P" commit -qam 'Count them'
	git -C "$P" checkout -qb pears
	touch -d '+1 hour' "$P/src/apples.py"
	greet b $TWO
	# the second form when the notes were brought up to date after the switch
	seen main first ours | grep -E 'Branch: main then, pears now|end on branch `main`; the work tree is on `pears` now'
	seen main first ours | grep -E 'src/apples.py' | grep -iE 'changed|written|since'
	not_told first 'Killed'
}

@test "plain /clear: a pointer and what the user stated, no more" {
	worked a $ONE
	forget_seen
	script <<<'{"main": ["A clean desk."]}'
	typed a /clear
	until_screen a '/clear'
	typed a 'something else: what is a pear?'
	until_screen a 'A clean desk'
	told last 'Never touch config/prod.yaml'
	told last '/recover'
	not_told last 'len() instead of a loop'
	not_told last '## Next'
	no_hook_errors
}
