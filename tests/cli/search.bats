#!/usr/bin/env bats
# handoff search and handoff brief: from the notes of a vault to lines that can be used
load helper

event() { # TYPE IMPORTANCE TIME ID CONTENT [SUPERSEDES]
	printf -- '- **[%s]** (imp:%s · %s+00:00) %s <!-- id=%s%s -->\n' "$1" "$2" "$3" "$5" "$4" "${6:+ supersedes=$6}"
}

note() { # PROJECT SESSION: events from standard input
	mkdir -p "$HANDOFF_VAULT/$1/sessions"
	cat >"$HANDOFF_VAULT/$1/sessions/$2.md"
}

lantern() {
	{
		event goal 5 2026-01-03T09:00:00 ev_1 'Ship the lantern CLI.'
		event decision 3 2026-01-03T09:05:00 ev_2 'Keep readings in CSV.'
	} | note lantern s_20260103T090000_0a1b2c
	event decision 4 2026-01-04T10:15:30 ev_5 'Keep readings in SQLite, see [[Storage]].' ev_2 |
		note lantern s_20260104T101500_3d4e5f
	mkdir -p "$HANDOFF_VAULT/lantern/entities"
	printf '# Storage\n\n- One SQLite file per site.\n' >"$HANDOFF_VAULT/lantern/entities/Storage.md"
}

@test "search finds events and facts of the project, with ids, dates and sessions" {
	lantern
	run -0 --separate-stderr "$BIN/handoff" search --project lantern sqlite
	[ -z "$stderr" ]
	holds 'Found 2 result(s):'
	holds '- [lantern] (decision) Keep readings in SQLite, see [[Storage]]. (id: ev_5) 2026-01-04, session s_20260104T101500_3d4e5f'
	holds '- [lantern] (fact) Storage: One SQLite file per site. (id: Storage'
}

@test "search leaves out what is superseded unless asked, and filters by type" {
	lantern
	run -0 "$BIN/handoff" search --project lantern csv
	holds 'No matching memory found.'
	run -0 "$BIN/handoff" search --project lantern --retired csv
	holds '(id: ev_2) 2026-01-03, session s_20260103T090000_0a1b2c, retired'
	run -0 "$BIN/handoff" search --project lantern --type goal lantern sqlite
	holds 'ev_1'
	lacks 'ev_5'
}

@test "search in a span of time: dates, moments, zones; what is no time is refused" {
	lantern
	hits() { # WANT OPTION...
		local want=$1
		shift
		run -0 --separate-stderr "$BIN/handoff" search --project lantern --retired --json "$@" lantern csv sqlite readings
		[ "$(jq -c '[.hits[].id] | sort' <<<"$output")" = "$want" ] || { echo "$output"; return 1; }
	}
	hits '["Storage","ev_1","ev_2","ev_5"]'
	hits '["ev_5"]' --since 2026-01-04
	hits '["ev_1","ev_2"]' --until 2026-01-03
	hits '["ev_1","ev_2","ev_5"]' --since 2026-01-03 --until 2026-01-04
	hits '["ev_2"]' --since 2026-01-03T09:05:00Z --until 2026-01-03T23:00:00Z
	hits '["ev_1"]' --until 2026-01-03T10:05:00+01:00
	hits '[]' --since 2026-01-05
	for t in yesterday 2026-13-01 2026-01-03T25:00:00Z '' 7; do
		run -64 --separate-stderr "$BIN/handoff" search --since "$t" readings
		[ -n "$stderr" ]
		run -64 --separate-stderr "$BIN/handoff" search --until "$t" readings
	done
}

@test "search says what other projects have, and which names are near" {
	lantern
	run -0 "$BIN/handoff" search --project lantrn sqlite
	holds 'No matching memory found. Other projects have 2 items that match. Projects with a name like this one: lantern.'
	run -0 "$BIN/handoff" search --all sqlite
	holds 'Found 2 result(s)'
}

@test "search: nothing in a question is syntax" {
	lantern
	for q in '"' '*' 'NEAR(a b)' 'readings AND NOT sqlite' '--' '-x' '{body}: a' 'a"b' '😀' '('; do
		run -0 --separate-stderr "$BIN/handoff" search --project lantern -- "$q"
		[ -z "$stderr" ]
	done
	run -0 "$BIN/handoff" search --project lantern -- 'readings AND NOT sqlite'
	holds ev_5
}

@test "search --json is one object" {
	lantern
	run -0 --separate-stderr "$BIN/handoff" search --json --project lantern sqlite readings
	[ "$(jq -r '.hits[0] | .id, .type, .at, .content' <<<"$output" | tr '\n' '|')" = \
		'ev_5|decision|2026-01-04T10:15:30+00:00|Keep readings in SQLite, see [[Storage]].|' ]
	[ "$(jq '.more' <<<"$output")" = false ]
}

@test "search --explain gives scores, --limit fewer hits" {
	lantern
	run -0 "$BIN/handoff" search --project lantern --explain --limit 1 sqlite
	holds 'Found 1 result(s)'
	[[ $output =~ \[score\ [0-9.]+,\ importance\ [1-5]\] ]]
	holds 'items have a word of the question)'
}

@test "search sees a note that a person has edited" {
	lantern
	run -0 "$BIN/handoff" search --project lantern zebra
	holds 'No matching'
	event decision 3 2026-01-05T00:00:00 ev_9 'A zebra crossing.' >>"$HANDOFF_VAULT/lantern/sessions/s_20260104T101500_3d4e5f.md"
	run -0 "$BIN/handoff" search --project lantern zebra
	holds ev_9
}

@test "brief: the project in short, within its budget" {
	lantern
	run -0 --separate-stderr "$BIN/handoff" brief --project lantern
	[ -z "$stderr" ]
	[ "$output" = "# Hand-off brief — lantern

## Goal
- Ship the lantern CLI.

## Decisions
- Keep readings in SQLite, see [[Storage]].

## Related knowledge
- [[Storage]] — One SQLite file per site." ]
	run -0 "$BIN/handoff" brief --project lantern --budget 20
	holds 'omitted to fit the 20-token budget'
	run -0 "$BIN/handoff" brief --project lantern --explain
	holds '[ev_1, importance 5, 2026-01-03, logged, session s_20260103T090000_0a1b2c]'
	run -0 --separate-stderr "$BIN/handoff" brief --project lantern --json
	[ "$(jq -r '.project, .kept, .dropped, .budget' <<<"$output" | tr '\n' ' ')" = 'lantern 2 0 1200 ' ]
}

@test "brief and search of a vault that is not there say so calmly" {
	run -0 --separate-stderr "$BIN/handoff" brief
	holds 'No prior session state recorded'
	[ -z "$stderr" ]
	run -0 --separate-stderr "$BIN/handoff" search anything
	holds 'No matching memory found.'
	[ ! -e "$HANDOFF_VAULT" ]
}

@test "search and brief called wrongly" {
	run -64 "$BIN/handoff" search
	run -64 "$BIN/handoff" search --type nonsense x
	run -64 "$BIN/handoff" search --limit 0 x
	run -64 "$BIN/handoff" brief extra
	run -64 "$BIN/handoff" brief --budget none
}
