#!/usr/bin/env bats
load handoff-lib

_setup=$(declare -f setup)
eval "base_${_setup}"
setup()
{
	base_setup
	handoff_setup
}

@test "hazards are numbered; one of them is retired with a reason, for good" {
	document '- User: "never paint the fence"' >doc.md
	"$H" save --session $S doc.md
	run --separate-stderr -0 "$H" hazards
	[ "$output" = $'1. User: "never shake the trees"\n2. User: "never paint the fence"' ]
	run --separate-stderr -0 "$H" hazards --retire 2 --reason "the fence is gone"
	holds 'Retired in 1 document: User: "never paint the fence"'
	run -0 "$H" hazards --json
	json '.hazards|length' 1
	run -0 "$H" show 7c1e42aa
	holds '- Retired 2026-02-12 (the fence is gone): User: "never paint the fence"'
	# a second document of the session: stated again or not, it stays retired
	document '- User: "Never paint the fence."' >doc.md
	run -0 "$H" save --session $S doc.md
	run -0 "$H" show 7c1e42aa
	holds '- Retired 2026-02-12 (the fence is gone): User: "never paint the fence"'
	lacks 'User: "Never paint'
	document >doc.md
	run -0 "$H" save --session $S doc.md
	run -0 "$H" show 7c1e42aa
	holds '- Retired 2026-02-12 (the fence is gone): User: "never paint the fence"'
	run --separate-stderr -0 "$H" hazards
	[ "$output" = '1. User: "never shake the trees"' ]
	# the next document does not carry it, and passes the check
	first=$(ls "$HANDOFF_VAULT"/orchard/handoffs)
	sed -i 's/^status: .*/status: claimed/' "$HANDOFF_VAULT"/orchard/handoffs/$first
	journal $S2 "{\"claimed\":\"$first\"}"
	document >doc.md
	run -0 "$H" save --session $S2 doc.md
	run -0 "$H" show aa00bb11
	lacks "paint"
}

@test "hazards are those of the session that asks" {
	saved
	export CLAUDE_CODE_SESSION_ID=$S
	run -0 "$H" hazards
	holds "shake"
}

@test "retiring needs a number that there is, and a reason" {
	saved
	run --separate-stderr -64 "$H" hazards --retire 1
	grumbles "go together"
	run --separate-stderr -64 "$H" hazards --reason x
	grumbles "go together"
	run --separate-stderr -64 "$H" hazards --retire 0 --reason x
	grumbles "--retire"
	run --separate-stderr -1 "$H" hazards --retire 7 --reason x
	grumbles "no hazard 7"
}

@test "no hazards: said on standard error" {
	run --separate-stderr -0 "$H" hazards
	grumbles "no stated hazard of orchard"
}

@test "off and on, everywhere and for a project" {
	run -0 "$H" off --project
	holds "off for orchard"
	run -0 "$H" status
	holds "Switched off: for this project"
	run -0 "$H" off --json
	json '.off, .project' $'true\nnull'
	run -0 --separate-stderr "$H" on
	[[ $stderr == *"still off here: for this project"* ]]
	run -0 --separate-stderr "$H" on --project
	[ -z "$stderr" ]
	run -0 "$H" status
	lacks "Switched off"
}

@test "config names each value and its source, and sets one" {
	run -0 "$H" config
	holds "budget"
	holds "default"
	run -0 "$H" config budget 3000
	run -0 "$H" config --json budget
	json '.settings[0].value, .settings[0].source, (.settings|length)' $'3000\nfile\n1'
	HANDOFF_BUDGET=2000 run -0 "$H" config --json budget
	json '.settings[0].source' environment
	run -0 "$H" config budget ""
	run -0 "$H" config --json budget
	json '.settings[0].source' default
	run --separate-stderr -64 "$H" config frobnicate
	grumbles "no setting 'frobnicate'"
	run --separate-stderr -64 "$H" config budget many
	grumbles
}

@test "the budget of the settings is the one that is checked" {
	"$H" config budget 500
	document "$(yes -- '- and more and more of it' | head -200)" >doc.md
	run --separate-stderr -1 "$H" save --session $S doc.md
	grumbles "the budget is 500"
}

@test "forget says what would go, and does it with --yes" {
	saved
	journal $S
	run -0 "$H" forget 7c1e42aa
	holds "would remove orchard/handoffs/20260212T180000Z_7c1e42aa.md"
	holds "Nothing was removed"
	[ -n "$(ls "$HANDOFF_VAULT"/orchard/handoffs)" ]
	run -0 "$H" forget --yes --json 7c1e42aa
	json '.done, .sessions[0]' $'true\n'$S
	[ -z "$(ls "$HANDOFF_VAULT"/orchard/handoffs)" ]
	[ ! -e "$STATE/journal/$S.json" ]
	run --separate-stderr -1 "$H" forget 7c1e42aa
	grumbles "no project and no session"
}

@test "forget of a project takes its folder" {
	saved
	run -0 "$H" forget --yes orchard
	[ ! -e "$HANDOFF_VAULT/orchard" ]
}

@test "trust accepts a shipped document by its content, and binds a name" {
	unset HANDOFF_PROJECT
	document >handoff.md
	run -0 "$H" trust
	holds "Trusted file: "
	[ -e "$STATE/trusted/$(sha256sum handoff.md | cut -d' ' -f1)" ]
	cd "$BATS_TEST_TMPDIR"
	git clone -q "$ORCHARD" grove
	cd grove
	run --separate-stderr -1 "$H" trust
	grumbles "handoff.md"
	run --separate-stderr -64 "$H" trust --name ../x
	grumbles "invalid project"
	git remote set-url origin https://example.com/dev/grove.git
	"$H" log goal "Prune the trees" --project grove # notes in the way change nothing of that
	run --separate-stderr -64 "$H" trust --name ../x
	grumbles "invalid project"
	rm -r "$HANDOFF_VAULT/grove"
	run -0 "$H" trust --name wood
	run -0 "$H" status --json
	json .project wood
}

@test "a setting that is refused says what it must be" {
	run --separate-stderr -64 "$H" config budget abc
	grumbles 'budget: "abc" is no good (500 to 1000000)'
	run --separate-stderr -64 "$H" config off perhaps
	grumbles '(true or false)'
}

@test "the switch for all projects works where the vault is broken" {
	echo x >"$BATS_TEST_TMPDIR/file"
	export HANDOFF_VAULT=$BATS_TEST_TMPDIR/file
	run -0 "$H" off
	holds "The hooks are off for all projects."
	[ -e "$STATE/off" ]
	run -0 "$H" on
	[ ! -e "$STATE/off" ]
}

@test "trust: what is no document cannot be accepted" {
	echo 'About the trees' >notes.md
	run --separate-stderr -64 "$H" trust notes.md
	grumbles "notes.md: no handoff document"
	[ ! -e "$STATE/trusted" ]
}

@test "trust --name: nothing that is stored gets out of reach" {
	unset HANDOFF_PROJECT
	"$H" log decision 'count by hand'
	run --separate-stderr -64 "$H" trust --name wood
	grumbles "orchard holds notes of this project, which 'wood' would not have"
	run -0 "$H" brief
	holds 'count by hand'
	mv "$HANDOFF_VAULT/orchard" "$HANDOFF_VAULT/wood"
	run --separate-stderr -0 "$H" trust --name wood
	[ -z "$stderr" ]
	run -0 "$H" brief
	holds 'count by hand'
	mkdir ../grove
	cd ../grove
	git init -q .
	run --separate-stderr -0 "$H" trust --name wood
	[[ $stderr == *"'wood' is also the name of path:$ORCHARD/.git: the two share"* ]]
}

@test "a session that nobody knows is said, not passed over" {
	saved
	for c in status hazards 'hazards --retire 1 --reason done'; do
		run --separate-stderr -1 "$H" $c --session nosuch
		grumbles "no session 'nosuch' is known in orchard"
	done
	run -0 "$H" hazards --session $S
	holds "never shake the trees"
}

@test "forget takes what killed writers left, which may hold whole notes" {
	local temp=.handoff-0123456789abcdef
	export HANDOFF_PROJECT=grove
	run -0 "$H" log goal 'Count every apple.'
	mkdir -p "$HANDOFF_VAULT/.index.db.handoff.tmp" "$XDG_STATE_HOME/handoff/journal"
	echo 'Count every apple.' >"$HANDOFF_VAULT/.index.db.handoff.tmp/$temp"
	echo 'Count every apple.' >"$HANDOFF_VAULT/grove/sessions/$temp"
	echo 'Count every apple.' >"$XDG_STATE_HOME/handoff/journal/$temp"
	touch -d '-10 seconds' "$XDG_STATE_HOME/handoff/journal/$temp"
	run -0 "$H" forget grove --yes
	run ! grep -r 'every apple' "$HOME"
	[ ! -e "$HANDOFF_VAULT/grove" ]
}
