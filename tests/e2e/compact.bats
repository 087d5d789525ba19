#!/usr/bin/env bats
# Compaction: what the summarizer is asked to keep, and what stands after it.
load lib

setup()
{
	room
	install_plugin
}

teardown()
{
	leave
}

# WORDS stand once in PART (outside: all but the summary; ours) of the last request
once()
{
	local n

	n=$(seen main last "$1" | grep -oF -- "$2" | wc -l)
	[ "$n" = 1 ] || {
		echo "$2 stands $n times, not once" >&2
		seen main last "$1" >&2
		return 1
	}
}

# what a summary loses is there, and nothing of it twice
each_once()
{
	once outside 'Never touch config/prod.yaml'
	once outside './check.sh'
	once outside 'FAILED test_count: expected 12, got 0'
	once ours '`src/apples.py`' # the client itself names a file that was read
	once ours ' M src/apples.py'
}

talked()
{
	worked a $ONE
	script <<<'{"main": ["A pear is a fruit.", "A plum too."]}'
	typed a 'what is a pear?'
	until_screen a 'A pear is a fruit'
	typed a 'and a plum?'
	until_screen a 'A plum too'
}

@test "by hand" {
	talked
	typed a '/compact keep the counts'
	until_screen a 'Compacted'
	seen compact last | grep -F 'Keep word for word in the summary'
	seen compact last | grep -F 'what the user said must or must not be done'
	seen compact last | grep -F 'Never touch config/prod.yaml'
	script <<<'{"main": ["On we go."]}'
	typed a 'go on'
	until_screen a 'On we go'
	each_once
	quit a
	no_hook_errors
}

@test "by the client, when the context is full" {
	CLIENT_ENV+=(CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000)
	talked
	script <<-'JSON'
		{"main": [{"say": "The long story of fruit.", "tokens": 95000, "call": [["Bash", {"command": "ls src"}]]}, "On we go.", "Still here."]}
	JSON
	typed a 'tell me all of it'
	until_screen a 'On we go|Still here'
	[ "$(seen compact count)" -ge 1 ]
	seen compact last | grep -F 'Keep word for word in the summary'
	seen compact last | sed -n '/Keep word for word/,$p' >"$ROOM/asked"
	grep -F 'Never touch config/prod.yaml' "$ROOM/asked"
	grep -F './check.sh' "$ROOM/asked"
	grep -F 'src/apples.py' "$ROOM/asked"
	each_once
	quit a
	no_hook_errors
}
