#!/usr/bin/env bats
# Sessions that die, and what the next one is told.
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

# A session that worked and dies while a command runs.
die_in_a_command()
{
	work_script '{"say": "The long check now.", "call": [["Bash", {"command": "sleep 217 && ./check.sh", "description": "Long check"}]]}'
	start a --session-id $ONE
	typed a 'Fix the apple counter so that ./check.sh passes. Never touch config/prod.yaml.'
	until_true call_on_disk $ONE 'sleep 217'
	killed
}

@test "killed in the middle of a command: the next session is told all of it" {
	die_in_a_command
	forget_seen
	script <<<'{"main": ["I have read the notes."]}'
	start b --session-id $TWO
	typed b 'go on please'
	until_screen b 'I have read the notes'
	told first 'Fix the apple counter'
	told first 'Never touch config/prod.yaml'
	told first 'len() instead of a loop'
	told first 'src/apples.py'
	told first 'sleep 217 && ./check.sh'
	told first 'FAILED test_count'
	seen main first ours | grep -E '^## Next' 
	seen main first ours | grep -iE 'killed|died|no end|ended' | grep -iE 'command|call|running'
	screen_has b 'handoff: notes of session'
	quit b
	no_hook_errors
}

