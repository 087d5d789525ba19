#!/usr/bin/env bats
# Several sessions, several worktrees, sub-agents: nobody takes what is not for him.
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

@test "a second worktree is told in a line and takes nothing" {
	git -C "$P" worktree add -q -b pears "$ROOM/pears"
	trust "$ROOM/pears"
	worked a $ONE
	quit a
	E2E_AT=$ROOM/pears greet b $TWO
	told first 'in another worktree, branch main'
	not_told first '## Verify Before Continuing'
	one_document pending
	quit b
	one_document pending
	greet c $THREE
	told first '## Verify Before Continuing'
	told first 'len() instead of a loop'
	one_document claimed
}

@test "a live session is nobody's to recover" {
	worked a $ONE
	greet b $TWO
	not_told first 'Killed'
	not_told first 'died'
	not_told first '## Verify Before Continuing'
	refute one_document pending 2>/dev/null
	kill -0 "$(tm display-message -p -t a '#{pane_pid}')"
}

@test "a sub-agent is told nothing, and its result is not lost when the session dies" {
	script <<-JSON
		{"main": [{"say": "I ask an agent.", "call": [["Agent", {"description": "Count pears", "prompt": "How many pears are there?", "subagent_type": "general-purpose"}]]},
		  {"say": "I note it.", "call": [["Bash", {"command": "./slow.sh --note", "description": "Note"}]]}],
		 "agent": ["Seventeen pears hang there."]}
	JSON
	start a --session-id $ONE
	typed a 'Count the pears, with an agent. Do not pick any of them.'
	until_true call_on_disk $ONE 'slow.sh --note'
	# it may run beside the conversation: our hook has heard that it came back
	until_true grep -rqF 'Seventeen pears' "$HOME_DIR/.local/state/handoff/journal"
	[ -z "$(seen agent all ours)" ]
	killed
	greet b $TWO
	told first 'Do not pick any of them'
	told first 'Seventeen pears'
	told first 'slow.sh --note'
	no_hook_errors
}

@test "secrets that went by in a session are not told to the next" {
	script <<-JSON
		{"main": [{"say": "I look at the settings.", "call": [["Bash", {"command": "echo PEAR_TOKEN=ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5; false"}]]},
		  {"say": "I write it.", "call": [["Bash", {"command": "./slow.sh --token ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"}]]}]}
	JSON
	start a --session-id $ONE
	typed a 'Set the token up. Never print it.'
	until_true call_on_disk $ONE 'slow.sh --token'
	killed
	greet b $TWO
	told first 'Never print it'
	told first 'slow.sh --token [redacted:'
	not_told first 'ghp_aB3d'
	refute grep -rq 'ghp_aB3d' "$VAULT" "$HOME_DIR/.local/state/handoff"
}
