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

@test "brief of a project that is not there names those that are called like it" {
	lantern
	run -0 --separate-stderr "$BIN/handoff" brief --project lantrn
	[ "$output" = "# Hand-off brief — lantrn

_No prior session state recorded for this project yet._

Projects with a name like this one: lantern." ]
	run -0 --separate-stderr "$BIN/handoff" brief --project elsewhere
	lacks 'Projects with a name'
	run -0 --separate-stderr "$BIN/handoff-mcp" <<-EOF
		{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
		{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_brief","arguments":{"project":"lantrn"}}}
	EOF
	[[ $(jq -rs '.[1].result.content[0].text' <<<"$output") == *'Projects with a name like this one: lantern.' ]]
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

@test "search finds names whole, symbols, and events by their ids" {
	lantern
	{
		event decision 3 2026-01-05T09:00:00 ev_0000000a 'utf and 8 and utf and 8'
		event decision 3 2026-01-05T09:01:00 ev_0000000b 'All files are UTF-8 🚀, but for those that came from the old tool and stay as they were.'
	} | note lantern s_20260105T090000_0a1b2c
	run -0 "$BIN/handoff" search --project lantern utf-8
	[[ ${lines[1]} == *'All files are UTF-8'* ]]
	[[ ${lines[2]} == *'utf and 8'* ]]
	run -0 "$BIN/handoff" search --project lantern 🚀
	holds 'Found 1 result(s)'
	holds ev_0000000b
	run -0 "$BIN/handoff" search --project lantern ev_0000000a
	[[ ${lines[1]} == *'(id: ev_0000000a)'* ]]
	run -0 "$BIN/handoff" search --project lantern ev_2 # too short a beginning to mean one
	run -0 "$BIN/handoff" search --project elsewhere ev_0000000a
	holds 'Other projects have 1 item that matches.'
}

@test "search of more than 32 words follows the rarest, and says so" {
	lantern
	run -0 --separate-stderr "$BIN/handoff" search --project lantern --json nowhere{1..200} ship keep sqlite
	[ "$(jq -c '[.format, .words, .words_used, .hits[0].id]' <<<"$output")" = '[1,203,3,"ev_1"]' ]
	run -0 "$BIN/handoff" search --project lantern --explain nowhere{1..200} ship keep sqlite
	holds '(of 203 different words the 3 rarest were looked for)'
}

@test "search --explain gives scores, --limit fewer hits" {
	lantern
	run -0 "$BIN/handoff" search --project lantern --explain --limit 1 sqlite
	holds 'Found 1 result(s)'
	[[ $output =~ \[score\ [0-9.]+,\ importance\ [1-5]\] ]]
	holds ' a word of the question)'
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

# as_user COMMAND...: as somebody for whom permissions hold: root is asked for none
as_user() {
	if [ "$(id -u)" != 0 ]; then
		"$@"
	else
		chown -R 65534:65534 "$HOME"
		# GCOV_PREFIX: programs that count their coverage cannot write beside the sources
		GCOV_PREFIX=$HOME setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
}

# Whether that somebody can be, and reach what is ours: the tree may lie below a folder of root's.
can_be_user() {
	[ "$(id -u)" != 0 ] || {
		cp "$BIN/handoff" "$BIN/handoff-mcp" "$BATS_TEST_TMPDIR"
		BIN=$BATS_TEST_TMPDIR
		chmod 711 "$BATS_RUN_TMPDIR" # bats makes it for its user alone
		as_user "$BIN/handoff" config >/dev/null 2>&1
	} || skip "no other user to be"
}

@test "notes that may not be read: search and brief answer from what is known, with one warning" {
	can_be_user
	lantern
	# of a file that was written this moment a look alone cannot tell that it is unchanged
	touch -d 2026-01-05T00:00:00Z "$HANDOFF_VAULT"/lantern/*/*.md
	as_user "$BIN/handoff" brief --project lantern >"$BATS_TEST_TMPDIR/before"
	chmod 000 "$HANDOFF_VAULT/lantern/sessions/s_20260104T101500_3d4e5f.md" # it is known already, and has not changed
	event decision 4 2026-01-05T10:00:00 ev_9 'Nobody may see sqlite here.' | note lantern s_20260105T101500_000000
	chmod 000 "$HANDOFF_VAULT/lantern/sessions/s_20260105T101500_000000.md"
	run -0 --separate-stderr as_user "$BIN/handoff" brief --project lantern
	[ -z "$stderr" ]
	[ "$output" = "$(cat "$BATS_TEST_TMPDIR/before")
(A note cannot be read: lantern/sessions/s_20260105T101500_000000.md. What it says may be missing or old.)" ]
	run -0 --separate-stderr as_user "$BIN/handoff" search --project lantern sqlite
	holds ev_5
	lacks ev_9
	holds '(A note cannot be read: '
	run -0 --separate-stderr as_user "$BIN/handoff" search --project lantern --json sqlite
	jq -e 'any(.hits[]; .id == "ev_5")' <<<"$output"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == 'handoff: (A note cannot be read: '* ]]
	run -0 --separate-stderr as_user "$BIN/handoff-mcp" <<-EOF
		{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
		{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_brief","arguments":{"project":"lantern"}}}
		{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_memory","arguments":{"query":"sqlite"}}}
		{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"get_brief","arguments":{"project":"lantern"}}}
	EOF
	[ "$(jq -s '[.[1:][].result.content[0].text | select(contains("(A note cannot be read: "))] | length' <<<"$output")" = 3 ]
	[ "$(jq -s '[.[1:][].result.content[0].text | select(contains("Keep readings in SQLite"))] | length' <<<"$output")" = 3 ]
	chmod 600 "$HANDOFF_VAULT"/lantern/sessions/*.md
	run -0 --separate-stderr as_user "$BIN/handoff" search --project lantern sqlite
	holds ev_9
	lacks 'cannot be read'
}

@test "folders that may not be entered, the vault itself among them: nothing known is forgotten" {
	can_be_user
	lantern
	local f
	local -A said=([lantern/sessions]=lantern/sessions [lantern]=lantern/sessions [.]=lantern)
	as_user "$BIN/handoff" brief --project lantern >"$BATS_TEST_TMPDIR/before"
	for f in lantern/sessions lantern .; do
		chmod 000 "$HANDOFF_VAULT/$f"
		run -0 --separate-stderr as_user "$BIN/handoff" brief --project lantern
		[ -z "$stderr" ]
		[ "$output" = "$(cat "$BATS_TEST_TMPDIR/before")
(The folder ${said[$f]} of the vault cannot be read: what is in it may be missing or old.)" ]
		run -0 --separate-stderr as_user "$BIN/handoff" search --project lantern sqlite
		holds ev_5
		holds "(The folder ${said[$f]} of the vault cannot be read"
		chmod 700 "$HANDOFF_VAULT/$f"
	done
	run -0 as_user "$BIN/handoff" brief --project lantern
	[ "$output" = "$(cat "$BATS_TEST_TMPDIR/before")" ]
}
