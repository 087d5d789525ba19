#!/usr/bin/env bats
# Each rule of scripts/lint is broken once in a tree of three modules, and has to be heard of.

setup()
{
	lint=$PWD/scripts/lint
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/lib/base" "$tree/lib/data" "$tree/tests/unit"
	cd "$tree"
	for m in base/low base/high data/top; do
		b=${m##*/}
		printf 'int %s_it(int v);\n' "$b" >"lib/$m.h"
		printf '#include "%s.h"\nint %s_it(int v)\n{\n\treturn v;\n}\n' "$m" "$b" >"lib/$m.c"
		: >"tests/unit/test_$b.c"
	done
	printf '#include "base/low.h"\nint high_it(int v);\n' >lib/base/high.h
	printf '#include "base/high.h"\nint top_it(int v);\n' >lib/data/top.h
	git init -q .
}

# put a line before the others of a file
before()
{
	{ printf '%s\n' "$2"; cat "$1"; } >new
	mv new "$1"
}

# build the archive and lint the tree
lint()
{
	for f in lib/*/*.c; do
		"${CC:-cc}" -Ilib -c -o "$(basename "$f" .c).o" "$f"
	done
	rm -f lib.a
	ar rcs lib.a ./*.o
	run "$lint" lib.a
}

# the tree breaks one rule, once, and lint says so
says()
{
	lint
	[ "$status" -eq 1 ]
	[[ "$output" == *"$1"* ]]
	[[ "$output" == *"lint: 1 violations" ]]
}

@test "a tidy tree passes" {
	lint
	[ "$status" -eq 0 ]
	[[ "$output" == "lint: 3 modules, "*": all rules hold" ]]
}

@test "a header that does not compile alone" {
	echo 'size_t top_size(void);' >>lib/data/top.h
	before lib/data/top.c '#include <stddef.h>'
	lint
	[ "$status" -eq 1 ]
	[[ "$output" == *"lib/data/top.h:3:"*"size_t"* ]]
}

@test "an include that points up" {
	: >lib/data/top.h
	before lib/base/low.c '#include "data/top.h"'
	says "lib/base/low.c:1: base includes data/top.h: includes point down"
}

@test "an include that is not named from lib" {
	before lib/base/low.c '#include "high.h"'
	says "lib/base/low.c:1: high.h is not named from lib/"
}

@test "includes that go round" {
	before lib/base/low.c '#include "base/high.h"'
	lint
	[ "$status" -eq 1 ]
	[[ "$output" == *"lib/base: includes go round by low"* ]]
}

@test "a third-party header in a module that does not own it" {
	mkdir sys
	: >sys/zstd.h
	before lib/data/top.c '#include <zstd.h>'
	CPATH=sys says "lib/data/top.c:1: only pack includes zstd.h"
}

@test "a symbol that is not named after its module" {
	echo 'int stray; int low_fine;' >>lib/base/low.c
	says "low.c: external symbol stray is not named after the module"
}

@test "a module in two parts shares its name and its test" {
	echo 'int low_more; int low_part_more;' >lib/base/low_part.c
	lint
	[ "$status" -eq 0 ]
}

@test "a function that is banned" {
	before lib/base/low.c 'int low_n(void) { extern int atoi(const char *); return atoi("1"); }'
	says "lib/base/low.c:1: atoi is banned"
}

@test "a banned name inside another is fine" {
	echo 'int low_atoi(int v) { return v; }' >>lib/base/low.c
	lint
	[ "$status" -eq 0 ]
}

@test "a module without a test" {
	rm tests/unit/test_low.c
	says "lib/base/low.c: no tests/unit/test_low.c"
}

@test "a fuzz target without inputs" {
	mkdir tests/fuzz
	: >tests/fuzz/fuzz_low.c
	says "tests/fuzz/fuzz_low.c: no fixtures/corpus/low/"
}

@test "a script that does not parse" {
	mkdir scripts
	printf '#!/bin/sh\nif\n' >scripts/one
	chmod +x scripts/one
	says "scripts/one: "
}

@test "a script that cannot be run" {
	mkdir scripts
	printf '#!/bin/sh\n:\n' >scripts/one
	says "scripts/one: not executable"
}

@test "JSON that is none" {
	mkdir plugin
	echo '{"a":1,}' >plugin/x.json
	says "plugin/x.json: not JSON"
}

@test "a promise" {
	t=TO
	echo "/* ${t}DO: later */" >>lib/base/low.c
	says "lib/base/low.c:6: does not belong here"
}

@test "the path of somebody's machine" {
	home=/ro
	echo "/* see ${home}ot/notes.txt */" >>lib/base/low.c
	says "lib/base/low.c:6: does not belong here"
}
