# handoff-lib.bash: the program `handoff` in a project of its own; the rest as in helper.bash.
load helper

S=7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47
S2=aa00bb11-2222-4333-8444-555566667777

handoff_setup()
{
	H=$BIN/handoff
	export GIT_CONFIG_GLOBAL=$HOME/gitconfig GIT_CONFIG_SYSTEM=/dev/null HANDOFF_PROJECT=orchard
	STATE=$XDG_STATE_HOME/handoff
	mkdir -p src
	echo 'int apples;' >src/tree.c
	git init -q -b main .
	git add -A
	git -c user.name=Dev -c user.email=dev@example.com commit -qm "plant it"
}

# a document on standard output; $1: more hazards
document()
{
	cat <<DOC
# Handoff: Count the apples

## Goal
Count the apples of every tree.

## Done
- The first tree → \`src/tree.c\`

## Next
1. The second tree

## Hazards
- User: "never shake the trees"
${1:-}

## Key Context
- By hand, since machines bruise them

## Files to Read
\`src/tree.c\`

## Verify Before Continuing
- [ ] \`make count\`
DOC
}

# journal SESSION KEY JSON...: an entry of the journal
journal()
{
	mkdir -p "$STATE/journal"
	jq -cn --arg s "$1" --arg d "$PWD" --argjson x "${2:-{\}}" \
		'{session:$s,state:"open",dir:$d,project:"orchard",worktree:$d,started_at:1770000000000,last_event_at:1770000000000} + $x' \
		>"$STATE/journal/$1.json"
}

# status 1 or 64: nothing on stdout, one line on stderr
grumbles()
{
	[ -z "$output" ] || { echo "stdout: $output"; return 1; }
	[ "${#stderr_lines[@]}" = 1 ] || { echo "stderr: $stderr"; return 1; }
	[[ $stderr == "handoff: "* ]] || { echo "stderr: $stderr"; return 1; }
	[ -z "${1:-}" ] || [[ $stderr == *"$1"* ]] || { echo "stderr: $stderr"; return 1; }
}

saved()
{
	document "$@" >doc.md
	"$H" save --session $S doc.md
	rm doc.md
}
