#!/usr/bin/env bats
# record, packet, amfs: from outside, and what they write checked with other programs.
load handoff-lib

_setup=$(declare -f setup)
eval "base_${_setup}"
setup()
{
	base_setup
	handoff_setup
	unset AGENT_ID MEMORY_DB
	REC=$HANDOFF_VAULT/_records
}

scout() { AGENT_ID=scout CLAUDE_CODE_SESSION_ID=s1 "$H" "$@"; }
executor() { AGENT_ID=executor CLAUDE_CODE_SESSION_ID=s2 "$H" "$@"; }

# sealed FILE WORD N: the object of the N-th sealed line of that kind
sealed() { sed -n "s/^<!-- $2 \(.*\) [0-9a-f]\{64\} -->\r\{0,1\}$/\1/p" "$1" | sed -n "$3p"; }
# seal FILE WORD N: and its hash
seal() { sed -n "s/^<!-- $2 .* \([0-9a-f]\{64\}\) -->\r\{0,1\}$/\1/p" "$1" | sed -n "$3p"; }
# value FILE N: the JSON of the N-th block
value() { awk -v want="$2" '/^```json/ {n++; on = n == want; next} /^```/ {on = 0} on' "$1"; }
sum() { sha256sum | cut -c1-64; }

@test "a record is written, read, corrected; the old version stays" {
	run -0 scout record write listing/482/assessment '{"verdict":"good","price":900}' --confidence 0.8 --tag Work
	[ "$output" = "listing/482/assessment v1 written, confidence 80%." ]
	run -0 scout record write listing/482/assessment maybe
	[ "$output" = "listing/482/assessment v2 written, supersedes v1, confidence 50%." ]
	run -0 "$H" record read listing/482/assessment --json
	json .record.value maybe
	json .record.version 2
	json .record.agent scout
	run -0 "$H" record read listing/482/assessment@1 --json
	json .record.value.price 900
	json .record.current false
	json '.record.tags[0]' work
	run -0 "$H" record read listing/482/assessment --history --json
	json '.versions|length' 2
	run -0 "$H" record read listing/482/assessment@1
	holds '(superseded, now at v2)'
	holds '>   "verdict": "good"'
	run -0 bash -c "echo '[1,2]' | '$H' record write a/k -"
	run -0 "$H" record read a/k --json
	json '.record.value|length' 2
	json .record.agent claude-code
	run -0 "$H" record write a/k 60 --text
	run -0 "$H" record read a/k --json
	json '.record.value|type' string
}

@test "what is wrong is one line, and what is wrong with the call is status 64" {
	run --separate-stderr -1 "$H" record read no/such
	grumbles "no record no/such"
	run --separate-stderr -64 "$H" record write alone x
	grumbles "a scope and a key are needed"
	run --separate-stderr -64 "$H" record write a/k x --confidence 2
	grumbles "--confidence needs a number from 0 to 1"
	run --separate-stderr -64 "$H" record write a/k
	grumbles "missing argument"
	run --separate-stderr -64 "$H" record fly
	grumbles "unknown verb 'fly'"
	run --separate-stderr -64 "$H" record
	grumbles "no verb"
	run --separate-stderr -64 "$H" packet show h_xyz
	grumbles "no id of a packet"
	run -0 "$H" record write a/k x --expect 0
	run --separate-stderr -1 "$H" record write a/k y --expect 0
	grumbles "expected version 0, but it is at 1"
	run --separate-stderr -64 "$H" record outcome a/k great
	grumbles "not one of success, partial"
	for v in write read search outcome stats verify; do
		run -0 "$H" record $v --help
		holds "Usage: handoff record $v"
	done
	for v in create pickup list show cancel; do
		run -0 "$H" packet $v --help
		holds "Usage: handoff packet $v"
	done
}

@test "numbers of versions and limits count from 1, and a name may hold an @" {
	run -0 "$H" record write a/k one
	run -0 "$H" record write a/k two
	run --separate-stderr -64 "$H" record search two --limit 0
	grumbles "--limit is at least 1"
	run --separate-stderr -64 "$H" record search two --limit 1001
	grumbles "--limit is at most 1000"
	run --separate-stderr -64 "$H" record read a/k --version 0
	grumbles "--version is at least 1"
	run --separate-stderr -64 "$H" record read a/k@0
	grumbles "'a/k@0': versions count from 1"
	run --separate-stderr -64 "$H" record outcome a/k@0 success
	run --separate-stderr -64 "$H" packet create x --pin a/k@0
	run --separate-stderr -1 "$H" record read a/k@3
	grumbles "a/k has no version 3; the newest is 2"
	run --separate-stderr -64 "$H" record write a/k@3 x
	grumbles "leave the '@' out"
	run -0 "$H" record read a/k@v1
	holds '> "one"'
	run -0 "$H" record write who/me@example.org x
	run -0 "$H" record read who/me@example.org
	run -0 "$H" record outcome who/me@example.org@1 success
}

@test "what begins as JSON and is none is kept as text, and it is said" {
	run --separate-stderr -0 "$H" record write a/k '{bad json'
	[ "$output" = "a/k v1 written, confidence 50%." ]
	[[ $stderr == "handoff: the value begins as JSON and is none (no JSON at byte 1): "* ]]
	run -0 "$H" record read a/k --json
	json .record.value '{bad json'
	for words in 'plain words' '{"sound":1}' 12.5; do
		run --separate-stderr -0 "$H" record write a/k "$words"
		[ -z "$stderr" ]
	done
	run --separate-stderr -0 "$H" record write a/k '[1,' --text
	[ -z "$stderr" ]
	# JSON that is too deep is not made a string of
	deep=$(printf '[%.0s' {1..70})1$(printf ']%.0s' {1..70})
	run --separate-stderr -1 "$H" record write a/k "$deep"
	grumbles "the value: JSON nested deeper than 64"
}

@test "scout and executor: pins, one stale, two outcomes, handed back" {
	scout record write listing/482/assessment good --confidence 0.8
	scout record write source/boards-example/rate-limit 60s --confidence 0.6
	scout record write listing/553/assessment apply --confidence 0.7
	run -0 scout packet create "Two listings worth an application" --next "Draft 482" --open "Is 60s enough?" \
		--hazard "never apply twice" --pin listing/482/assessment --pin listing/553/assessment --json
	id=$(jq -r .packet.id <<<"$output")
	scout record write listing/553/assessment maybe
	# ones own is not for oneself in the same session
	run --separate-stderr -1 scout packet pickup
	grumbles "no packet waits for scout"
	run -0 executor packet pickup
	holds "packet $id from scout: Two listings worth an application"
	holds "2 pinned record versions arrived with the packet"
	holds "stale: listing/553/assessment was pinned at v1, now at v2"
	holds '> "apply"'
	lacks maybe
	run --separate-stderr -1 "$H" packet pickup --agent third
	grumbles "no packet waits for third"
	run -0 "$H" packet pickup $id --agent third
	holds "already picked up by executor"
	run -0 executor record outcome listing/482/assessment success
	[ "$output" = "success on listing/482/assessment v1: confidence 80% -> 84%" ]
	run -0 executor record outcome source/boards-example/rate-limit failure --json
	json .after 0.39
	run -0 executor packet create "Sent one" --parent $id --json
	json '.packet.hazards[0]' 'never apply twice'
	run -0 "$H" packet list --all --json
	json ".packets[]|select(.id==\"$id\").status" closed
	run -0 "$H" record verify
	holds "all as they were written"
}

@test "an option that names somebody or something is not empty" {
	for o in --to --parent --agent --session; do
		run --separate-stderr -64 "$H" packet create x $o ""
		[[ $stderr == *" is empty" ]]
	done
	run --separate-stderr -64 "$H" record search --by ""
	[[ $stderr == *" is empty" ]]
	run --separate-stderr -64 "$H" record search --scope ""
	[[ $stderr == *" is empty" ]]
	run --separate-stderr -64 "$H" packet pickup --from ""
	[[ $stderr == *" is empty" ]]
	run -0 "$H" packet list --json
	json '.packets|length' 0
}

@test "of no records there is no mean confidence" {
	run -0 "$H" record stats
	holds "0 records"
	lacks "mean confidence"
}

@test "another program verifies everything with sha256sum and jq" {
	scout record write listing/482/assessment '{"b":[1,2.50,1e-7],"a":"caf\u00e9 > \u007f"}' --confidence 0.8 --tag x --note 'a > b'
	executor record outcome listing/482/assessment success --note "it > worked"
	scout record write listing/482/assessment '"two"'
	f=$REC/listing/482/assessment.md
	for n in 1 2; do
		meta=$(sealed $f version $n)
		[ "$(printf %s "$meta" | sum)" = "$(seal $f version $n)" ]
		body=$(jq -cjSn --argjson m "$meta" --argjson v "$(value $f $n)" \
			'{agent: $m.agent, created_at: $m.at, key: "assessment", scope: "listing/482", value: $v, version: $m.version}
			+ if $m.tags then {tags: $m.tags} else {} end')
		[ "$(printf %s "$body" | sum)" = "$(jq -r .content <<<"$meta")" ]
		[ "$(printf %s "$(jq -r .content <<<"$meta")${parent:-}" | sum)" = "$(jq -r .chain <<<"$meta")" ]
		[ "$(jq -r '.parents|join("")' <<<"$meta")" = "${parent:-}" ]
		parent=$(jq -r .chain <<<"$meta")
	done
	[ "$(sealed $f outcome 1 | tr -d '\n' | sum)" = "$(seal $f outcome 1)" ]
	[ "$(sealed $f outcome 1 | jq -r '.prev[0]')" = "$(seal $f version 1)" ]
	[ "$(sealed $f version 2 | jq -r '.prev[0]')" = "$(seal $f outcome 1)" ]
	[ "$(sealed $f outcome 1 | jq .after)" = 0.84 ]
	# a packet
	run -0 scout packet create "go on" --pin listing/482/assessment --json
	id=$(jq -r .packet.id <<<"$output")
	p=$HANDOFF_VAULT/_packets/$id.md
	[ "$(value $p 1 | jq -cjS . | sum)" = "$(sealed $p packet 1 | jq -r .content)" ]
	[ "$(sealed $p packet 1 | tr -d '\n' | sum)" = "$(seal $p packet 1)" ]
	# the root over all heads
	root=$({ printf 'listing/482/assessment %s %s\n' "$parent" "$(seal $f version 2)"
		printf '%s %s\n' $id "$(seal $p packet 1)"; } | LC_ALL=C sort | sum)
	run -0 "$H" record verify --json
	json .root "$root"
}

@test "each kind of damage has its own name, and verify fails" {
	verdict() {
		run --separate-stderr -1 "$H" record verify --json
		[ "$(jq -r '[to_entries[]|select((.value|type)=="array" and (.value|length)>0 and .key!="agents")|.key]|join(" ")' <<<"$output")" = "$1" ] ||
			{ jq . <<<"$output"; false; }
	}
	scout record write a/k one --confidence 0.8
	scout record outcome a/k success
	scout record write a/k two
	scout record write a/k three
	scout packet create x --pin a/k
	cp -r "$HANDOFF_VAULT" clean
	again() { rm -rf "$HANDOFF_VAULT"; cp -r clean "$HANDOFF_VAULT"; }

	sed -i 's/"one"/"on3"/' $REC/a/k.md
	verdict corrupt
	again
	sed -i 's/"kind":"success"/"kind":"failure"/' $REC/a/k.md
	verdict "corrupt outcome_replay_mismatches"
	again
	sed -i '/^## v2/,/^<!-- version/d' $REC/a/k.md
	verdict "chain_breaks gaps"
	again
	rm $REC/a/k.md
	verdict dangling_refs
	again
	sed -i 's/"summary": "x"/"summary": "y"/' "$HANDOFF_VAULT"/_packets/*.md
	verdict corrupt
	again
	sed -i '/^## v1/,$d' $REC/a/k.md
	verdict "dangling_refs head_mismatches"
	again
	head -c -30 $REC/a/k.md >k && cp k $REC/a/k.md
	run -1 "$H" record verify
	holds "torn: a/k"
	holds "dangling: "
	again
	run -0 "$H" record verify
}

@test "line ends that a sync tool converted are no corruption" {
	scout record write a/k '{"x":[1,{"y":2}]}'
	scout record outcome a/k failure
	scout packet create x --pin a/k
	sed -i 's/$/\r/' $REC/a/k.md "$HANDOFF_VAULT"/_packets/*.md
	run -0 "$H" record verify
	run -0 scout record write a/k '"next"'
	run -0 executor packet pickup
	holds "was pinned at v1, now at v2"
	run -0 "$H" record verify
}

@test "two machines that wrote side by side are contested until a version joins them" {
	scout record write a/k one
	cp $REC/a/k.md base
	scout record write a/k mine
	cp $REC/a/k.md mine
	cp base $REC/a/k.md
	HANDOFF_NOW=2026-02-12T18:05:00Z executor record write a/k theirs
	tail -c +$(($(wc -c <base) + 1)) $REC/a/k.md >tail
	cat mine tail >$REC/a/k.md
	run -0 "$H" record read a/k
	holds "CONTESTED: 2 versions are current"
	holds '> "theirs"'
	holds '> "mine"'
	run -0 "$H" record verify --json
	json '.contested|length' 1
	json .ok true
	run --separate-stderr -1 scout record outcome a/k success
	grumbles "a/k is contested"
	run -0 scout record write a/k both
	holds "v3 written, which ends the contest"
	run -0 "$H" record verify --json
	json '.contested|length' 0
}

@test "writers at once make versions 1 to N of one unbroken chain" {
	n=${RECORD_WRITES:-25}
	for w in 1 2 3 4; do
		for ((i = 0; i < n; i++)); do AGENT_ID=w$w "$H" record write a/k "$w-$i" >/dev/null || exit 1; done &
	done
	wait
	run -0 "$H" record verify --json
	json .versions $((4 * n))
	json .valid $((4 * n))
	run -0 "$H" record read a/k --json
	json .record.version $((4 * n))
}

@test "MEMORY_DB stands for a vault beside it; a database there is left alone" {
	unset HANDOFF_VAULT
	export MEMORY_DB=$PWD/shared.db
	run --separate-stderr -0 "$H" record write a/k x
	[ -f shared.vault/_records/a/k.md ]
	[ -z "$stderr" ]
	printf 'SQLite format 3\0' >shared.db
	run --separate-stderr -0 "$H" record read a/k
	[[ $stderr == "handoff: MEMORY_DB=$PWD/shared.db is an SQLite file of another program: it is left alone,"* ]]
	[ "${#stderr_lines[@]}" = 1 ]
	HANDOFF_VAULT=$PWD/v run -1 "$H" record read a/k
}

@test "secrets are taken out, and it is said" {
	run -0 "$H" record write a/k '{"token":"ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"}'
	holds "1 secret was taken out"
	run ! grep -r AbCdEfGhIj "$HANDOFF_VAULT"
}

@test "names with a meaning do not get in the way of the vault" {
	run -0 "$H" record write sessions/entities x
	[ -f $REC/%73essions/%65ntities.md ]
	[ ! -d $REC/sessions ]
	run -0 "$H" record read sessions/entities
	run -0 "$H" record write 'k/README' a
	run -0 "$H" record write 'k/readme' b
	[ "$(find $REC/k -iname 'readme*' | wc -l)" = 2 ]
	run -0 "$H" record verify
}

@test "amfs answers a request a line, by the table that was chosen" {
	w='{"op":"write","entry":{"entityPath":"p","key":"k","value":1}}'
	o='{"op":"commitOutcome","outcome":{"outcomeType":"success","causalEntryKeys":["p/k"]}}'
	run -0 "$H" amfs amfs-legacy <<<"$w
$o"
	[ "${#lines[@]}" = 2 ]
	[ "$(jq -r '.result[0].confidence' <<<"${lines[1]}")" = 0.97 ]
	run -0 "$H" amfs <<<'{"op":"read","entityPath":"p","key":"k"}'
	json .result.version 2
	run --separate-stderr -64 "$H" amfs other </dev/null
	grumbles "no table 'other'"
	# the requests stand in the help, the man page and the docs
	for op in read write list watch cancel commitOutcome listCommits getCommit; do
		run -0 "$H" amfs --help
		holds "\"op\":\"$op\""
		grep -qF "\"op\":\"$op\"" "$BATS_TEST_DIRNAME/../../docs/handoff.1"
		grep -qF "| \`$op\` |" "$BATS_TEST_DIRNAME/../../docs/formats-records.md"
	done
	run -0 "$H" record verify
}

@test "what outcomes did to a record is told by search and brief" {
	mkdir project
	cd project
	git init -q
	run -0 "$H" log decision "the copper listing is the one"
	run -0 "$H" brief
	lacks "## Records"
	run -0 scout record write listing/482/assessment '"copper roof"' --confidence 0.8
	run -0 "$H" search --all copper
	holds "(record) listing/482/assessment"
	holds ", confidence 80%"
	run -0 "$H" brief
	lacks "## Records"
	run -0 executor record outcome listing/482/assessment success
	run -0 executor record write listing/1/old '"slate"' --confidence 0.6
	run -0 executor record outcome listing/1/old failure
	run -0 "$H" search --all --json copper roof
	[ "$(jq -c '.hits[] | select(.kind == "record") | [.name, .confidence]' <<<"$output")" = '["listing/482/assessment",0.84]' ]
	run -0 "$H" brief
	holds "- listing/482/assessment: v1, confidence 84%, 1 success, 0 failures"
	holds "- listing/1/old: v1, confidence 39%, 0 successes, 1 failure"
	# within the budget, behind everything else, three at most
	[ "$(sed -n '/^## /h;${x;p}' <<<"$output")" = "## Records judged last" ]
	for n in 1 2 3; do
		run -0 executor record write many/$n '"x"'
		run -0 executor record outcome many/$n success
	done
	run -0 "$H" brief
	[ "$(grep -c "confidence" <<<"$output")" = 3 ]
	run -0 "$H" brief --budget 20
	lacks "## Records"
	# what another program changed is there too, and without the cache the same is said
	run -0 "$H" brief
	before=$output
	rm -rf "$XDG_CACHE_HOME" "$HOME/.cache"
	run -0 "$H" brief
	[ "$output" = "$before" ]
}

@test "the worked example in the docs is what it says" {
	doc=$BATS_TEST_DIRNAME/../../docs/formats-records.md
	mkdir -p "$REC/listing/482"
	sed -n '/^~~~markdown$/,/^~~~$/p' "$doc" | sed '1d;$d' >"$REC/listing/482/assessment.md"
	run -0 "$H" record verify --json
	json .versions 2
	json .valid 3
	grep -qF "only the file above is \`$(jq -r .root <<<"$output")\`" "$doc"
	# the commands of the example give the hashes that stand beside them
	sed -n '/^```sh$/,/^```$/p' "$doc" | sed '1d;$d' >example.sh
	(cd "$HANDOFF_VAULT" && bash "$OLDPWD/example.sh") >got
	[ "$(cut -c1-64 got)" = "$(grep -o '# [0-9a-f]\{64\}$' example.sh | cut -c3-)" ]
	[ "$(wc -l <got)" = 3 ]
}

@test "the demo tells its story with the figures it is known by" {
	top=$BATS_TEST_DIRNAME/../..
	run -0 "$top/scripts/demo-scout" "${H%/*}"
	run -0 "$top/scripts/demo-executor" "${H%/*}"
	holds "from scout-agent: Two listings to apply for"
	holds "4 pinned record versions arrived with the packet"
	holds "stale: listing/553/assessment was pinned at v1, now at v2"
	holds "success on listing/482/assessment v1: confidence 80% -> 84%"
	holds "failure on source/boards-example/rate-limit v1: confidence 60% -> 39%"
	holds "all as they were written"
}
