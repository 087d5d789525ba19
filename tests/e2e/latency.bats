#!/usr/bin/env bats
# How long the hooks take, as the client measures and records it.
load lib

# The client's own way to a process and back is in it, and all that this machine does beside.
MEDIAN_MS=1000
MOST_MS=4000 # at 5,000 the client gives up on a hook

setup()
{
	PATIENCE=1 # the deadlines as they are
	room
	install_plugin
}

teardown()
{
	leave
}

# of our hooks in any transcript: "EVENT MILLISECONDS"
durations()
{
	find "$HOME_DIR/.claude/projects" -name '*.jsonl' -exec jq -r '
		(select(.type == "attachment" and .attachment.durationMs) | .attachment
			| select((.command // "") | contains("handoff-hook")) | "\(.hookEvent) \(.durationMs)"),
		(select(.subtype == "stop_hook_summary") | .hookInfos[]?
			| select((.command | contains("handoff-hook")) and .durationMs) | "Stop \(.durationMs)")' {} +
}

@test "the client's records: no hook holds it up" {
	worked a $ONE
	quit a
	greet b $TWO
	for word in one two three; do
		script <<<"{\"main\": [\"Apple $word.\"]}"
		typed b "look at apple $word"
		until_screen b "Apple $word\."
	done
	quit b
	durations | sort >"$ROOM/durations"
	grep -q '^SessionStart ' "$ROOM/durations"
	grep -q '^Stop ' "$ROOM/durations"
	sed 's/^/# as the client measured it: /;s/$/ ms/' "$ROOM/durations" >&3
	run -0 awk -v most=$MOST_MS '$2 > most' "$ROOM/durations"
	[ -z "$output" ]
	median=$(cut -d' ' -f2 "$ROOM/durations" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}')
	[ "$median" -le $MEDIAN_MS ]
	no_hook_errors
}
