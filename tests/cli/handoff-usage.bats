#!/usr/bin/env bats
load handoff-lib

setup_file()
{
	COMMANDS=$("${HANDOFF_BIN:-$BATS_TEST_DIRNAME/../../build/bin}/handoff" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
	export COMMANDS
}

_setup=$(declare -f setup)
eval "base_${_setup}"
setup()
{
	base_setup
	handoff_setup
}

@test "--help names every command, on standard output" {
	run --separate-stderr -0 "$H" --help
	for c in status list show check save draft recover-start recover; do holds "  $c "; done
	[ -z "$stderr" ]
	first=$output
	run --separate-stderr -0 "$H" -h
	[ "$output" = "$first" ]
}

@test "each command has a --help that names itself and --json" {
	for c in $COMMANDS; do
		[ $c != recover ] || continue
		run --separate-stderr -0 "$H" $c --help
		holds "Usage: handoff $c"
		case $c in completion | amfs) ;; *) holds "--json" ;; esac # amfs speaks nothing else
		holds "--help"
		[ -z "$stderr" ]
	done
}

@test "each --json carries its format, whatever the command" {
	document >doc.md
	T=$BATS_TEST_DIRNAME/../../fixtures/transcripts/after-clear.jsonl
	while read -r command; do
		[ -n "$command" ] || continue
		eval "set -- $command"
		run --separate-stderr "$BIN/$@"
		[ "$(jq -c .format <<<"$output")" = 1 ] || { echo "$command: $output$stderr"; false; }
	done <<-EOF
		handoff log --json goal "Count apples"
		handoff log --json goal "Count pears" --supersedes-query "count apples"
		handoff note --json A b
		handoff checkpoint --json done
		handoff undo --json "\$('$H' search --json pears | jq -r '.hits[0].id')"
		handoff brief --json
		handoff search --json x
		handoff projects --json
		handoff entities --json
		handoff entities --json A
		handoff status --json
		handoff list --json
		handoff draft --json --session $S
		handoff save --json --session $S doc.md
		handoff show --json 7c1e
		handoff check --json doc.md
		handoff hazards --json
		handoff recover-start --json
		handoff config --json
		handoff config --json budget
		handoff config --json budget 3000
		handoff off --json
		handoff on --json
		handoff trust --json doc.md
		handoff forget --json orchard
		handoff record stats --json
		handoff recover index --json $T
		handoff-recover backbone --json $T
		handoff-recover agents --json $T
		handoff-recover show --json $T 3
		handoff-recover doc --json $T
		handoff-recover repair --json $T -o whole.jsonl
	EOF
	# and none was forgotten: what takes --json stands above
	for c in $COMMANDS; do
		case $c in completion | amfs | packet) continue ;; esac
		grep -q "^		handoff $c " "$BATS_TEST_FILENAME"
	done
}

@test "completion in bash: names of projects, entities, documents, records, packets, settings" {
	eval "$("$H" completion bash)"
	PATH=$BIN:$PATH
	offers() {
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_handoff
		echo "${COMPREPLY[*]}"
	}
	mkdir -p "$HANDOFF_VAULT"/'$(touch pwned) `touch pwned`'/sessions
	"$H" log goal x >/dev/null
	"$H" note 'Water pump' leaks >/dev/null
	"$H" note Fence old >/dev/null
	"$H" record write listing/482/price 900 >/dev/null
	document | "$H" save --session $S >/dev/null
	id=$("$H" packet create --json hello | jq -r .packet.id)
	[ "$(offers handoff brief --project orc)" = orchard ]
	[ "$(offers handoff forget orc)" = orchard ]
	[ "$(offers handoff entities '')" = 'Fence Water\ pump' ]
	[ "$(offers handoff note Wa)" = 'Water\ pump' ]
	[ "$(offers handoff note Fence Wa)" = '' ]
	[[ $(offers handoff show '') == *_7c1e42aa* ]]
	[ "$(offers handoff record read l)" = listing/482/price ]
	[ "$(offers handoff packet create x --pin l)" = listing/482/price ]
	[ "$(offers handoff packet show '')" = "$id" ]
	[ "$(offers handoff config brief)" = brief_tokens ]
	# a name is text, whatever stands in it
	[[ $(offers handoff search --project '') == *orchard* ]]
	[[ $(offers handoff search --project '$') == *touch* ]]
	[ ! -e pwned ]
	# and what is a secret is in no command line
	mkdir -p "$HANDOFF_VAULT"/ghp_0123456789abcdefghijABCDEFGHIJ012345/sessions
	[ -z "$(offers handoff search --project ghp)" ]
}

@test "the manual and --help name every command and verb" {
	man=$(sed 's/\\-/-/g' "$BATS_TEST_DIRNAME/../../docs/handoff.1")
	synopsis=$(sed -n '/^.Sh SYNOPSIS/,/^.Sh DESCRIPTION/p' <<<"$man")
	for c in $COMMANDS; do
		grep -Eq "^\.Cm (off \| )?$c( |$)" <<<"$synopsis" || { echo "synopsis: $c"; false; }
		grep -Eq "^\.It Cm (off , )?$c( |$)" <<<"$man" || { echo "description: $c"; false; }
	done
	for c in record packet; do
		for v in $("$H" $c --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
			grep -Eq "^\.Cm $c .*$v" <<<"$synopsis" || { echo "synopsis: $c $v"; false; }
			"$H" --help | grep -q "^  $c .*\b$v\b" || { echo "--help: $c $v"; false; }
		done
	done
}

@test "a budget of 0 holds nothing, wherever one is given" {
	"$H" log goal 'Count the apples' >/dev/null
	for b in "--budget 0" "--json --budget 0"; do
		run --separate-stderr -0 "$H" brief $b
		holds "omitted to fit the 0-token budget"
		lacks apples
	done
	HANDOFF_TOKEN_BUDGET=0 run --separate-stderr -0 "$H" brief
	holds "omitted to fit the 0-token budget"
	HANDOFF_TOKEN_BUDGET=20 run --separate-stderr -0 "$H" brief --budget 1200
	holds apples
	# a document has to hold something
	run --separate-stderr -64 "$BIN/handoff-recover" doc --budget 0
	for b in -1 x '' 1e3 99999999999999999999; do
		run --separate-stderr -64 "$H" brief --budget "$b"
	done
}

@test "each option with a value says so when it has none" {
	for c in $COMMANDS; do
		case $c in recover | draft | recover-start) continue ;; esac
		run -0 "$H" $c --help
		for o in $(sed -n 's/^ .*--\([a-z-]*\)\( [A-Z]\).*/\1/p' <<<"$output"); do
			run --separate-stderr -64 "$H" $c "--$o"
			grumbles "option --$o needs a value"
		done
	done
}

@test "completion knows every command and option, and says so in the shell's own words" {
	for sh in bash zsh fish; do
		run --separate-stderr -0 "$H" completion $sh
		[ -z "$stderr" ]
		for c in $COMMANDS; do
			holds "$c"
		done
		printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/$sh"
		! command -v $sh >/dev/null || run -0 $sh -n "$BATS_TEST_TMPDIR/$sh"
	done
	run --separate-stderr -64 "$H" completion tcsh
	grumbles "bash, zsh or fish"
}

@test "completion in bash: commands, options of a command, words, files" {
	eval "$("$H" completion bash)"
	offers() {
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_handoff
		echo "${COMPREPLY[*]}"
	}
	[ "$(offers handoff ha)" = hazards ]
	[ "$(offers handoff list --a)" = "--all --archive" ]
	[ "$(offers handoff completion z)" = zsh ]
	[ -z "$(offers handoff hazards --reason -)" ]
	[ "$(offers handoff search --type d)" = "decision deadend" ]
	[ "$(offers handoff recover b)" = backbone ]
	# verbs, and their own options
	[ "$(offers handoff record '')" = "write read search outcome stats verify --help" ]
	[ "$(offers handoff packet c)" = "create cancel" ]
	[ "$(offers handoff record write --con)" = --confidence ]
	[ -z "$(offers handoff record read --con)" ]
	[ "$(offers handoff packet create --pa)" = --parent ]
	touch doc.md
	[ "$(offers handoff check do)" = doc.md ]
	[ -z "$(offers handoff recover --)" ]
}

@test "--version" {
	run --separate-stderr -0 "$H" --version
	[[ $output =~ ^handoff\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "what is unknown is a usage error" {
	run --separate-stderr -64 "$H"
	grumbles "no command"
	run --separate-stderr -64 "$H" frobnicate
	grumbles "unknown command 'frobnicate'"
	run --separate-stderr -64 "$H" --frobnicate
	grumbles "unknown option --frobnicate"
	for c in $COMMANDS; do
		case $c in recover | draft | recover-start) continue ;; esac
		run --separate-stderr -64 "$H" $c --frobnicate
		grumbles "unknown option --frobnicate"
	done
}

@test "arguments without a character, and what excludes each other, are usage errors" {
	for c in show check trust forget entities undo "save --session $S" completion; do
		run --separate-stderr -64 "$H" $c ''
		grumbles ''
	done
	run --separate-stderr -64 "$H" entities ''
	grumbles "an argument is empty: entities [NAME]"
	for q in '' ' ' $'\t\n'; do
		run --separate-stderr -64 "$H" search "$q"
		grumbles "the question is empty"
	done
	run --separate-stderr -64 "$H" log goal ' '
	grumbles "the content is empty"
	run --separate-stderr -64 "$H" note '' x
	grumbles "the name is empty"
	run --separate-stderr -64 "$H" search --all --project orchard x
	grumbles "--all and --project exclude each other"
	run --separate-stderr -64 "$H" config budget -3
	grumbles "unknown option -3: a word that begins with - stands behind --"
	run -0 "$H" log decision -- -3 degrees
	[ ! -e "$HANDOFF_VAULT"/orchard/entities ]
}

@test "settings that are no good are said once, also where the command fails for them" {
	mkdir -p "$XDG_CONFIG_HOME/handoff"
	echo '{' >"$XDG_CONFIG_HOME/handoff/config.json"
	run --separate-stderr -1 "$H" config budget 3000
	[ "${#stderr_lines[@]}" = 1 ]
	unset HANDOFF_VAULT
	run --separate-stderr -1 "$H" brief
	grumbles "config.json"
	[ "${#stderr_lines[@]}" = 1 ]
	HANDOFF_VAULT=$HOME/v run --separate-stderr -0 "$H" brief
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "what is missing in an answer stands on a line of its own" {
	touch "$HOME/file"
	XDG_CACHE_HOME=$HOME/file run -0 "$H" brief
	[[ ${lines[-1]} == "(The index of the notes cannot be kept"* ]]
}

@test "missing and superfluous arguments are usage errors" {
	run --separate-stderr -64 "$H" show
	grumbles "missing argument"
	run --separate-stderr -64 "$H" check
	grumbles "missing argument"
	run --separate-stderr -64 "$H" list x
	grumbles "unexpected argument 'x'"
	run --separate-stderr -64 "$H" save </dev/null
	grumbles "--session ID is needed"
	run --separate-stderr -64 "$H" save --session ../x </dev/null
	grumbles "no session id"
}

@test "what skills inline tells what is wrong on standard output, with status 0" {
	run --separate-stderr -0 "$H" draft --frobnicate
	holds "unknown option --frobnicate"
	[ -z "$stderr" ]
	run --separate-stderr -0 "$H" draft --session ../x
	holds "no session id"
	run --separate-stderr -0 "$H" recover-start --session
	holds "needs a value"
	run --separate-stderr -0 "$H" recover-start --session $S -- "no such thing"
	holds "Nothing was recovered"
	[ -z "$stderr" ]
}

@test "recover runs the program beside it, with its arguments and its status" {
	run --separate-stderr -0 "$H" recover --version
	[[ $output == handoff-recover\ * ]]
	run --separate-stderr -64 "$H" recover frobnicate
	run --separate-stderr -0 "$H" recover list --help
	holds "Usage: handoff-recover list"
}

@test "recover without the program beside it says where it looked" {
	cp "$H" "$BATS_TEST_TMPDIR/handoff"
	run --separate-stderr -1 "$BATS_TEST_TMPDIR/handoff" recover
	grumbles "handoff-recover: not installed"
}

@test "a full disk is told, a closed pipe is no failure" {
	[ -w /dev/full ] || skip
	run --separate-stderr -1 bash -c '"$1" --help >/dev/full' _ "$H"
	[[ $stderr == "handoff: standard output: No space left"* ]]
}

@test "closed descriptors do no harm" {
	run -0 bash -c '"$1" status <&- 2>&-' _ "$H"
	run -1 bash -c '"$1" status >&-' _ "$H"
}
