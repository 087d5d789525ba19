#!/usr/bin/env bats
# /recover, from the death of a session to the end of the one that took it up.
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

# The model reads one record on, then stores a document that says more.
recovering_script()
{
	local document

	document="# Counting apples, taken up again

## Goal
Make ./check.sh pass for all twelve trees.

## Done
- len() in \`src/apples.py\`

## Next
1. See whether ./slow.sh --orchard came to its end

## Hazards
- User: \"Fix the apple counter so that ./check.sh passes. Never touch config/prod.yaml.\"

## Key Context
- The check wants twelve trees, and the counter is given none

## Files to Read
\`src/apples.py\`

## Verify Before Continuing
- [ ] \`./check.sh\`

## Known Gaps
- What ./slow.sh --orchard did"
	jq -n --arg show "$BIN/handoff-recover show $ONE 6" --arg save "$BIN/handoff save --session $ONE --recovered <<'HANDOFF_DOCUMENT'
$document
HANDOFF_DOCUMENT" '{main: [{say: "I read one record on.", call: [["Bash", {command: $show}]]},
		{say: "I know enough now.", call: [["Bash", {command: $save}]]}, "The long check was in flight. Shall I go on?"]}' | script
}

@test "/recover SESSION: shown, read on, made better, claimed, consumed" {
	die_in_a_command
	forget_seen
	recovering_script
	start b --session-id $TWO
	typed b "/recover $ONE"
	until_screen b 'Shall I go on'
	# what the skill put before the model: the document, the end of the index, how to read on
	seen main first | grep -F 'Killed mid-tool at'
	seen main first | grep -F './slow.sh --orchard'
	seen main first | grep -F '## Known Gaps'
	seen main first | grep -F "handoff-recover show"
	# what the model asked for: a record, and how much of the budget is left
	seen main last | grep -F 'round'
	seen main last | grep -F 'Saved as'
	# one document of the session, and it is the better one
	[ "$(find "$VAULT" -path '*handoffs*' -name '*.md' | wc -l)" = 1 ]
	one_document pending
	grep -rqE '^kind: recovered$' "$VAULT"
	grep -rqF 'Counting apples, taken up again' "$VAULT"
	script <<-JSON
		{"main": [{"say": "I write the trees.", "call": [["Bash", {"command": "printf '12\\\\n' >trees.txt && git add trees.txt && git commit -qm 'Twelve trees'"}]]}, "The trees stand."]}
	JSON
	typed b 'yes, go on please'
	until_screen b 'The trees stand'
	one_document claimed
	quit b
	until_true one_document consumed
	grep -rlF 'Counting apples, taken up again' "$VAULT" | grep -F archive
	greet c $THREE
	told first 'Never touch config/prod.yaml'
	no_hook_errors
}

@test "/recover without a session takes the one that died last; with words it narrows" {
	die_in_a_command
	forget_seen
	script <<<'{"main": ["I have seen it."]}'
	start b --session-id $TWO
	typed b '/recover "the trees"'
	until_screen b 'I have seen it'
	seen main first | grep -F "$ONE"
	seen main first | grep -F 'focus_filter: the trees'
	no_hook_errors
}

@test "/recover where nothing died says so and goes on" {
	script <<<'{"main": ["There is nothing to do."]}'
	start a --session-id $ONE
	typed a '/recover'
	until_screen a 'There is nothing to do'
	seen main last | grep -F 'Nothing was recovered'
	no_hook_errors
}
