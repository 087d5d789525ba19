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

# WORDS stand N times in the last request, outside of the summary
stands()
{
	local n

	n=$(seen main last outside | grep -oF -- "$1" | wc -l)
	[ "$n" = "$2" ] || {
		echo "$1 stands $n times, not $2" >&2
		seen main last outside >&2
		return 1
	}
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
	stands 'Never touch config/prod.yaml' 1
	told last './check.sh'
	told last 'FAILED test_count'
	told last 'src/apples.py'
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
	seen compact last | sed -n '/Keep word for word/,$p' | grep -F 'Never touch config/prod.yaml'
	stands 'Never touch config/prod.yaml' 1
	told last './check.sh'
	quit a
	no_hook_errors
}
