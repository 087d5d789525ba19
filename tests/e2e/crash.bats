#!/usr/bin/env bats
# Sessions that die, and what the next one, or the same one resumed, is told.
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

@test "killed in the middle of a command: the next session is told all of it" {
	die_in_a_command
	greet b $TWO
	told first 'Fix the apple counter'
	told first 'Never touch config/prod.yaml'
	told first 'len() instead of a loop'
	told first 'Edited here and not committed (now): `src/apples.py`'
	told first '`./slow.sh --orchard` was started at'
	told first 'FAILED test_count'
	told first 'Killed mid-tool at'
	seen main first ours | grep -A1 '^## Next' | grep 'slow.sh'
	screen_has b 'handoff: notes of session 11111111'
	one_document claimed
	quit b
	no_hook_errors
}

@test "a killed session is resumed: told which command ran, and that it still runs" {
	die_in_a_command
	forget_seen
	script <<<'{"main": ["I look after it."]}'
	start b --resume $ONE
	typed b 'go on please'
	until_screen b 'I look after it'
	told last '`./slow.sh --orchard` was running'
	told last 'its outcome is unknown'
	told last 'Still running of that session: process'
	not_told last 'Goal'
	quit b
	no_hook_errors
}

@test "a fork leaves no session that is taken for dead" {
	worked a $ONE
	quit a
	script <<<'{"main": ["Another way."]}'
	start b --resume $ONE --fork-session
	typed b 'try another way'
	until_screen b 'Another way'
	quit b
	greet c $TWO
	not_told first 'Killed'
	not_told first 'died'
	told first 'config/prod.yaml'
}

@test "a fork beside its running parent: neither is taken for dead, no one takes the other's notes" {
	worked a $ONE
	parent=$CLIENT_PID
	script <<<'{"main": ["Another way."]}'
	# until its first prompt a fork goes by the id of its parent, whose entry stays the parent's
	journal_has() { return 0; }
	start b --resume $ONE --fork-session
	typed b 'try another way'
	until_screen b 'Another way'
	not_told last 'was running'
	not_told last 'picked up'
	greet c $TWO
	not_told first 'Killed'
	not_told first 'died'
	not_told first '## Verify Before Continuing'
	quit c
	CLIENT_PID=$parent
	quit a
	no_hook_errors
}

@test "/branch: the copy goes on, and when it is killed it alone is told of" {
	worked a $ONE
	forget_seen
	script <<-'JSON'
		{"main": ["Another way.", {"say": "The long check now.", "call": [["Bash", {"command": "./slow.sh --pears", "description": "Long check"}]]}]}
	JSON
	typed a /branch
	until_screen a 'Branched (conversation|session)'
	typed a 'try another way, with pears'
	until_screen a 'Another way'
	[ -z "$(seen main last ours)" ]
	typed a 'check it'
	until_true grep -rqF 'slow.sh --pears' "$HOME_DIR/.claude/projects"
	killed
	greet c $TWO

	told first 'this still runs'
	told first '(`./slow.sh --pears`)'
	told first 'try another way, with pears'
	told first 'Never touch config/prod.yaml'
	not_told first 'nobody has taken up'
	no_hook_errors
}

@test "killed while it writes: the open request comes back" {
	script <<<'{"main": [{"say": "I think about it.\n\nFirst the", "hang": true}]}'
	start a --session-id $ONE
	typed a 'Rename count to count_apples everywhere. Do not rename the tests.'
	until_screen a 'I think about it'
	until_true on_disk $ONE '.type == "user"'
	killed
	greet b $TWO
	told first 'Rename count to count_apples everywhere'
	told first 'Do not rename the tests'
	seen main first ours | grep -E '^> .*([Kk]illed|[Dd]ied)'
}
