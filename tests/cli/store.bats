#!/usr/bin/env bats
# handoff log, note, checkpoint, undo, projects, entities; forget of what they wrote
load handoff-lib

_setup=$(declare -f setup)
eval "base_${_setup}"
setup()
{
	base_setup
	handoff_setup
}

logged() # TYPE TEXT... [OPTION...]: the id of the new event
{
	"$H" log --json "$@" | jq -r .id
}

notes()
{
	cat "$HANDOFF_VAULT"/orchard/sessions/*.md
}

@test "log: one line, on disk" {
	run -0 --separate-stderr "$H" log decision Count by hand, 'machines bruise them'
	[ -z "$stderr" ]
	[[ $output =~ ^Logged\ decision\ in\ orchard:\ ev_[0-9a-f]{8}$ ]]
	printf 'two\nlines\n' | run -0 "$H" log --importance 5 goal -
	notes | grep -q '^- \*\*\[goal\]\*\* (imp:5 · 2026-02-12T18:00:00+00:00) two lines <!-- id=ev_'
	run -0 "$H" brief
	holds '- Count by hand, machines bruise them'
}

# setsid makes the terminal's first process: here it is seen, whoever runs the tests
@test "log: the commands of one terminal share a note" {
	setsid --wait sh -c '"$1" log decision one; "$1" log decision two; :' - "$H"
	[ "$(ls "$HANDOFF_VAULT/orchard/sessions" | wc -l)" = 1 ]
	setsid --wait sh -c '"$1" log decision three; :' - "$H"
	[ "$(ls "$HANDOFF_VAULT/orchard/sessions" | wc -l)" = 2 ]
	[ "$(notes | grep -c '^- \*\*')" = 3 ]
}

@test "log: without the terminal's first process, a note for each command" {
	mkfifo go done
	setsid --wait sh -c '(read -r _ <go; "$1" log decision one; "$1" log decision two; echo >done) &' - "$H"
	echo >go
	read -r _ <done
	[ "$(ls "$HANDOFF_VAULT/orchard/sessions" | wc -l)" = 2 ]
	[ "$(notes | grep -c '^- \*\*')" = 2 ]
}

@test "log: what is wrong is one line, and nothing is written" {
	run --separate-stderr -64 "$H" log plan x
	grumbles "'plan' is no type of event: goal, decision, deadend, file, question or next_step"
	run --separate-stderr -64 "$H" log decision ' '
	grumbles 'the content is empty: nothing was logged'
	run --separate-stderr -64 "$H" log decision
	grumbles 'missing argument'
	run --separate-stderr -64 "$H" log --importance 6 decision x
	grumbles '1 to 5'
	run --separate-stderr -64 "$H" log --project ../x decision x
	grumbles "invalid project"
	run --separate-stderr -64 "$H" log --supersedes 'a b' decision x
	grumbles "'a b' is no event id"
	[ ! -e "$HANDOFF_VAULT" ]
}

@test "log: retired by id, by its beginning, by words; undo brings back" {
	a=$(logged decision 'Keep readings in CSV')
	run -0 "$H" log decision 'Keep readings in SQLite' --supersedes "${a%?}"
	holds "Retired $a: Keep readings in CSV"
	b=$(notes | sed -n 's/.*SQLite <!-- id=\(ev_[0-9a-f]*\).*/\1/p')
	run -0 "$H" log --json decision 'Keep none' --supersedes-query 'readings sqlite'
	json '.matched, .retired[0].id, .retired[0].how' $'true\n'$b$'\nmatch'
	c=$(printf '%s' "$output" | jq -r .id)
	run -0 "$H" log decision 'Again' --supersedes-query 'the of what'
	holds "No active decision fits 'the of what'; nothing was retired by it."
	run -0 "$H" log decision 'More' --supersedes ev_nobody
	holds 'No event ev_nobody is known; noted all the same.'
	run -0 "$H" undo "${c%?}"
	holds 'Brought back 1 event.'
	run -0 "$H" undo --json "$b" "$a"
	json .restored 1
	run -0 "$H" brief
	holds 'Keep readings in CSV'
	holds 'Keep readings in SQLite'
	run --separate-stderr -1 "$H" undo "$b"
	grumbles "$b has retired nothing"
	run --separate-stderr -1 "$H" undo ev_zzz
	grumbles ev_zzz
}

@test "log: A, then B, then A again" {
	a=$(logged decision 'use A')
	b=$(logged decision 'use B' --supersedes "$a")
	logged decision 'use A' --supersedes "$b"
	run -0 "$H" brief
	holds '- use A'
	lacks 'use B'
}

@test "log: a next step retires those of sessions that are over, not of those that run" {
	journal $S "{\"host\":\"elsewhere\",\"started_at\":1770000000000}"
	"$H" log --session $S next_step 'of a session that is over'
	"$H" log next_step 'of this terminal'
	run -0 "$H" brief
	holds 'of this terminal'
	lacks 'is over'
}

@test "log: hooks and commands of a session share its note" {
	journal $S
	"$H" log --session $S decision one
	"$H" log --session $S decision two
	[ "$(ls "$HANDOFF_VAULT/orchard/sessions")" = s_20260202T024000_7c1e42.md ]
	run -0 "$H" checkpoint --session $S 'all counted'
	holds 'Session s_20260202T024000_7c1e42 of orchard is marked done.'
	notes | grep -q '^status: done$'
	notes | grep -q '^summary: all counted$'
	[ "$(notes | grep -c '^- \*\*')" = 2 ]
}

@test "checkpoint: without an event there is nothing to close" {
	run -0 "$H" checkpoint done
	holds 'there is nothing to close'
	run -0 "$H" checkpoint --json done
	json .closed false
	[ ! -e "$HANDOFF_VAULT" ]
}

@test "note and entities: facts under a name, stubs from links" {
	"$H" note Storage 'one file a site'
	printf 'backups\nnightly\n' | "$H" note Storage -
	"$H" log decision 'see [[Backup/Plan]]'
	run -0 "$H" entities
	holds 'Storage (2): one file a site'
	holds 'Backup/Plan (0)'
	run -0 "$H" entities --json
	json '.entities[] | select(.name == "Storage") | .facts' 2
	run -0 "$H" entities Storage
	holds $'- backups\n  nightly'
	run --separate-stderr -1 "$H" entities Nothing
	grumbles "nothing is noted of 'Nothing' in orchard"
	run --separate-stderr -64 "$H" note ' ' x
	grumbles 'the name is empty'
}

@test "status names the notes that hold lines that were passed over; brief and search go on with the rest" {
	local note
	"$H" log decision 'Count by hand.'
	note=$(echo "$HANDOFF_VAULT"/orchard/sessions/*.md)
	run -0 "$H" status
	lacks Notes:
	run -0 "$H" status --json
	json '.skipped | tojson' '{"files":0,"lines":0,"first":[],"note":null}'
	{
		printf -- '- **[wish]** (imp:3 · 2026-01-01T00:00:00+00:00) No such type. <!-- id=ev_00000001 -->\n'
		printf -- '- **[decision]** (imp:3 · 2026-01-01T00:00:00+00:00) '
		head -c 300000 /dev/zero | tr '\0' w
		printf ' <!-- id=ev_00000002 -->\n- **[goal]** (imp:3 · 2026-01-01T00:00:00+00:00) Count every apple. <!-- id=ev_00000003 -->\n'
	} >>"$note"
	run -0 "$H" status
	holds $'\nNotes: 1 is not in memory as a whole\n  orchard/sessions/'"${note##*/}: 2 lines passed over (lines that begin as an event and are none; a line over 256 KB)"
	run -0 "$H" status --json
	json '.skipped | [.files, .lines, .first[0].file, (.first[0].why | join(" "))] | tojson' "[1,2,\"orchard/sessions/${note##*/}\",\"line long\"]"
	run -0 "$H" brief
	holds 'Count every apple.'
	holds 'Count by hand.'
	run -0 "$H" search apple
	holds ev_00000003
}

@test "secrets stay out of all of it" {
	"$H" log decision 'token ghp_0123456789abcdefghijABCDEFGHIJ012345'
	"$H" note Key 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
	"$H" checkpoint 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
	[ -z "$(grep -ra ghp_0123 "$HANDOFF_VAULT" "$XDG_STATE_HOME" "$XDG_CACHE_HOME")" ]
}

@test "projects: two repositories of one name are kept apart" {
	unset HANDOFF_PROJECT
	for r in one two; do
		mkdir -p $r/api
		git init -q -b main $r/api
		git -C $r/api remote add origin https://example.com/$r/api.git
		(cd $r/api && "$H" log decision "of $r")
	done
	(cd one/api && "$H" brief) | grep -q 'of one'
	(cd two/api && "$H" brief) | grep -q 'of two'
	cd two/api
	run -0 "$H" brief
	lacks 'of one'
	run -0 "$H" projects --json
	json '[.projects[].events] | tostring' '[1,1]'
	json '.projects | length' 2
	run -0 "$H" projects
	holds 'api '
}

@test "forget: the notes of a session go, and nothing of them is found" {
	journal $S
	"$H" log --session $S decision 'a secret plan'
	"$H" log decision 'the open plan'
	note=s_20260202T024000_7c1e42
	run -0 "$H" forget $S
	holds "would remove orchard/sessions/$note.md"
	lacks "would remove orchard/sessions/s_20260212"
	run -0 "$H" forget --yes $S
	run -0 "$H" search --retired plan
	holds 'the open plan'
	lacks 'secret'
	[ -z "$(grep -ra 'secret plan' "$HANDOFF_VAULT" "$XDG_STATE_HOME" "$XDG_CACHE_HOME")" ]
	# without a journal: by the name of its note
	other=$(basename "$HANDOFF_VAULT"/orchard/sessions/*.md .md)
	run -0 "$H" forget --yes "$other"
	holds "removed orchard/sessions/$other.md"
	run -0 "$H" search plan
	lacks 'open plan'
}
