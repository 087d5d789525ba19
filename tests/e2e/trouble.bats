#!/usr/bin/env bats
# What goes wrong around the hooks does not reach the client.
load lib

setup()
{
	room
	install_plugin
}

teardown()
{
	leave
	[ -z "${MOUNTED:-}" ] || umount "$MOUNTED"
}

# A whole session: it works, talks, is left. No word of an error may be seen.
goes_well()
{
	worked a $ONE
	refute screen_has a '[Hh]ook .*(error|failed|timed out)'
	script <<<'{"main": ["And that was that."]}'
	typed a 'is that all?'
	until_screen a 'And that was that'
	quit a
	no_hook_errors
}

@test "the store is no folder" {
	mkdir -p "$HOME_DIR/.handoff-mcp"
	echo 'a file' >"$VAULT"
	goes_well
	# the log has the reason, the user is told once in the next session
	grep -F 'SessionEnd' "$HOME_DIR/.local/state/handoff/hook.log"
	start b --session-id $TWO
	until_screen b 'handoff: notes cannot be stored'
	[ "$(cat "$VAULT")" = 'a file' ]
}

@test "the state is no folder" {
	mkdir -p "$HOME_DIR/.local"
	echo 'a file' >"$HOME_DIR/.local/state"
	journal_has() { return 0; } # there can be none
	goes_well
	[ "$(cat "$HOME_DIR/.local/state")" = 'a file' ]
}

@test "the disk is full" {
	mkdir -p "$HOME_DIR/.handoff-mcp"
	mount -t tmpfs -o size=8k tmpfs "$HOME_DIR/.handoff-mcp" 2>/dev/null || skip "no right to mount"
	MOUNTED=$HOME_DIR/.handoff-mcp
	head -c 100000 /dev/zero >"$MOUNTED/full" 2>/dev/null || :
	goes_well
	# no half of a document, and nothing is lost: the transcript still has it
	[ -z "$(find "$MOUNTED" -name '*.md')" ]
	rm "$MOUNTED/full"
	mount -o remount,size=8m "$MOUNTED"
	greet b $TWO
	told first 'Never touch config/prod.yaml'
	one_document claimed
}

@test "another process holds the lock of the store" {
	worked a $ONE
	quit a
	one_document pending
	lock=$(find "$VAULT" -maxdepth 1 -name '*lock*' | head -n 1)
	[ -n "$lock" ]
	(
		exec 3>&- 9>>"$lock"
		flock 9
		: >"$ROOM/held"
		exec tail -f /dev/null
	) &
	HOLDER=$!
	until_true test -e "$ROOM/held"
	greet b $TWO
	told first 'Never touch config/prod.yaml'
	one_document pending
	grep 'not claimed yet' "$HOME_DIR/.local/state/handoff/hook.log"
	kill $HOLDER
	# the next prompt takes it
	script <<<'{"main": ["Later is fine."]}'
	typed b 'and now?'
	until_screen b 'Later is fine'
	one_document claimed
	quit b
	no_hook_errors
}

@test "the store cannot be read" {
	mkdir -p "$HOME_DIR/.handoff-mcp"
	ln -s vault "$VAULT" # a link to itself: not even root can
	goes_well
	grep -F 'SessionEnd' "$HOME_DIR/.local/state/handoff/hook.log"
	start b --session-id $TWO
	until_screen b 'handoff: notes cannot be stored'
	quit b
	no_hook_errors
	# it can be read again: nothing was lost
	rm "$VAULT"
	greet c $THREE
	told first 'Never touch config/prod.yaml'
	one_document claimed
}

@test "the lock of the store is held for a whole session" {
	mkdir -p "$VAULT"
	(
		exec 3>&- 9>>"$VAULT/.index.db.handoff.lock"
		flock 9
		: >"$ROOM/held"
		exec env HOME="$HOME_DIR" tail -f /dev/null
	) &
	HOLDER=$!
	until_true test -e "$ROOM/held"
	goes_well
	[ -z "$(documents '.*')" ]
	kill $HOLDER
	greet b $TWO
	told first 'Never touch config/prod.yaml'
	one_document claimed
	quit b
	no_hook_errors
}

@test "hooks that abort" {
	CLIENT_ENV+=(HANDOFF_TEST_ABORT=1)
	journal_has() { return 0; } # nobody writes one
	goes_well
	grep -F 'SessionStart' "$HOME_DIR/.local/state/handoff/hook.log"
	grep -F 'SessionEnd' "$HOME_DIR/.local/state/handoff/hook.log"
}

@test "hooks that do not come to an end by themselves" {
	PATIENCE=1
	client_env
	CLIENT_ENV+=(HANDOFF_TEST_SLEEP_MS=60000)
	journal_has() { return 0; }
	goes_well
	grep -F 'UserPromptSubmit' "$HOME_DIR/.local/state/handoff/hook.log"
}

@test "hooks that are killed" {
	cp -R "$E2E_PLUGIN" "$ROOM/plugin"
	claude plugin uninstall handoff@handoff
	claude plugin marketplace remove handoff
	printf '#!/bin/sh\nkill -9 $$\n' >"$ROOM/plugin/handoff/bin/handoff-hook"
	E2E_PLUGIN=$ROOM/plugin install_plugin
	journal_has() { return 0; } # nobody writes one
	script <<<'{"main": ["Nothing amiss."]}'
	start a --session-id $ONE
	typed a 'how are you?'
	until_screen a 'Nothing amiss'
	quit a
}
