#!/usr/bin/env bats
load handoff-lib

_setup=$(declare -f setup)
eval "base_${_setup}"
setup()
{
	base_setup
	handoff_setup
}

@test "a document goes in by standard input, and out by show" {
	document >doc.md
	run --separate-stderr -0 "$H" save --session $S <doc.md
	holds "Saved as 20260212T180000Z_7c1e42aa.md (project orchard, "
	holds "Next: run /clear"
	holds "paste: Run \`handoff show 20260212T180000Z_7c1e42aa.md\`"
	[ -z "$stderr" ]
	run --separate-stderr -0 "$H" show 7c1e42aa
	holds "kind: manual"
	holds "confidence: high"
	holds "branch: main"
	holds '- User: "never shake the trees"'
	holds 'HEAD: '
	[ "$(stat -c %a "$HANDOFF_VAULT"/orchard/handoffs/*)" = 600 ]
}

@test "what was saved passes the check" {
	saved
	"$H" show 7c1e42aa >"$BATS_TEST_TMPDIR/d.md"
	run --separate-stderr -0 "$H" check "$BATS_TEST_TMPDIR/d.md"
	holds "nothing to mend"
	run --separate-stderr -0 "$H" check --json "$BATS_TEST_TMPDIR/d.md"
	json .check.ok true
}

@test "a missing section is named and nothing is stored" {
	document | sed '/^## Next/,/second/d' >doc.md
	run --separate-stderr -1 "$H" save --session $S doc.md
	grumbles 'no section "## Next"'
	[ ! -e "$HANDOFF_VAULT" ]
}

@test "each problem is a line" {
	document | sed '/^## Next/,/second/d; s/src.tree/src\/branch/; s/Count the apples of/<what the goal is>\n&/' >doc.md
	run --separate-stderr -1 "$H" save --session $S doc.md
	[ "${#stderr_lines[@]}" = 3 ]
	[ -z "$output" ]
	run -1 --separate-stderr "$H" save --json --session $S doc.md
	json '.saved, (.check.problems|map(.kind)|sort|join(","))' $'false\nfile,section,template'
}

@test "an empty or a huge document is refused" {
	run --separate-stderr -1 "$H" save --session $S </dev/null
	grumbles "empty"
	head -c 300000 /dev/zero >big
	run --separate-stderr -1 "$H" save --session $S <big
	grumbles "over"
	run --separate-stderr -1 "$H" save --session $S nothing.md
	grumbles "nothing.md"
}

@test "hazards and lineage of the claimed document go on" {
	saved
	first=$(ls "$HANDOFF_VAULT"/orchard/handoffs)
	sed -i 's/^status: .*/status: claimed/' "$HANDOFF_VAULT"/orchard/handoffs/$first
	journal $S2 "{\"claimed\":\"$first\"}"
	export HANDOFF_NOW=2026-02-12T19:00:00Z
	run -0 "$H" draft --session $S2
	holds '- User: "never shake the trees"'
	holds "- $first"
	document | grep -v shake >doc.md
	run -0 "$H" save --session $S2 doc.md
	holds "Added from earlier sessions: 1 stated hazard."
	run -0 "$H" show aa00bb11
	holds '- User: "never shake the trees"'
	holds "lineage: [$first]"
	[ "$(jq -r .document "$STATE/journal/$S2.json")" = 20260212T190000Z_aa00bb11.md ]
}

@test "a document without the hazards of its lineage fails the check" {
	saved
	first=$(ls "$HANDOFF_VAULT"/orchard/handoffs)
	"$H" show "$first" | grep -v shake | sed "s/^lineage: .*/lineage: [$first]/" >d.md
	run --separate-stderr -1 "$H" check d.md
	holds "hazard: a hazard of an earlier session is missing"
	run --separate-stderr -1 "$H" check --json d.md
	json '.check.problems[0].kind' hazard
}

@test "a branch that moved fails the check" {
	saved
	"$H" show 7c1e42aa >"$BATS_TEST_TMPDIR/d.md"
	git checkout -qb topic
	run --separate-stderr -1 "$H" check "$BATS_TEST_TMPDIR/d.md"
	holds "branch: the document says branch main; it is topic now"
}

@test "secrets do not get in" {
	document '- token ghp_abcdefghijklmnopqrstuvwxyz0123456789' >doc.md
	run -0 "$H" save --session $S doc.md
	holds "Taken out: 1 secret."
	run -1 grep -r ghp_ "$HANDOFF_VAULT"
}

@test "HANDOFF_DOC makes a copy, never outside" {
	document >"$BATS_TEST_TMPDIR/doc.md"
	export HANDOFF_DOC=handoff.md
	run -0 "$H" save --session $S "$BATS_TEST_TMPDIR/doc.md"
	holds "A copy to read: "
	cmp handoff.md "$HANDOFF_VAULT"/orchard/handoffs/*
	export HANDOFF_DOC=../handoff.md
	run -0 "$H" save --session $S "$BATS_TEST_TMPDIR/doc.md"
	holds "No copy was made: HANDOFF_DOC"
	[ ! -e ../handoff.md ]
}

@test "HANDOFF_DOC writes over a document only" {
	document >"$BATS_TEST_TMPDIR/doc.md"
	export HANDOFF_DOC=README.md
	echo 'About the trees' >README.md
	run -0 "$H" save --session $S "$BATS_TEST_TMPDIR/doc.md"
	holds "README.md is no handoff document: it stays as it is"
	[ "$(cat README.md)" = 'About the trees' ]
	: >README.md
	run -0 "$H" save --session $S "$BATS_TEST_TMPDIR/doc.md"
	holds "A copy to read: "
	run -0 "$H" save --session $S "$BATS_TEST_TMPDIR/doc.md"
	holds "A copy to read: "
	document >README.md
	run -0 "$H" save --session $S "$BATS_TEST_TMPDIR/doc.md"
	holds "A copy to read: "
}

@test "a document that another session wrote for a dead one is a recovered one" {
	document >doc.md
	run -0 "$H" save --session $S --recovered --focus "the pears" doc.md
	run -0 "$H" show 7c1e42aa
	holds "kind: recovered"
	holds "focus_filter: the pears"
}

@test "a recovered document takes the place of the automatic one, also when that is claimed" {
	document >doc.md
	"$H" save --session $S --recovered doc.md
	name=$(ls "$HANDOFF_VAULT"/orchard/handoffs)
	sed -i "s/^status: .*/status: claimed/;s/^claimed_by: .*/claimed_by: $S2/" "$HANDOFF_VAULT"/orchard/handoffs/$name
	document '- User: "never paint the fence"' >doc.md
	run -0 "$H" save --session $S --recovered doc.md
	[ "$(ls "$HANDOFF_VAULT"/orchard/handoffs)" = "$name" ]
	run -0 "$H" show 7c1e42aa
	holds "status: claimed"
	holds "claimed_by: $S2"
	holds "lineage: []"
	holds "paint the fence"
}

@test "a locked vault is told, and nothing is lost" {
	saved
	before=$(cat "$HANDOFF_VAULT"/orchard/handoffs/*)
	document "- User: \"more\"" >"$BATS_TEST_TMPDIR/doc.md"
	exec 8>"$HANDOFF_VAULT/.index.db.handoff.lock"
	flock 8
	run --separate-stderr -1 "$H" save --session $S "$BATS_TEST_TMPDIR/doc.md"
	grumbles
	[ "$before" = "$(cat "$HANDOFF_VAULT"/orchard/handoffs/*)" ]
}

@test "list, status and show give JSON" {
	saved
	run -0 "$H" list --json
	json '.documents[0].name, .documents[0].status, .documents[0].title' \
		$'20260212T180000Z_7c1e42aa.md\npending\nCount the apples'
	run -0 "$H" status --json
	json '.project, .documents[0].not_offered, .off' $'orchard\nnull\nfalse'
	run -0 "$H" show --json 7c1e42aa
	json '.sections.next[0].text' "1. The second tree"
	run -0 "$H" draft --json --session $S
	json '.draft|length > 100' true
	run -0 "$H" recover-start --json --session $S
	json '.text|startswith("Nothing was recovered")' true
}

@test "list of an empty project says so on standard error" {
	run --separate-stderr -0 "$H" list
	grumbles "no document of orchard"
}

@test "recover-start gives the end of the index, the document and how to read on" {
	unset HANDOFF_PROJECT
	place cli-killed $KILLED
	run --separate-stderr -0 "$H" recover-start --session $S -- 38fb3e7a "focus on the harvest"
	holds "Session to recover: $KILLED"
	holds "Focus: the harvest"
	holds "## The end of its index"
	holds "## Goal"
	[ -z "$stderr" ]
	[ ${#output} -le 25000 ]
	run -0 "$H" recover-start --session $S --
	holds "Session to recover: $KILLED"
	# as it was typed, through standard input
	run --separate-stderr -0 "$H" recover-start --session $S - <<<"38fb3e7a \"focus on it's apples"
	holds "Session to recover: $KILLED"
	holds "Focus: it's apples"
	run -0 "$H" recover-start --session $S - </dev/null
	holds "Session to recover: $KILLED"
	# the session that asks is not the dead one
	run -0 "$H" recover-start --session $KILLED --
	holds "Nothing was recovered"
}
