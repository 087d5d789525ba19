#!/usr/bin/env bats
load helper

@test "newest activity first, with how each ended" {
	orchard
	touch -d 2030-01-01 "$CLAUDE_CONFIG_DIR"/projects/*/$OLD.jsonl
	run --separate-stderr -0 "$R" list
	[ -z "$stderr" ]
	[ "${#lines[@]}" = 5 ]
	[[ ${lines[0]} == "WHEN (UTC)"*ID*SIZE*MSGS*BRANCH*ENDED*TITLE ]]
	[[ ${lines[1]} == "2026-02-12 09:"*"What colour is the barn door?" ]]
	[[ ${lines[2]} == "2026-02-11 09:"*38fb3e7a*pears*Bash*"Count the pears" ]]
	[[ ${lines[3]} == "2026-02-10 09:"*38fbaaaa*"Fence, second coat" ]]
	[[ ${lines[4]} == "2025-11-02 09:"*"Milk the cows at dawn" ]]
}

@test "JSON has the same, with whole ids and times" {
	orchard
	run --separate-stderr -0 "$R" list --json
	json '.sessions | length' 4
	json '.sessions[1].id' $KILLED
	json '.sessions[1].ending' killed-tool
	json '.sessions[1].dead' true
	json '.sessions[1].branch' pears
	json '.sessions[1].cwd' "$ORCHARD"
	json '.sessions[1].started' 2026-02-11T09:01:01.000Z
	json '.sessions[1].pid' null
	json '.sessions[0].ending' clean
	json '.sessions[0].dead' false
	json '.sessions[0].messages' 2
	json '.sessions[0].prompts' 1
}

@test "--dead and -n" {
	orchard
	run -0 "$R" list --dead --json
	json '[.sessions[].dead] | all' true
	json '[.sessions[].id] | index("'$CLEAN'")' null
	run -0 "$R" list -n 1 --json
	json '.sessions | length' 1
	json '.sessions[0].id' $CLEAN
}

@test "titles: custom before ai before own summary before first prompt" {
	orchard
	run -0 "$R" list --json
	json '.sessions[] | select(.id == "'$RENAMED'").title' "Fence, second coat"
	json '.sessions[] | select(.id == "'$KILLED'").title' "Count the pears"
	json '.sessions[] | select(.id == "'$OLD'").title' "Milk the cows at dawn"
	json '.sessions[] | select(.id == "'$CLEAN'").title' "What colour is the barn door?"
}

@test "a summary of another session is no title" {
	place cli-old $OLD
	grep -v 'Milk the cows at dawn' "$PLACED" >other.jsonl
	mv other.jsonl "$PLACED"
	run -0 "$R" list --json
	json '.sessions[0].title' "milk the cows"
}

@test "the project is decided by cwd in the records, not by the folder's name" {
	place cli-killed $KILLED
	mkdir -p "$CLAUDE_CONFIG_DIR/projects/anything"
	mv "$PLACED" "$CLAUDE_CONFIG_DIR/projects/anything/"
	run -0 "$R" list --json
	json '.sessions[0].id' $KILLED
	mkdir "$BATS_TEST_TMPDIR/meadow"
	run -0 "$R" list --json --project "$BATS_TEST_TMPDIR/meadow"
	json '.sessions | length' 0
	json .others 1
}

@test "--all lists other projects with their directories" {
	place cli-killed $KILLED
	place cli-clean $CLEAN "$HOME/meadow"
	run -0 "$R" list
	lacks "barn door"
	run -0 "$R" list --all
	holds "DIRECTORY"
	holds "~/meadow"
	holds "Count the pears"
}

@test "a project is its whole repository: subfolders and linked worktrees" {
	git init -q .
	git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m first
	git worktree add -q -b side "$BATS_TEST_TMPDIR/other tree"
	mkdir -p src/deep
	place cli-killed $KILLED "$ORCHARD/src"
	place cli-clean $CLEAN "$BATS_TEST_TMPDIR/other tree"
	for d in "$ORCHARD" "$ORCHARD/src/deep" "$BATS_TEST_TMPDIR/other tree"; do
		cd "$d"
		run -0 "$R" list --json
		json '.sessions | length' 2
	done
}

@test "a session in a worktree that is gone still belongs to the project" {
	git init -q .
	place cli-killed $KILLED "$ORCHARD/.claude/worktrees/gone"
	run -0 "$R" list --json
	json '.sessions[0].id' $KILLED
}

@test "no session: a line on stderr, nothing on stdout, exit 0" {
	mkdir -p "$CLAUDE_CONFIG_DIR/projects"
	run --separate-stderr -0 "$R" list
	complains "no session of $ORCHARD"
	run --separate-stderr -0 "$R" list --json
	json '.sessions | length' 0
}

@test "no folder of sessions is a failure" {
	run --separate-stderr -1 "$R" list
	complains "$CLAUDE_CONFIG_DIR"
	unset CLAUDE_CONFIG_DIR HOME
	run --separate-stderr -1 "$R" list
	complains "--claude-dir"
}

@test "--claude-dir comes before CLAUDE_CONFIG_DIR" {
	orchard
	mv "$CLAUDE_CONFIG_DIR" "$BATS_TEST_TMPDIR/elsewhere"
	run -0 "$R" list --json --claude-dir "$BATS_TEST_TMPDIR/elsewhere"
	json '.sessions | length' 4
}

@test "files without a conversation, and what is no session, are not listed" {
	place cli-empty e0e0e0e0-5555-4666-8777-888899990000
	place cli-clean $CLEAN
	d=$(dirname "$PLACED")
	mkfifo "$d/fifo.jsonl"
	mkdir "$d/folder.jsonl"
	ln -s "$PLACED" "$d/link.jsonl"
	ln -s /gone "$d/dangling.jsonl"
	run --separate-stderr -0 timeout 10 "$R" list --json
	json '.sessions | length' 1
	json .empty 1
	[ -z "$stderr" ]
}

@test "secrets are in neither the list nor the cache" {
	place cli-renamed $RENAMED
	grep -v -e custom-title -e ai-title "$PLACED" >plain.jsonl
	mv plain.jsonl "$PLACED"
	run -0 "$R" list --json
	json '.sessions[0].title' "Paint the fence with the token [redacted:github-token] please"
	! grep -r ghp_16C7 "$XDG_CACHE_HOME"
}

@test "control characters in a title do not reach the terminal" {
	place cli-killed $KILLED
	sed -i 's/"Count the pears"/"Count \\u001b[31mthe\\u0007 \\u202epears\\n now"/' "$PLACED"
	run -0 "$R" list
	holds "Count the"
	[[ $output != *$'\e'* && $output != *$'\a'* && $output != *$'\u202e'* ]]
	[ "${#lines[@]}" = 2 ]
}

@test "the cache is private, and the second list is the same" {
	orchard
	run -0 "$R" list
	first=$output
	f=$(echo "$XDG_CACHE_HOME"/handoff/sessions-*.cache)
	[ "$(stat -c %a "$f")" = 600 ]
	[ "$(stat -c %a "$XDG_CACHE_HOME/handoff")" = 700 ]
	before=$(stat -c %i "$f")
	run -0 "$R" list
	[ "$output" = "$first" ]
	[ "$(stat -c %i "$f")" = "$before" ]
}

@test "what the cache says is used while the file is the same, and not after" {
	place cli-killed $KILLED
	run -0 "$R" list
	f=$(echo "$XDG_CACHE_HOME"/handoff/sessions-*.cache)
	sed -i 's/Count the pears/Count the plums/' "$f"
	run -0 "$R" list
	holds "Count the plums"
	echo '{"type":"ai-title","aiTitle":"Count them all","sessionId":"'$KILLED'"}' >>"$PLACED"
	run -0 "$R" list
	holds "Count them all"
}

@test "a damaged, foreign or unreadable cache is ignored and written anew" {
	orchard
	run -0 "$R" list
	good=$output
	f=$(echo "$XDG_CACHE_HOME"/handoff/sessions-*.cache)
	cp "$f" kept
	for damage in 'truncate -s 40 "$f"' 'truncate -s 700 "$f"' ': >"$f"' 'echo "SQLite format 3" >"$f"' \
		'sed -i "2s/{/[/" "$f"' 'sed -i "s/\"form\":1/\"form\":99/" "$f"' 'sed -i "3s/\"dead\":[a-z]*,//" "$f"' \
		'sed -i "3s/killed-tool/eaten/;2s/clean/eaten/" "$f"' 'rm "$f"; mkdir "$f"; rmdir "$f"' \
		'head -c 4096 /dev/urandom >"$f"'; do
		cp kept "$f"
		eval "$damage"
		run --separate-stderr -0 "$R" list
		[ "$output" = "$good" ]
		[ -z "$stderr" ]
		cmp "$f" kept
	done
}

@test "no place for a cache: the list is the same" {
	orchard
	run -0 "$R" list
	good=$output
	rm -r "$XDG_CACHE_HOME"
	: >"$XDG_CACHE_HOME"
	run --separate-stderr -0 "$R" list
	[ "$output" = "$good" ]
	[ -z "$stderr" ]
}

@test "counts are blank for a large file until --exact, then kept" {
	place cli-killed $KILLED
	for i in 1 2 3 4 5 6; do
		printf '{"type":"system","subtype":"x","uuid":"00000000-0000-4000-8000-00000000000%d","parentUuid":null,"isSidechain":false,"content":"%s","timestamp":"2026-02-11T10:00:00.000Z"}\n' \
			$i "$(head -c 90000 /dev/zero | tr '\0' x)" >>"$PLACED"
	done
	tail -n 1 "$FIXTURES/cli-killed.jsonl" | sed 's/38fb3e7a-0000/38fb3e7a-0001/g' >>"$PLACED"
	run -0 "$R" list --json
	json '.sessions[0].messages' null
	run -0 "$R" list --json --exact
	json '.sessions[0].records' 19
	json '.sessions[0].messages' 10
	json '.sessions[0].prompts' 1
	exact=$output
	run -0 "$R" list --json
	[ "$output" = "$exact" ]
}

@test "a running session is not dead, and is again when its process is gone" {
	place cli-killed $KILLED
	sleep 60 3>&- &
	pid=$!
	start=$(sed 's/.*) //' /proc/$pid/stat | cut -d' ' -f20)
	mkdir -p "$CLAUDE_CONFIG_DIR/sessions"
	echo '{"pid":'$pid',"sessionId":"'$KILLED'","cwd":"'$ORCHARD'","procStart":"'$start'","version":"2.1.197"}' \
		>"$CLAUDE_CONFIG_DIR/sessions/$pid.json"
	run -0 "$R" list --json
	kill $pid
	wait $pid || true
	json '.sessions[0].ending' running
	json '.sessions[0].pid' $pid
	run -0 "$R" list --json
	json '.sessions[0].ending' killed-tool
	json '.sessions[0].pid' null
}

@test "a torn file is listed with what is in it" {
	place cli-torn $TORN
	run -0 "$R" list --json
	json '.sessions[0].title' "Mend the cracked jar"
	json '.sessions[0].ending' torn
	json '.sessions[0].dead' true
}

@test "an unreadable file is counted, the others are listed" {
	[ "$(id -u)" != 0 ] || skip "root reads everything"
	orchard
	chmod 0 "$PLACED"
	run --separate-stderr -0 "$R" list --json
	json '.sessions | length' 3
	json .skipped 1
	[[ $stderr == *"could not be read"* ]]
}

@test "an unreadable project folder is counted and named" {
	[ "$(id -u)" != 0 ] || skip "root reads everything"
	orchard
	mkdir -m 0 "$CLAUDE_CONFIG_DIR/projects/locked"
	run --separate-stderr -0 "$R" list --json
	json '.sessions | length' 4
	json .skipped 1
	[[ $stderr == *"projects/locked: Permission denied"* ]]
}
