#!/usr/bin/env bats
# What the tests of handoff-mcp assert, asserted of these programs from outside; docs/compatibility.md has what differs.
#
#   its tests                  here                                                   else in
#   benchmark                                                                         unit/test_brief_value
#   brief                      "a small budget ..."                                   unit/test_brief, mcp-memory
#   concurrency                                                                       unit/test_crowd, mcp-memory "two servers write at once"
#   config_project                                                                    mcp-memory "the project: ...", unit/test_project
#   entities                   "entities are each project's own ..."                  mcp-memory, unit/test_store "links_make_stubs"
#   index_sync                 "times of any zone ...", "a link with a comma ..."     unit/test_reindex
#   mcp_integration            "the other program ..."                                mcp, mcp-memory
#   models, vault              "control characters ...", "content that looks ..."     unit/test_event, unit/test_vault
#   next_step_retire           "a next step retires all of ..."                       mcp-memory, store, unit/test_store
#   path_safety                                                                       mcp-memory "a hostile or empty argument", "names that are none"
#   plugin_manifest                                                                   plugin
#   rerank                                                                            unit/test_search "recency"
#   search_crossproject        "a retraction reaches into another project"            mcp-memory "search shows project"
#   session_lifecycle          "start-up and a checkpoint alone write no note"        mcp-memory, unit/test_store
#   supersede_by_match         "ids and a query retire together ..."                  mcp-memory, unit/test_supersede
#   supersession               "a chain leaves its last ..."                          unit/test_index, unit/test_store
#   weak spots of notes        "no line and no note of any kind ..."                  unit/test_reindex "odd_notes_hide_nothing"
#   cli_init, cli_sync, consolidation, embedding_backends, importers, search_fusion, semantic, sync: not there
#
# The last tests run the real handoff-mcp on the same vault: HANDOFF_PEER names it, else the one that `make bench` has
# fetched; without one they are skipped.
PEER=${HANDOFF_PEER:-$BATS_TEST_DIRNAME/../../build/bench-py/bin/handoff-mcp}
load mcp-lib

_setup=$(declare -f setup)
eval "base_${_setup}"
setup() {
	base_setup
	unset HANDOFF_NOW
	export HANDOFF_PROJECT=proj-a
}

# again [PROGRAM]: another process, which is another session
again() {
	leave
	M=${1:-$M} serve
}

# a note made by hand: stdin to a session of proj-a
by_hand() {
	mkdir -p "$HANDOFF_VAULT/${2:-proj-a}/sessions"
	cat >"$HANDOFF_VAULT/${2:-proj-a}/sessions/$1.md"
}

line() { # TYPE IMPORTANCE TIME ID CONTENT
	printf -- '- **[%s]** (imp:%s · %s) %s <!-- id=%s -->\n' "$1" "$2" "$3" "$5" "$4"
}

@test "a small budget: the goal stays, the file goes, equal ones are counted out, and the number is told" {
	local n
	serve
	log file "$(printf 'f%.0s' {1..80})" project small
	log decision "$(printf 'd%.0s' {1..80})" project small
	log goal "$(printf 'g%.0s' {1..80})" project small
	works get_brief '{"project":"small","token_budget":60}'
	says ggg
	silent fff
	says 'omitted to fit the 60-token budget.)_'
	works get_brief '{"project":"small","token_budget":0}'
	says '_(3 lower-priority item(s) omitted to fit the 0-token budget.)_'
	silent '## '
	for n in 1 2 3; do
		log decision "Decision $n: $(printf 'x%.0s' {1..70})"
	done
	works get_brief '{"token_budget":60}'
	[ "$(grep -c '^- ' <<<"$text")" = 1 ]
	says '_(2 lower-priority item(s) omitted to fit the 60-token budget.)_'
	leave
}

@test "entities are each project's own, and readable under the name that they were noted by" {
	local name
	serve
	for name in .. . a/b/c CON 'Auth ' 'Component: API/Gateway'; do
		works note_entity "$(args name "$name" content "first of $name")"
		[ "$text" = "$name" ]
		works note_entity "$(args name "$name" content "second of $name")"
		ask resources/read "$(args uri "handoff://entity/proj-a/$(jq -rn --arg n "$name" '$n | @uri')")"
		of '.result.contents[0].text | contains("first of") and contains("second of")' true
	done
	ls "$HANDOFF_VAULT"/proj-a/entities >files
	diff files - <<-'END'
		Auth.md
		Component_ API_Gateway.md
		_.md
		_CON.md
		a_b_c.md
	END
	works note_entity "$(args name Auth content 'of the other project' project proj-b)"
	run ! grep -q 'other project' "$HANDOFF_VAULT/proj-a/entities/Auth.md"
	[ "$(cat "$HANDOFF_VAULT/proj-b/entities/Auth.md")" = $'# Auth\n\n- of the other project' ]
	leave
}

@test "times of any zone stand in their real order" {
	{
		line decision 3 2026-01-03T10:00:00+00:00 ev_00000001 second
		line decision 3 2026-01-03T10:30:00+02:00 ev_00000002 first
		line decision 3 2026-01-03T06:00:00-05:00 ev_00000003 third
		line decision 3 2026-01-03T11:30:00 ev_00000004 fourth # naive: UTC
	} | by_hand s_1
	serve
	works get_brief
	[ "$(grep '^- ' <<<"$text" | tr -d '\n')" = '- fourth- third- second- first' ] || { echo "$text"; return 1; }
	leave
}

@test "a link with a comma, blanks around it or nothing in it is what it is" {
	serve
	works note_entity "$(args name 'A, B' content 'Both.')"
	log decision 'See [[A, B]] and [[ C ]], not [[]] or [[ ]].'
	works get_brief
	says $'## Related knowledge\n- [[A, B]] — Both.\n- [[C]]'
	leave
	[ "$(ls "$HANDOFF_VAULT/proj-a/entities")" = $'A, B.md\nC.md' ]
	[ "$(cat "$HANDOFF_VAULT/proj-a/entities/C.md")" = '# C' ]
}

@test "control characters are deleted, a tab stays, line ends of all kinds are one blank" {
	serve
	log decision $'a\x07b\x1fc\td\r\ne\n\n  f\u2028g\u2029h\u0085i'
	leave
	grep -q $') abc\td e f g h i <!-- id='"$id" "$HANDOFF_VAULT"/proj-a/sessions/*.md
}

@test "content that looks like metadata changes nothing, also after a reload" {
	serve
	log goal 'Keep it.'
	log decision "x <!-- id=ev_11111111 supersedes=$id --> y"
	log decision "ends so <!-- id=ev_22222222 -->"
	again
	works get_brief
	says 'Keep it.'
	says "- x <!-- id=ev_11111111 supersedes="
	says '- ends so <!-- id=ev_22222222 -->'
	works search_memory '{"query":"ends"}'
	silent '(id: ev_22222222)'
	leave
}

@test "a next step retires all of a session that is over, none of its own, once each, and nothing else" {
	serve
	log goal 'A goal.'
	log next_step 'One.'
	one=$id
	log next_step 'Two.'
	two=$id
	log next_step 'Elsewhere.' project proj-b
	works get_brief
	says $'## Next step\n- Two.\n- One.'
	works checkpoint
	again
	log decision 'A decision retires no step.'
	works get_brief
	says '- One.'
	works log_event "{\"type\":\"next_step\",\"content\":\"Three.\",\"supersedes\":[\"$one\"]}"
	grep -q "Three. <!-- id=ev_[0-9a-f]* supersedes=$one,$two -->" "$HANDOFF_VAULT"/proj-a/sessions/*.md
	again
	works log_event '{"type":"next_step","content":"Four."}'
	# those that are retired already are not named again
	grep -qE 'Four. <!-- id=ev_[0-9a-f]{8} supersedes=ev_[0-9a-f]{8} -->' "$HANDOFF_VAULT"/proj-a/sessions/*.md
	works get_brief
	says $'## Next step\n- Four.'
	silent 'Three.'
	says 'A goal.'
	works get_brief '{"project":"proj-b"}'
	says Elsewhere.
	leave
}

@test "a retraction reaches into another project" {
	serve
	log decision 'Sign with the old key.' project proj-b
	works log_event "{\"type\":\"decision\",\"content\":\"Sign with the new key.\",\"supersedes\":[\"$id\"]}"
	works get_brief '{"project":"proj-b"}'
	silent 'old key'
	works search_memory '{"query":"sign key"}'
	silent 'old key'
	says 'new key'
	leave
}

@test "start-up and a checkpoint alone write no note" {
	serve
	works get_brief
	works checkpoint '{"summary":"Nothing done."}'
	[ ! -e "$HANDOFF_VAULT/proj-a/sessions" ]
	log goal 'Begin.'
	works checkpoint '{"summary":"Begun:\nstatus: active\n---\nproject: proj-b"}'
	log file 'Written after the checkpoint.'
	leave
	note=$(echo "$HANDOFF_VAULT"/proj-a/sessions/*.md)
	[ "$(sed -n 2,6p "$note" | sed 's/: .*//' | tr '\n' ' ')" = 'id project started_at status summary ' ]
	grep -qx 'status: done' "$note"
	grep -qx 'summary: Begun: status: active --- project: proj-b' "$note"
	[ "$(stat -c %a "$note")" = 600 ]
}

@test "ids and a query retire together, the ids first" {
	serve
	log decision 'Store the counts in a flat file.'
	one=$id
	log decision 'Ship on Mondays.'
	two=$id
	works log_event "{\"type\":\"decision\",\"content\":\"Ship on Fridays.\",\"supersedes\":[\"$one\"],\"supersedes_query\":\"ship mondays\"}"
	says "Superseded by best match: $two «Ship on Mondays.»"
	grep -q "supersedes=$one,$two -->" "$HANDOFF_VAULT"/proj-a/sessions/*.md
	# what the query finds was named already: no match
	works log_event "{\"type\":\"decision\",\"content\":\"Ship daily.\",\"supersedes\":[\"${text%%$'\n'*}\"],\"supersedes_query\":\"ship fridays\"}"
	says "(no active decision matched 'ship fridays' to supersede)"
	leave
}

@test "a chain leaves its last, itself retires nothing, two that name each other both go" {
	{
		line decision 3 2026-01-03T10:00:00+00:00 ev_0000000a A
		line decision 3 2026-01-03T10:01:00+00:00 'ev_0000000b supersedes=ev_0000000a' B
		line decision 3 2026-01-03T10:02:00+00:00 'ev_0000000c supersedes=ev_0000000b' C
		line decision 3 2026-01-03T10:03:00+00:00 'ev_0000000d supersedes=ev_0000000d' D
		line decision 3 2026-01-03T10:04:00+00:00 'ev_0000000e supersedes=ev_0000000f' E
		line decision 3 2026-01-03T10:05:00+00:00 'ev_0000000f supersedes=ev_0000000e' F
	} | by_hand s_1
	serve
	works get_brief
	[ "$(grep '^- ' <<<"$text")" = $'- D\n- C' ] || { echo "$text"; return 1; }
	leave
}

@test "no line and no note of any kind stands in the way of the others, and nothing of them is changed" {
	local at=2026-01-03T10:00:00+00:00 before
	{
		printf -- '---\nid: s_1\nproject: proj-a\nstarted_at: %s\nstatus: active\nsummary: \ntags: [a, b]\n---\n\n' yesterday
		line goal 3 $at ev_00000001 'Good one.'
		line goal 3 $at ev_00000002 ''
		line goal 3 $at ev_00000003 '   '
		line goal 9 $at ev_00000004 'Importance nine.'
		line goal 0 $at ev_00000005 'Importance none.'
		line goal x $at ev_00000006 'Importance x.'
		line goal 3 'last week' ev_00000007 'No time.'
		line wish 3 $at ev_00000008 'No type.'
		line goal 3 $at '' 'No id.'
		line goal 3 $at ev_00000009 $'Not \xff UTF-8.'
		line goal 3 $at ev_0000000a $'Line \xe2\x80\xa8 separator.'
		printf '  ' && line goal 3 $at ev_0000000b 'Indented.'
		line goal 3 $at ev_0000000c 'Glued' | tr -d '\n'
		line goal 3 $at ev_0000000d 'to this.'
		printf 'prose, then a torn line\n- **[goal]** (imp:3 · 2026-01'
	} | by_hand s_1
	printf 'status: done\n---\n' | by_hand s_2
	head -c 5000 /dev/urandom | by_hand s_3
	by_hand s_4 </dev/null
	line goal 3 $at ev_0000000e 'In CRLF.' | sed 's/$/\r/' | by_hand s_5
	printf '\xef\xbb\xbf---\nid: s_6\nproject: other\n---\n%s' "$(line goal 3 $at ev_0000000f 'Of this folder.')" | by_hand s_6
	mkdir -p "$HANDOFF_VAULT/proj-a/sessions/s_7.md" "$HANDOFF_VAULT/proj-b/sessions"
	before=$(cat "$HANDOFF_VAULT"/proj-a/sessions/s_[1-6].md | sha256sum)
	serve
	log decision 'Another project lives.' project proj-b
	works get_brief '{"token_budget":5000}'
	for want in 'Good one.' 'Importance nine.' 'Importance none.' 'No time.' $'Not \ufffd UTF-8.' 'Line separator.' Glued 'to this.' 'In CRLF.' 'Of this folder.'; do
		says "- $want"
	done
	for not in 'Importance x.' 'No type.' 'No id.' Indented 'prose'; do
		silent "$not"
	done
	works search_memory '{"query":"another lives"}'
	says '[proj-b]'
	[ "$(cat "$HANDOFF_VAULT"/proj-a/sessions/s_[1-6].md | sha256sum)" = "$before" ]
	log goal 'Logged beside them.'
	leave
	run -0 "${M%-mcp}" status
	holds 'Notes: 2 are not in memory as a whole'
}

# --- beside the real one ---

peers() {
	[ -x "$PEER" ] || skip 'no handoff-mcp of PyPI: HANDOFF_PEER names one'
	OURS=$M
}

TYPES='goal decision deadend file question next_step'

# says_all WHO: an event of each type, of many kinds of text
says_all() {
	local t
	for t in $TYPES; do
		log "$t" "$1, $t: plain" importance 4
		log "$t" "$1, $t: ünïcödé — 日本語 🎉"
		log "$t" "$1, $t: "$'one\n\ttwo\r\n  three'
		log "$t" "$1, $t: <!-- id=ev_1 --> [[Shared]] \"it's\" \\ *"
	done
}

@test "the other program's vault is read as it reads it, and ours by it: all types, texts, ids, entities, retractions" {
	peers
	local theirs
	M=$PEER serve
	says_all there
	old=$id
	works note_entity "$(args name Shared content 'A fact of theirs.')"
	works note_entity "$(args name 'a/b: c' content $'Two\nlines.')"
	works get_brief '{"token_budget":12000}'
	theirs=$text
	again "$OURS"
	works get_brief '{"token_budget":12000}'
	# its session is over by now, which it has no way to tell
	diff <(echo "$theirs") <(sed 's/ _(possibly stale)_$//' <<<"$text")
	works search_memory '{"query":"ünïcödé","limit":50}'
	[ "$(grep -c 'there, .*(id: ev_' <<<"$text")" -ge 6 ]
	# ours writes into the same vault
	says_all here
	works note_entity "$(args name Shared content 'A fact of ours.')"
	works note_entity "$(args name 'a/b: c' content 'Ours.')"
	works log_event "{\"type\":\"question\",\"content\":\"Retires one of theirs.\",\"supersedes\":[\"$old\"]}"
	mine=${text%%$'\n'*}
	works log_event "$(args type goal content 'Retires by words.' supersedes_query 'there goal plain')"
	says 'Superseded by best match: '
	works get_brief '{"token_budget":12000}'
	ours=$text
	again "$PEER"
	works get_brief '{"token_budget":12000}'
	diff <(echo "$ours") <(echo "$text")
	works search_memory '{"query":"here ünïcödé","limit":50}'
	says 'here, goal: ünïcödé — 日本語 🎉'
	works log_event "{\"type\":\"question\",\"content\":\"Retires one of ours.\",\"supersedes\":[\"$mine\"]}"
	works note_entity "$(args name Shared content 'And another.')"
	again "$OURS"
	works search_memory '{"query":"retires"}'
	says 'Retires one of ours.'
	silent 'Retires one of theirs.'
	leave
	[ "$(cat "$HANDOFF_VAULT/proj-a/entities/Shared.md")" = $'# Shared\n\n- A fact of theirs.\n- A fact of ours.\n- And another.' ]
	[ "$(ls "$HANDOFF_VAULT/proj-a/entities")" = $'Shared.md\na_b_ c.md' ]
}

@test "the same calls have the same answers, but for what docs/compatibility.md names" {
	peers
	local who program
	for who in theirs ours; do
		program=$OURS
		[ $who = ours ] || program=$PEER
		rm -rf "$HANDOFF_VAULT"
		M=$program serve
		{
			for call in 'get_brief {}' 'search_memory {"query":"x"}' 'search_memory {"query":""}' \
				'log_event {"type":"goal","content":"Ship the lantern.","importance":5}' \
				'log_event {"type":"decision","content":"Keep it in CSV.","importance":"4"}' \
				'log_event {"type":"decision","content":"Log through [[Storage]] and [[API/v2]]."}' \
				'log_event {"type":"deadend","content":"Streaming timed out; do not retry without chunking."}' \
				'log_event {"type":"question","content":"Is <!-- x --> legal?","importance":2.0}' \
				'log_event {"type":"next_step","content":"Write the reader.","unknown":1}' \
				'log_event {"type":"file","content":"Edited src/tree.c\nand src/leaf.c"}' \
				'note_entity {"name":"Storage","content":"One file a site."}' \
				'note_entity {"name":"API/v2","content":"Paths begin with v2."}' \
				'get_brief {}' 'get_brief {"token_budget":400}' 'get_brief {"project":"nowhere"}' \
				'log_event {"type":"decision","content":"Keep it in SQLite.","supersedes_query":"much raining"}' \
				"log_event {\"type\":\"decision\",\"content\":\"z\",\"supersedes_query\":\"o'clock \\\"raining\\\"\"}" \
				'log_event {"type":"goal","content":"Other.","project":"hermes"}' \
				'get_brief {"project":"hermes"}' 'get_brief {}' \
				'log_event {"type":"gaol","content":"x"}' 'log_event {"type":"goal","content":""}' \
				'log_event {"type":"goal","content":"x","importance":6}' 'log_event {"type":"goal","content":"x","project":"a/b"}' \
				'search_memory {"query":"x","limit":51}' 'search_memory {"query":"x","scope":"curent"}' 'no_such_tool {}'; do
				tool "${call%% *}" "${call#* }"
				# an error begins alike, and its rest is free
				[ "$failed" = false ] || text="failed: ${text%%[:.]*}"
				printf '%s\n%s\n' "> $call" "$text"
			done
			ask resources/read '{"uri":"session://brief"}'
			jq -r '.result.contents[0] | .uri, .mimeType, .text' <<<"$reply"
		} >"$who.raw"
		leave
		sed -E 's/ev_[0-9a-f]{8}/ev_ID/g' "$who.raw" >"$who"
		sed -E 's/ev_[0-9a-f]{8}/ev_ID/g; s/s_[0-9]{8}T[0-9]{6}_[0-9a-f]{6}/s_ID/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+/TIME/g' \
			"$HANDOFF_VAULT"/proj-a/sessions/*.md "$HANDOFF_VAULT"/*/entities/*.md >"$who.notes"
	done
	diff theirs ours
	diff theirs.notes ours.notes
}
