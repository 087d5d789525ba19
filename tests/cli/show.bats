#!/usr/bin/env bats
# phase 4 and its ledger
load helper

@test "a call is shown with its result, and what is left of the ledger" {
	place cli-killed $KILLED
	run --separate-stderr -0 "$R" show $KILLED 10
	holds "make weigh"
	holds "weighing pears"
	holds "round 1 of 10"
	[ -z "$stderr" ]
}

@test "the ledger is kept from run to run: ten rounds, then refused" {
	place cli-killed $KILLED
	for round in 1 2 3 4 5 6 7 8 9 10; do # (i is run's own)
		run -0 "$R" show 38fb3e7a $round
		holds "round $round of 10"
	done
	run --separate-stderr -1 "$R" show $KILLED 1
	complains "10"
	run -0 "$R" show --ledger second $KILLED 1
	holds "round 1 of 10"
}

@test "several records in one call are one round" {
	place cli-killed $KILLED
	run -0 "$R" show $KILLED 3 5-7
	holds "Count the pears in basket.c"
	holds "round 1 of 10"
}

@test "text is cut to the tokens that are left" {
	place cli-killed $KILLED
	printf '{"type":"user","uuid":"00000000-0000-4000-8000-000000000001","parentUuid":null,"isSidechain":false,"message":{"role":"user","content":"%s"},"timestamp":"2026-02-11T10:00:00.000Z"}\n' \
		"$(head -c 150000 /dev/zero | tr '\0' y)" >>"$PLACED"
	run -0 "$R" show $KILLED 13
	[ ${#output} -gt 100000 ]
	run -0 "$R" show $KILLED 13
	[ ${#output} -lt 80000 ]
	run -0 "$R" show $KILLED 13
	[ ${#output} -lt 5000 ]
	for again in 4 5 6 7; do # what is left gets too little to say anything
		run --separate-stderr "$R" show $KILLED 13
		[ "$status" = 0 ] || break
	done
	[ "$status" = 1 ]
	complains "the reading budget has"
}

@test "wide text is cut to the tokens that are left, too" {
	place cli-killed $KILLED
	printf '{"type":"user","uuid":"00000000-0000-4000-8000-000000000001","parentUuid":null,"isSidechain":false,"message":{"role":"user","content":"%s"},"timestamp":"2026-02-11T10:00:00.000Z"}\n' \
		"$(head -c 120000 /dev/zero | LC_ALL=C sed 's/\x0/梨/g')" >>"$PLACED"
	run -0 "$R" show $KILLED 13
	[ ${#output} -lt 51000 ]
	[ ${#output} -gt 20000 ]
	run -0 "$R" show --json --ledger other $KILLED 13
	json '.ledger.tokens <= 50000' true
}

@test "a record that is not there costs nothing" {
	place cli-killed $KILLED
	run --separate-stderr -1 "$R" show $KILLED 999
	complains 999
	run -0 "$R" show $KILLED 1
	holds "round 1 of 10"
}

@test "numbers that are no records are usage errors" {
	place cli-killed $KILLED
	for n in 0 x 3- -3 9-3 1.5 ''; do
		run --separate-stderr -64 "$R" show $KILLED -- "$n"
		complains
	done
}

@test "JSON" {
	place cli-killed $KILLED
	run -0 "$R" show --json $KILLED 10 3
	json '.records | length' 2
	json '.ledger.rounds' 1
}

@test "standard input takes the session id in the records as its ledger" {
	place cli-killed $KILLED
	run -0 "$R" show - 10 <"$PLACED"
	holds "round 1 of 10"
	run -0 "$R" show $KILLED 10
	holds "round 2 of 10"
}

@test "a hostile ledger name stays in its folder" {
	place cli-killed $KILLED
	run --separate-stderr -64 "$R" show --ledger ../../evil $KILLED 1
	complains "../../evil: not a ledger id"
	[ -z "$(find "$BATS_TEST_TMPDIR" -name 'evil*')" ]
}

@test "no place for the ledger is a failure: the budget cannot be kept" {
	place cli-killed $KILLED
	: >"$XDG_STATE_HOME"
	run --separate-stderr -1 "$R" show $KILLED 1
	complains
}

@test "the ledger is that of the session in the records, whatever its file is called" {
	place cli-killed $KILLED
	mkdir a b
	cp "$PLACED" a/full.jsonl
	sed "s/$KILLED/$CLEAN/g" "$PLACED" >b/full.jsonl
	run -0 "$R" show a/full.jsonl 1
	holds "round 1 of 10"
	run -0 "$R" show b/full.jsonl 1
	holds "round 1 of 10"
	run -0 "$R" show $KILLED 1
	holds "round 2 of 10"
}

@test "where no record names a session, the ledger is called like the file" {
	echo '{"type":"user","message":{"role":"user","content":"Count the pears."}}' >nameless.jsonl
	run -0 "$R" show nameless.jsonl 1
	holds "round 1 of 10"
	[ -e "$XDG_STATE_HOME/handoff/ledgers/nameless.json" ]
	run --separate-stderr -1 "$R" show - 1 <nameless.jsonl
	complains "use --ledger"
}
