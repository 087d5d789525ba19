# helper.bash: every test has a folder, a HOME, a client folder and a project of its own, and
# meets nothing of the machine's. The program under test is $R; it is never piped.
bats_require_minimum_version 1.5.0

FIXTURES=$BATS_TEST_DIRNAME/../../fixtures/transcripts
# read here, before setup takes every HANDOFF_ variable away
BIN=${HANDOFF_BIN:-$BATS_TEST_DIRNAME/../../build/bin}
R=$BIN/handoff-recover

KILLED=38fb3e7a-1111-4222-8333-444455556666
CLEAN=7c0ffee1-2222-4333-8444-555566667777
RENAMED=38fbaaaa-3333-4444-8555-666677778888
OLD=0badf00d-4444-4555-8666-777788889999
TORN=b0b0b0b0-6666-4777-8888-999900001111

setup() {
	unset ${!HANDOFF_@} ${!CLAUDE_@} ${!XDG_@} ${!GIT_@}
	export HOME=$BATS_TEST_TMPDIR/home
	export CLAUDE_CONFIG_DIR=$HOME/.claude
	export XDG_STATE_HOME=$HOME/state XDG_CACHE_HOME=$HOME/cache XDG_CONFIG_HOME=$HOME/config
	export HANDOFF_VAULT=$HOME/vault HANDOFF_NOW=2026-02-12T18:00:00Z
	export LC_ALL=C.UTF-8 TZ=UTC
	ORCHARD=$BATS_TEST_TMPDIR/orchard
	mkdir -p "$HOME" "$ORCHARD"
	cd "$ORCHARD"
}

# place FIXTURE ID [DIR]: the fixture as a session of that id, started in DIR
place() {
	local dir=${3:-$ORCHARD} folder
	folder=$CLAUDE_CONFIG_DIR/projects/$(printf %s "$dir" | LC_ALL=C tr -c 'A-Za-z0-9' '-')
	mkdir -p "$folder"
	LC_ALL=C sed "s|/home/dev/orchard|$dir|g" "$FIXTURES/$1.jsonl" >"$folder/$2.jsonl"
	PLACED=$folder/$2.jsonl
}

# all of them
orchard() {
	place cli-killed $KILLED
	place cli-clean $CLEAN
	place cli-renamed $RENAMED
	place cli-old $OLD
}

# one line on stderr that begins with the program's name, nothing on stdout
complains() {
	[ -z "$output" ] || { echo "stdout: $output"; return 1; }
	[ "${#stderr_lines[@]}" = 1 ] || { echo "stderr: $stderr"; return 1; }
	[[ $stderr == "handoff-recover: "* ]] || { echo "stderr: $stderr"; return 1; }
	[ -z "${1:-}" ] || [[ $stderr == *"$1"* ]] || { echo "stderr: $stderr"; return 1; }
}

holds() {
	[[ $output == *"$1"* ]] || { printf 'wanted: %s\noutput: %s\n' "$1" "$output"; return 1; }
}

lacks() {
	[[ $output != *"$1"* ]] || { printf 'not wanted: %s\noutput: %s\n' "$1" "$output"; return 1; }
}

# json FILTER WANT: what jq makes of the output
json() {
	local got
	got=$(jq -r "$1" <<<"$output") || { echo "no JSON: $output"; return 1; }
	[ "$got" = "$2" ] || { printf 'wanted: %s\ngot: %s\n' "$2" "$got"; return 1; }
}
