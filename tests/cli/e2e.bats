#!/usr/bin/env bats
# scripts/e2e with made-up npm and prove: what is fatal, what is only said, and what is left behind.

setup()
{
	T=$BATS_TEST_TMPDIR
	E2E=$BATS_TEST_DIRNAME/../../scripts/e2e
	mkdir -p "$T/bin" "$T/build/plugin/.claude-plugin"
	echo '{}' >"$T/build/plugin/.claude-plugin/marketplace.json"
	for tool in node tmux bats jq git; do
		printf '#!/bin/sh\nexit 0\n' >"$T/bin/$tool"
	done
	# npm view ... version; npm install ... --prefix FOLDER PACKAGE@VERSION...
	cat >"$T/bin/npm" <<-'NPM'
		#!/bin/sh
		echo "npm $*" >>"$T/calls"
		if [ -n "$UNREACHABLE" ]; then
			echo 'npm error code ECONNREFUSED' >&2
			echo 'npm error FetchError: nobody answers' >&2
			exit 1
		fi
		[ "$1" = install ] || { echo 9.9.9; exit; }
		while [ "$1" != --prefix ]; do shift; done
		v=${3##*@}
		[ "$v" != "$MISSING" ] || { echo 'npm error notarget No such version' >&2; exit 1; }
		at=$2/node_modules/@anthropic-ai/claude-code-here
		mkdir -p "$at"
		printf '#!/bin/sh\necho "%s (made up)"\n' "$v" >"$at/claude"
		[ "$v" = "$ALIEN" ] || chmod 755 "$at/claude"
	NPM
	cat >"$T/bin/prove" <<-'PROVE'
		#!/bin/sh
		echo "prove $("$E2E_CLIENT" --version)" >>"$T/calls"
		[ -z "$HANG" ] || {
			echo "$TMPDIR" >"$T/rooms"
			HOME=$TMPDIR/room setsid sleep "$HANG" &
			wait
		}
		case " $RED " in *" $("$E2E_CLIENT" --version | cut -d' ' -f1) "*) exit 1 ;; esac
	PROVE
	chmod 755 "$T/bin/"*
	export T UNREACHABLE= MISSING= ALIEN= RED= HANG=
	unset E2E_CLIENTS E2E_JOBS E2E_SECONDS
}

# e2e STATUS: of a whole run
e2e()
{
	run env PATH="$T/bin:/usr/bin:/bin" "$E2E" "$T/build"
	echo "$output"
	[ "$status" = "$1" ]
	last=${lines[${#lines[@]} - 1]}
}

@test "three clients, fetched once" {
	e2e 0
	[ "$last" = 'e2e: green with 2.1.139 2.1.197 9.9.9' ]
	[ "$(grep -c '^prove' "$T/calls")" = 3 ]
	[ "$(grep -c '^npm install' "$T/calls")" = 4 ]
	e2e 0
	[ "$(grep -c '^npm install' "$T/calls")" = 4 ]
}

@test "the newest is red: said, not fatal" {
	RED=9.9.9 e2e 0
	[ "$last" = 'e2e: green with 2.1.139 2.1.197; the newest, 9.9.9, is red, which does not fail the run' ]
}

@test "the newest cannot be had, or does not run here: said, not fatal" {
	MISSING=9.9.9 e2e 0
	[[ $last == *'the newest, 9.9.9, was not run: npm could not fetch it (npm error notarget No such version)' ]]
	ALIEN=9.9.9 e2e 0
	[[ $last == *'the newest, 9.9.9, was not run: no program in @anthropic-ai/claude-code runs on this system' ]]
}

@test "another client is red or cannot be had: fatal, and all others are run" {
	RED='2.1.139 9.9.9' e2e 1
	[ "$last" = 'e2e: failed: red with 2.1.139; green with 2.1.197; the newest, 9.9.9, is red, which does not fail the run' ]
	MISSING=2.1.197 e2e 0 # it is there by now
	rm -rf "$T/build/e2e/clients"
	MISSING=2.1.197 e2e 1
	[ "$last" = 'e2e: failed: client 2.1.197: npm could not fetch it (npm error notarget No such version)' ]
}

@test "npm is not reachable: said, fatal" {
	UNREACHABLE=1 e2e 1
	[ "$last" = 'e2e: failed: npm could not fetch the MCP SDK and the Inspector (npm error FetchError: nobody answers)' ]
	e2e 0
	UNREACHABLE=1 e2e 1 # also when only the newest has to be asked for
	[ "$last" = 'e2e: failed: npm is not reachable (npm error FetchError: nobody answers)' ]
}

@test "the time of the run is over: fatal, nothing is left behind" {
	export E2E_CLIENTS=2.1.197
	e2e 0
	HANG=4711 E2E_SECONDS=3 e2e 1
	[ "$last" = 'e2e: failed: red with 2.1.197; green with none' ]
	[[ $output == *'the 3 seconds of this run are over'* ]]
	rooms=$(cat "$T/rooms")
	[ -n "$rooms" ] && [ ! -e "$rooms" ]
	for p in /proc/[0-9]*; do
		if cat "$p/environ" 2>/dev/null | tr '\0' '\n' | grep -qxF "HOME=$rooms/room"; then
			return 1
		fi
	done
}
