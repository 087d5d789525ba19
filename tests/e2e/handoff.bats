#!/usr/bin/env bats
# /handoff and the life of its document.
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

# A session worked and wrote its document; it stays open.
handed_off()
{
	local document

	worked a $ONE
	document="# Counting apples

## Goal
Make ./check.sh pass.

## Done
- len() in \`src/apples.py\`

## Next
1. Give the check its twelve trees

## Hazards
- User: \"Never touch config/prod.yaml.\"

## Key Context
- len() and no loop: the list is in memory already

## Files to Read
\`src/apples.py\`

## Verify Before Continuing
- [ ] \`./check.sh\`

## Known Gaps
- None"
	jq -n --arg c "$BIN/handoff save --session $ONE <<'HANDOFF_DOCUMENT'
$document
HANDOFF_DOCUMENT" '{main: [{say: "I store it.", call: [["Bash", {command: $c}]]}, "It is stored, run /clear."]}' | script
	typed a '/handoff'
	until_screen a 'It is stored'
	seen main last | grep -F 'Saved as'
}

@test "/handoff: what the skill shows the model, and what it stores" {
	handed_off
	# the draft reached the model: format, and the user's own words
	seen main all | grep -F '## Verify Before Continuing'
	seen main all | grep -F 'Never touch config/prod.yaml'
	grep -rl '^kind: manual' "$VAULT"
	run -0 handoff list
	[[ $output == *"Counting apples"* ]]
	# no automatic document beside it
	[ "$(find "$VAULT" -name '*.md' -path '*handoffs*' | wc -l)" = 1 ]
	run -0 handoff check "$(grep -rl '^kind: manual' "$VAULT")"
}

@test "/handoff, /clear: offered, claimed by the first real prompt, consumed after work" {
	handed_off
	typed a /clear
	until_screen a 'handoff: notes of session'
	script <<<'{"main": ["A plan could be made."]}'
	forget_seen
	typed a '/session-planning'
	until_screen a 'A plan could be made'
	told last 'Give the check its twelve trees'
	one_document pending
	script <<-JSON
		{"main": [{"say": "I write the trees.", "call": [["Bash", {"command": "printf '12\\\\n' >trees.txt && git add trees.txt && git commit -qm 'Twelve trees'"}]]}, "The trees stand."]}
	JSON
	typed a 'go on with the next step'
	until_true one_document claimed
	until_screen a 'The trees stand'
	told last 'Counting apples'
	told last 'Never touch config/prod.yaml'
	quit a
	until_true one_document consumed
	find "$VAULT" -path '*archive*' -name '*.md' | xargs grep -l 'Counting apples'
	no_hook_errors
}

@test "claimed but not worked on: it comes back in the session after" {
	handed_off
	quit a
	greet b $TWO
	told first 'Give the check its twelve trees'
	one_document claimed
	quit b
	until_true one_document pending
	greet c $THREE
	told first 'Give the check its twelve trees'
}

@test "a question about something else does not lose it, nor does a death" {
	handed_off
	quit a
	forget_seen
	script <<<'{"main": ["Forty-two."]}'
	start b --session-id $TWO
	typed b 'what is six times seven?'
	until_screen b 'Forty-two'
	told first 'Give the check its twelve trees'
	quit b
	until_true one_document pending
	greet c $THREE
	told first 'Give the check its twelve trees'
	one_document claimed
	killed
	greet d $FOUR
	told first 'Give the check its twelve trees'
	not_told first 'Killed'
	one_document claimed
	# a question, and in the same session the work after all
	script <<-JSON
		{"main": [{"say": "I write the trees.", "call": [["Bash", {"command": "printf '12\\n' >trees.txt && git add trees.txt && git commit -qm 'Twelve trees'"}]]}, "The trees stand."]}
	JSON
	typed d 'now the next step'
	until_screen d 'The trees stand'
	told last 'Give the check its twelve trees'
	quit d
	until_true one_document consumed
	no_hook_errors
}

@test "the sub-agents of a session take nothing and are told nothing" {
	handed_off
	quit a
	forget_seen
	script <<-'JSON'
		{"main": [{"say": "I ask an agent.", "call": [["Agent", {"description": "Count pears", "prompt": "How many pears are there?", "subagent_type": "general-purpose"}]]}, "It has answered."],
		 "agent": [{"say": "I look.", "call": [["Bash", {"command": "ls src"}]]}, "Seventeen pears hang there."]}
	JSON
	start b --session-id $TWO
	typed b '/session-planning' # no prompt of the user's: only the agent could take it
	until_screen b 'It has answered'
	told first 'Give the check its twelve trees'
	until_true agent_came_back
	[ -z "$(seen agent all ours)" ]
	refute grep -F 'twelve trees' <(seen agent all)
	one_document pending
	quit b
	until_true one_document pending
	no_hook_errors
}

# the agent ran its command and was asked once more
agent_came_back()
{
	[ "$(seen agent count)" -ge 2 ]
}

@test "a headless run takes nothing and is told nothing" {
	handed_off
	quit a
	forget_seen
	script <<<'{"main": ["Forty-two."]}'
	run -0 claude -p 'what is six times seven?'
	[ "$output" = 'Forty-two.' ]
	[ -z "$(seen main all ours)" ]
	one_document pending
}

@test "two sessions at once: one takes the document, the other is told" {
	handed_off
	quit a
	forget_seen
	script <<<'{"main": ["I have read the notes.", "I have heard."]}'
	start b --session-id $TWO
	start c --session-id $THREE
	typed b 'go on please'
	until_screen b 'I have read the notes'
	one_document claimed
	not_told last 'picked up by another session'
	typed c 'go on please'
	until_screen c 'I have heard'
	told last 'picked up by another session'
	one_document claimed
}
