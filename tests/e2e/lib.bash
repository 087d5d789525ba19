# The real client in a room of its own. Loaded by the tests; bash, since bats is.
#
# $ROOM is a folder of the test: home/ (HOME), project/ (a git repository), model/ (the script and
# what was sent to the model). Nothing of the user's reaches the client: its environment is
# empty but for what `client_env` lists, its only network is the model on loopback.
bats_require_minimum_version 1.5.0

E2E_TESTS=${BASH_SOURCE[0]%/*}
WAIT_TENTHS=${E2E_WAIT_TENTHS:-900} # how long a thing may take that must come
LIMIT_S=300                         # and a program that must end
ONE=11111111-2222-4333-8444-555555555555
TWO=22222222-3333-4444-8555-666666666666
THREE=33333333-4444-4555-8666-777777777777
FOUR=44444444-5555-4666-8777-888888888888

room()
{
	ROOM=$BATS_TEST_TMPDIR
	HOME_DIR=$ROOM/home
	P=$ROOM/project
	VAULT=$HOME_DIR/.handoff-mcp/vault
	BIN=$E2E_PLUGIN/handoff/bin
	mkdir -p "$HOME_DIR/.claude" "$P" "$ROOM/model"
	cat >"$HOME_DIR/.claude.json" <<-JSON
		{"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 9, "lastOnboardingVersion": "99.0.0",
		 "customApiKeyResponses": {"approved": ["sk-ant-made-up-key-0"], "rejected": []},
		 "projects": {"$P": {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "projectOnboardingSeenCount": 9}}}
	JSON
	cat >"$HOME_DIR/.claude/settings.json" <<-JSON
		{"permissions": {"defaultMode": "default", "allow": ["Bash", "Edit", "Write", "Read", "Agent", "Skill", "TaskCreate", "TaskUpdate"]}}
	JSON
	(
		cd "$P"
		git init -q -b main .
		git config user.email grower@example.com
		git config user.name Grower
		mkdir -p src config
		printf 'def count(trees):\n    return 0\n' >src/apples.py
		printf 'trees: 12\n' >config/prod.yaml
		printf '#!/bin/sh\necho "FAILED test_count: expected 12, got 0"\nexit 1\n' >check.sh
		printf '#!/bin/sh\nexec tail -f /dev/null\n' >slow.sh # ends with the room
		chmod 755 check.sh slow.sh
		git add -A
		git commit -qm 'Plant the orchard'
	) >/dev/null
	node "$E2E_TESTS/model.js" "$ROOM/model" >"$ROOM/model/out" 2>&1 3>&- &
	MODEL_PID=$!
	until_true test -s "$ROOM/model/port"
	client_env
}

client_env()
{
	CLIENT_ENV=(PATH="$HOME_DIR/bin:/usr/local/bin:/usr/bin:/bin" HOME="$HOME_DIR" USER=grower SHELL=/bin/bash TERM=xterm-256color LANG=C.UTF-8
		ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat "$ROOM/model/port")" ANTHROPIC_API_KEY=sk-ant-made-up-key-0
		HTTPS_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1
		DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
		CLAUDE_CODE_DISABLE_BUNDLED_SKILLS=1 CLAUDE_CODE_MAX_RETRIES=1
		HANDOFF_TEST_PATIENCE="${PATIENCE:-8}") # what is told must not depend on the machine's load
}

# residents: the processes that were born in this room, known by HOME in their environment
residents()
{
	local p

	for p in /proc/[0-9]*; do
		if cat "$p/environ" 2>/dev/null | tr '\0' '\n' | grep -qxF "HOME=$HOME_DIR"; then
			echo "${p#/proc/}"
		fi
	done
}

# Whoever was born in this room ends with it.
leave()
{
	local p

	[ -n "${BATS_TEST_COMPLETED:-}" ] || show_room
	[ ! -S "$ROOM/tm" ] || tm kill-server 2>/dev/null || :
	[ -z "${MODEL_PID:-}" ] || kill "$MODEL_PID" 2>/dev/null || :
	for p in $(residents); do
		kill -9 "$p" 2>/dev/null || :
	done
}

# of a test that failed: its screens, our log, the kinds of requests
show_room()
{
	local name p

	for name in $(tm list-sessions -F '#{session_name}' 2>/dev/null); do
		echo "--- screen $name"
		screen "$name" | grep -v '^ *$' || :
	done
	echo "--- hooks"
	cat "$HOME_DIR"/.local/state/handoff/*.log 2>/dev/null || :
	echo "--- told"
	seen main last ours || :
	echo "--- requests"
	jq -r .kind "$ROOM/model/seen.jsonl" 2>/dev/null | uniq -c || :
	echo "--- processes"
	for p in $(residents); do
		echo "$p $(cut -d' ' -f3-4 "/proc/$p/stat" 2>/dev/null) $(tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null | cut -c1-150)"
	done
}

# until_true COMMAND...: as soon as it succeeds; fails when it does not in time
until_true()
{
	local i

	for ((i = 0; i < WAIT_TENTHS; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	echo "did not come true in $((WAIT_TENTHS / 10)) s: $*" >&2
	return 1
}

# script: the model plays what stands on standard input from its next answer on
script()
{
	local n

	n=$(find "$ROOM/model" -name 'script-*.json' | wc -l)
	cat >"$ROOM/model/new"
	jq -e . "$ROOM/model/new" >/dev/null
	mv "$ROOM/model/new" "$ROOM/model/script-$n.json"
}

# ends COMMAND...: in the project, in the client's environment, and not for ever
ends()
{
	(cd "$P" && exec timeout -k 5 $LIMIT_S env -i "${CLIENT_ENV[@]}" "$@" </dev/null 3>&-)
}

claude()
{
	ends "$E2E_CLIENT" "$@"
}

handoff()
{
	ends "$BIN/handoff" "$@"
}

# trust FOLDER: the client does not ask before it works there
trust()
{
	jq --arg p "$1" '.projects[$p] = {hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, projectOnboardingSeenCount: 9}' \
		"$HOME_DIR/.claude.json" >"$ROOM/trust"
	cp "$ROOM/trust" "$HOME_DIR/.claude.json"
}

install_plugin()
{
	claude plugin marketplace add "$E2E_PLUGIN" >"$ROOM/add.out" 2>&1
	claude plugin install handoff@handoff >"$ROOM/install.out" 2>&1
}

# ---- a client in a terminal

# The server outlives its last terminal: while it ends it would refuse the next one. It lives in
# the room, and so ends with it.
tm()
{
	[ -e "$ROOM/tmux.conf" ] || echo 'set -s exit-empty off' >"$ROOM/tmux.conf"
	env HOME="$HOME_DIR" tmux -S "$ROOM/tm" -f "$ROOM/tmux.conf" "$@" 3>&-
}

# start NAME ARGUMENTS...: CLIENT_PID is the client's
start()
{
	local name=$1

	shift
	tm new-session -d -x 150 -y 50 -s "$name" -c "${E2E_AT:-$P}" env -i "${CLIENT_ENV[@]}" "$E2E_CLIENT" "$@"
	CLIENT_PID=$(tm display-message -p -t "$name" '#{pane_pid}')
	until_screen "$name" '❯'
	until_true journal_has "$CLIENT_PID"
}

# SessionStart has been heard: the journal knows the client's process
journal_has()
{
	grep -rqE "\\b$1\\b" "$HOME_DIR/.local/state/handoff"
}

screen()
{
	tm capture-pane -p -t "$1"
}

screen_has()
{
	screen "$1" | grep -qE -- "$2"
}

until_screen()
{
	until_true screen_has "$@" || {
		screen "$1" >&2
		return 1
	}
}

# typed NAME WORDS: typed into the client and sent, once the client shows them
typed()
{
	tm send-keys -t "$1" -l "$2"
	until_screen "$1" "$(printf '%s' "${2:0:30}" | sed 's/[][\.*^$+?(){}|/]/./g')"
	sleep 0.3 # keys that come at once are taken for a paste, Enter for a line of it
	tm send-keys -t "$1" Enter
}

key()
{
	tm send-keys -t "$1" "$2"
}

# ended, also where the terminal's server has not asked for its status yet
gone()
{
	! kill -0 "$1" 2>/dev/null || grep -q '^State:[[:space:]]*Z' "/proc/$1/status"
}

# A session that edits, fails its check, and stays open.
worked()
{
	work_script
	start "$1" --session-id "$2"
	typed "$1" 'Fix the apple counter so that ./check.sh passes. Never touch config/prod.yaml.'
	until_screen "$1" 'twelve trees'
	until_true on_disk "$2" '.type == "system" and .subtype == "turn_duration"'
}

# A session that worked and dies while a command runs.
die_in_a_command()
{
	work_script '{"say": "The long check now.", "call": [["Bash", {"command": "./slow.sh --orchard", "description": "Long check"}]]}'
	start a --session-id $ONE
	typed a 'Fix the apple counter so that ./check.sh passes. Never touch config/prod.yaml.'
	until_true call_on_disk $ONE 'slow.sh'
	killed
}

# leave by /exit and wait for the end of the process
quit()
{
	typed "$1" /exit
	until_true gone "$CLIENT_PID"
}

killed()
{
	kill -9 "$CLIENT_PID"
	until_true gone "$CLIENT_PID"
}

# ---- what came of it

transcript()
{
	find "$HOME_DIR/.claude/projects" -name "$1.jsonl"
}

# on_disk SESSION JQ: some record of the session's transcript is so
on_disk()
{
	jq -se "any(.[]; $2)" "$(transcript "$1")"
}

# the tool call of this session whose input holds WORDS is on disk
call_on_disk()
{
	on_disk "$1" ".type == \"assistant\" and (.message.content[]? | .type == \"tool_use\" and (.input | tostring | contains(\"$2\")))"
}

seen()
{
	node "$E2E_TESTS/seen.js" "$ROOM/model/seen.jsonl" "$@"
}

# more_than N: the model has been asked more than N times in the conversation
more_than()
{
	[ "$(seen main count)" -gt "$1" ]
}

# told WHICH WORDS: our hooks put these words before the model in its WHICH (first, last) request
told()
{
	seen main "$1" ours | grep -qF -- "$2" || {
		printf 'not told: %s\nbut:\n%s\n' "$2" "$(seen main "$1" ours)" >&2
		return 1
	}
}

not_told()
{
	refute told "$@" 2>/dev/null
}

# A command that has to fail. Bats overlooks a plain `!`.
refute()
{
	if "$@"; then
		echo "should have failed: $*" >&2
		return 1
	fi
}

forget_seen()
{
	: >"$ROOM/model/seen.jsonl"
}

# documents STATUS: the files of the documents that are in that state
documents()
{
	grep -lrE "^status: $1\$" "$VAULT" 2>/dev/null || :
}

# one_document STATUS
one_document()
{
	[ "$(documents "$1" | wc -l)" = 1 ] || {
		echo "not one document is $1:" >&2
		grep -rE '^status: ' "$VAULT" >&2
		return 1
	}
}

# what our hooks say for the first time once WORDS have been typed into a new client
greet()
{
	forget_seen
	script <<<'{"main": ["I have read the notes."]}'
	start "$1" --session-id "$2"
	typed "$1" 'go on please'
	until_screen "$1" 'I have read the notes'
}

# nothing of ours went wrong: no error of a hook in any transcript
no_hook_errors()
{
	local found

	found=$(find "$HOME_DIR/.claude/projects" -name '*.jsonl' -exec jq -c 'select(.type == "attachment" and
		(.attachment.type | test("hook_(non_blocking_error|blocking_error|cancelled|stopped)")))' {} +)
	[ -z "$found" ] || {
		echo "$found" >&2
		return 1
	}
}

# a project's session that works: reads, edits, checks, then goes on as REPLIES say
work_script()
{
	script <<-JSON
		{"main": [
		  {"say": "I look at the counter first.", "call": [["Read", {"file_path": "$P/src/apples.py"}]]},
		  {"say": "I decided to count with len() instead of a loop, because the list is already in memory.",
		   "call": [["Edit", {"file_path": "$P/src/apples.py", "old_string": "return 0", "new_string": "return len(trees)"}]]},
		  {"say": "Now the checks.", "call": [["Bash", {"command": "./check.sh", "description": "Run the checks"}]]},
		  ${1:-\"The check still fails. Next I will give the check its twelve trees.\"}]}
	JSON
}
