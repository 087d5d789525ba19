#!/usr/bin/env bats
# phase 5, and what runs without a command
load helper

SECTIONS="Goal
Done
Next
Hazards
Key Context
Environment
Files to Read
Verify Before Continuing
Known Gaps"

@test "without a command: the document of the most recent dead session" {
	orchard
	run --separate-stderr -0 "$R"
	[ -z "$stderr" ]
	holds "source_session: $KILLED"
	holds "Count the pears in basket.c"
	first=$output
	run -0 "$R" doc
	[ "$output" = "$first" ]
	run -0 "$R" $KILLED
	[ "$output" = "$first" ]
	run -0 "$R" doc 38fb3e7a
	[ "$output" = "$first" ]
}

@test "front matter first, then all sections in their order" {
	orchard
	run -0 "$R"
	[ "${lines[0]}" = "---" ]
	[ "${lines[1]}" = "type: handoff" ]
	got=$(grep '^## ' <<<"$output" | sed 's/^## //; s/ (.*//')
	[ "$got" = "$SECTIONS" ] || { echo "$got"; false; }
}

@test "what was forbidden, what was done, and what was in flight" {
	orchard
	run -0 "$R"
	holds "Never touch config/harvest.yaml"
	holds "basket.c"
	holds "make harvest"
}

@test "the budget is a hard cap" {
	cp -r "$FIXTURES/../demo/claude" "$HOME/demo"
	for n in 1500 2500 4000; do
		run -0 "$R" doc --claude-dir "$HOME/demo" --budget $n 7c1e42aa
		[ "$(wc -c <<<"$output")" -le $((4 * n)) ]
		holds "never touch config/prod.yaml"
	done
}

@test "a budget below what must stand names the least, and prints nothing" {
	orchard
	run --separate-stderr -1 "$R" doc --budget 1
	complains
	[[ $stderr =~ [0-9]{2,} ]]
	run --separate-stderr -1 "$R" doc --budget 1 -o out.md
	complains
	[ ! -e out.md ]
}

@test "the first word is a session if it names one, the rest is the focus" {
	orchard
	run -0 "$R" doc pears
	holds "source_session: $KILLED"
	holds "focus_filter: pears"
	run -0 "$R" doc how many pears
	holds "focus_filter: how many pears"
	run -0 "$R" doc "how many pears"
	holds "focus_filter: how many pears"
	run -0 "$R" doc 38fbaaaa fence posts
	holds "source_session: $RENAMED"
	holds "focus_filter: fence posts"
	run -0 "$R" doc --focus pears
	holds "focus_filter: pears"
	run --separate-stderr -64 "$R" doc --focus pears plums
	complains "'plums' beside --focus"
	run --separate-stderr -64 "$R" doc --focus ''
	complains "--focus is empty"
}

@test "what is written like a session and is none is no focus" {
	orchard
	run --separate-stderr -1 "$R" doc 99999999
	complains "no session '99999999'"
	run --separate-stderr -1 "$R" doc 38fc
	complains "no session '38fc'"
	run --separate-stderr -1 "$R" doc gone.jsonl
	complains "gone.jsonl"
}

@test "one word that names no session is taken as a focus, and that is said" {
	orchard
	run --separate-stderr -0 "$R" doc pears
	[ "$stderr" = "handoff-recover: 'pears' names no session: taken as what to focus on" ]
	run --separate-stderr -0 "$R" doc "how many pears"
	[ -z "$stderr" ]
	run --separate-stderr -0 "$R" doc --focus pears
	[ -z "$stderr" ]
}

@test "-o never writes over the transcript, nor anything of the client's" {
	orchard
	cp "$PLACED" want
	cp "$PLACED" away.jsonl
	ln away.jsonl hard.jsonl
	ln -s away.jsonl soft.jsonl
	for to in away.jsonl hard.jsonl soft.jsonl ./away.jsonl; do
		for c in doc repair; do
			run --separate-stderr -64 "$R" $c away.jsonl -o $to
			complains "is the transcript itself"
		done
	done
	cmp want away.jsonl
	ln -s "$CLAUDE_CONFIG_DIR" client
	for to in "$PLACED" "$CLAUDE_CONFIG_DIR/new.md" "client/projects/x.jsonl" client/settings.json; do
		run --separate-stderr -64 "$R" doc away.jsonl -o "$to"
		complains "lies in the client's folder"
		[ ! -e "$CLAUDE_CONFIG_DIR/new.md" ]
	done
	run --separate-stderr -64 "$R" repair away.jsonl -o "$CLAUDE_CONFIG_DIR/new.jsonl"
	complains "lies in the client's folder"
	cmp want "$PLACED"
}

@test "-o writes the same, whole, and for the owner only" {
	orchard
	run -0 "$R"
	printf '%s\n' "$output" >want
	run --separate-stderr -0 "$R" doc -o out.md
	[ -z "$output$stderr" ]
	cmp want out.md
	[ "$(stat -c %a out.md)" = 600 ]
	run -0 "$R" doc -o -
	[ "$output" = "$(cat want)" ]
}

@test "-o that cannot be written leaves what was there" {
	orchard
	echo old >out.md
	mkdir folder
	run --separate-stderr -1 "$R" doc -o nowhere/out.md
	complains nowhere
	run --separate-stderr -1 "$R" doc -o folder
	complains folder
	run --separate-stderr -1 "$R" doc 99999999 -o out.md
	complains
	[ "$(cat out.md)" = old ]
	[ "$(ls)" = "folder
out.md" ]
}

@test "JSON" {
	orchard
	run --separate-stderr -0 "$R" doc --json
	jq -e . <<<"$output" >/dev/null
	holds "$KILLED"
	holds "Never touch config/harvest.yaml"
}

@test "--evidence names the records" {
	orchard
	run -0 "$R" doc --evidence
	[[ $output =~ \<!--\ [0-9]+ ]]
}

@test "the same state gives the same bytes, whatever the clock says" {
	orchard
	run -0 "$R"
	first=$output
	HANDOFF_NOW=2031-01-01T00:00:00Z TZ=Asia/Tokyo run -0 "$R"
	[ "$output" = "$first" ]
}

@test "standard input and compressed files" {
	place cli-killed $KILLED
	zstd -q "$PLACED" -o packed.jsonl.zst
	run -0 "$R" doc - <"$PLACED"
	holds "Count the pears in basket.c"
	run -0 "$R" doc packed.jsonl.zst
	holds "Count the pears in basket.c"
	run -0 "$R" - <packed.jsonl.zst
	holds "Count the pears in basket.c"
}

@test "a file without a readable record: its tail, and a call for a person" {
	for i in $(seq 200); do echo "line $i: the pears were counted twice"; done >broken.jsonl
	run --separate-stderr -0 "$R" doc broken.jsonl
	holds "NEEDS HUMAN TRIAGE"
	holds "line 199"
	lacks "line 100:"
}

@test "of a file without a record it is told whether it has pieces of any" {
	printf 'just words\n\0\0' >words
	run --separate-stderr -0 "$R" doc - <words
	holds "Make sure that this is the file that was meant"
	lacks "handoff-recover repair"
	printf '{"type":"user","message":{"role":"user","content":"Count the pe' >torn.jsonl
	run --separate-stderr -0 "$R" doc torn.jsonl
	holds "there are pieces of records in it, and no whole one that \`handoff-recover repair\` could keep"
}

@test "an endless input without a record ends, and is told" {
	yes 'f{"oo": [1], {' | head -c 300000 >noise # no record, however many braces
	for c in doc index; do
		run --separate-stderr -1 timeout 60 "$R" $c - </dev/zero
		complains "standard input: not a transcript: no record begins in its first"
		run --separate-stderr -1 timeout 60 "$R" $c - < <(while cat noise; do :; done 2>/dev/null)
		complains "standard input: not a transcript: no record begins in its first"
	done
}

@test "an empty file has nothing to recover" {
	: >empty.jsonl
	run --separate-stderr timeout 10 "$R" doc empty.jsonl
	[ "$status" = 0 ] || [ "$status" = 1 ]
	[ "$status" = 0 ] || complains empty.jsonl
}

@test "secrets are never in the document" {
	place cli-renamed $RENAMED
	run -0 "$R" doc $RENAMED
	lacks ghp_16C7
	run -0 "$R" doc --json $RENAMED
	lacks ghp_16C7
}

@test "git state is that of the session's directory, not of the current one" {
	git init -q -b meadow .
	git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m "sow the meadow"
	place cli-killed $KILLED
	mkdir elsewhere
	cd elsewhere
	git init -q -b desert .
	run -0 "$R" doc $KILLED
	holds "meadow"
	lacks "desert"
}

@test "a path that leads to no transcript is no focus" {
	orchard
	mkdir folder
	mkfifo fifo
	echo 'int main;' >basket.c
	for x in no/such ./gone; do
		run --separate-stderr -1 "$R" doc $x
		complains "$x: no such file"
	done
	for x in folder ./folder fifo; do
		run --separate-stderr -1 timeout 10 "$R" doc $x
		complains "$x: not a regular file"
	done
	run -0 "$R" doc --focus basket.c
	holds "focus_filter: basket.c"
	run -0 "$R" doc "pears and/or plums"
	holds "focus_filter: pears and/or plums"
	run --separate-stderr -64 "$R" doc ""
	complains "the session's name is empty"
}

@test "a word that names no session is told in one line where there is none" {
	run --separate-stderr -1 "$R" doc zz9
	complains "'zz9' names no session"
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "a file is the same one however its path is spelled" {
	orchard
	echo 'some old notes' >x.bak
	: >empty
	mkdir folder
	for f in x.bak empty; do
		first=
		for x in $f ./$f "$PWD/$f" ../"${PWD##*/}"/$f; do
			for c in doc ""; do
				run --separate-stderr -0 "$R" $c $x
				holds TRIAGE
				text=$(grep -v "$f" <<<"$output")
				[ "${first:=$text}" = "$text" ]
			done
		done
	done
	for x in folder ./folder "$PWD/folder"; do
		for c in doc ""; do
			run --separate-stderr -1 "$R" $c $x
			complains "$x: not a regular file"
		done
	done
}

@test "a damaged file that is named gives the document of what can be read" {
	place cli-killed $KILLED
	{
		head -c 300000 /dev/zero
		for i in $(seq 300); do echo "line $i: no record, {\"but\": it looks like"; done
		cat "$PLACED"
	} >damaged.jsonl
	run --separate-stderr -0 "$R" doc damaged.jsonl
	holds "Killed mid-tool"
	holds "301 pieces of the transcript could not be read"
	lacks TRIAGE
	[[ $output == *"confidence: low"* ]]
}
