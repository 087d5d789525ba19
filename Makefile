# handoff: memory and crash recovery for Claude Code.
#
#   make                 the programs, in build/bin (static on Linux)
#   make demo            recover the crashed session in fixtures/
#   make test            unit tests, command line tests, saved fuzz inputs, lint
#   make test TESTS=...  only these (build/test/test_buf, tests/cli/list.bats)
#   make check-san       the same tests under ASan and UBSan
#   make memcheck        the programs under valgrind over all fixtures
#   make fuzz            short libFuzzer runs (FUZZ_SECONDS=30, FUZZ=scan)
#   make bench           figures as ratios against named baselines
#   make coverage        lines of lib/ reached by the tests
#   make lint format     check the rules of the house; rewrite the layout
#   make deps            install what is missing (Debian, Ubuntu) or name it
#   make e2e             the plugin in the real client (fetched from npm), E2E_CLIENTS=newest for one
#   make install PREFIX=/usr/local DESTDIR=
#   make plugin          build/plugin: a marketplace with the plugin, as the client takes it
#   make install-plugin  the same for this user: copied, linked, made known to the client
#   make dist-plugin     build/dist-plugin: with bin/<os>-<arch>, for a git branch or npm
#
# SHARED=1 links the system's shared libraries; O=dir builds elsewhere; V=1 shows commands.

O       ?= build
PREFIX  ?= /usr/local
VERSION := 0.1.0
Q       := $(if $(V),,@)
CC      := $(if $(filter default,$(origin CC)),cc,$(CC))
CLANG   ?= clang
FUZZ_SECONDS ?= 30
SYSTEM  := $(shell uname -s)

WARN := -Wall -Wextra -Werror -Wshadow -Wconversion -Wno-sign-conversion -Wvla -Wwrite-strings \
	-Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith -Wformat=2 -Wundef -Wcast-qual
# structs are zeroed and copied with vector moves: gcc's default, rep stos, takes long to start
TUNE := $(if $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),-mtune=skylake)
# nothing unwinds the stack: without the tables for it each program is a tenth of a megabyte smaller
HARD := -fno-asynchronous-unwind-tables -fPIE -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fno-strict-aliasing
BASE_CFLAGS := -std=gnu11 -Ilib -DHANDOFF_VERSION='"$(VERSION)"' -D_GNU_SOURCE
CFLAGS  ?= -O2 -g
LINK    := $(if $(SHARED),shared,$(shell scripts/probe-link "$(CC)" "$(O)"))
ifeq ($(LINK),static)
LDMODE  := -static-pie -Wl,--wrap=dlopen $(shell cat $(O)/link.flags 2>/dev/null)
BASE_CFLAGS += -DHANDOFF_STATIC
LIBS    := $(O)/cjson/libcjson.a -lgit2 -lhttp_parser -lmbedcrypto -lpcre2-8 -lz -lsqlite3 -lzstd -lm -pthread
CJSON   := $(O)/cjson/libcjson.a
INCLUDE := -isystem $(O)/cjson
else
LDMODE  := $(if $(filter Linux,$(SYSTEM)),-pie)
LIBS    := -lgit2 -lmbedcrypto -lsqlite3 -lzstd -lcjson -lm -pthread
INCLUDE := $(shell pkg-config --cflags libcjson 2>/dev/null)
endif
LDFLAGS += $(LDMODE) $(if $(filter Linux,$(SYSTEM)),-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now -Wl$(comma)--gc-sections)
comma   := ,
COMPILE = $(CC) $(BASE_CFLAGS) $(INCLUDE) $(WARN) $(HARD) $(TUNE) $(CFLAGS) $(SAN) -ffunction-sections -MMD -MP

PROGRAMS := $(foreach p,recover:handoff-recover hooks:handoff-hook mcp:handoff-mcp cli:handoff,$(if $(wildcard $(firstword $(subst :, ,$(p)))/main.c),$(p)))
BIN      := $(foreach p,$(PROGRAMS),$(O)/bin/$(lastword $(subst :, ,$(p))))
LIB_OBJ  := $(patsubst %.c,$(O)/obj/%.o,$(wildcard lib/*/*.c))
LIB      := $(O)/libhandoff.a
UNIT     := $(patsubst tests/unit/%.c,$(O)/test/%,$(wildcard tests/unit/test_*.c))
REPLAY   := $(patsubst tests/fuzz/%.c,$(O)/test/%,$(wildcard tests/fuzz/fuzz_*.c))
BENCH    := $(patsubst tests/bench/%.c,$(O)/bench/%,$(wildcard tests/bench/*.c))
FUZZERS  := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

all: $(BIN)
$(O)/deps.%: scripts/deps
	$(Q)scripts/deps $* && mkdir -p $(O) && touch $@
$(O)/cjson/libcjson.a: scripts/cjson | $(O)/deps.build
	$(Q)scripts/cjson $(O)/cjson "$(CC)"
$(O)/obj/%.o: %.c | $(O)/deps.build $(CJSON)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -ffile-prefix-map=$(CURDIR)=. -c -o $@ $<
$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(Q)$(AR) rcsD $@ $^
define program
$(O)/bin/$(2): $(patsubst %.c,$(O)/obj/%.o,$(wildcard $(1)/*.c)) $(LIB)
	@mkdir -p $$(@D)
	$(Q)$(CC) $(CFLAGS) $(SAN) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $(LIB) $$(LIBS) && $(if $(SAN),:,strip $$@)
endef
$(foreach p,$(PROGRAMS),$(eval $(call program,$(firstword $(subst :, ,$(p))),$(lastword $(subst :, ,$(p))))))

# tests: unit and replay programs link the shared cmocka; the rest as above
TEST_LD = $(filter-out -static-pie,$(LDFLAGS)) $(if $(filter static,$(LINK)),-pie)
$(patsubst %.c,$(O)/obj/%.o,$(wildcard tests/unit/*.c)): | $(O)/deps.test
$(O)/test/test_%: $(O)/obj/tests/unit/test_%.o $(O)/obj/tests/unit/fault.o $(LIB) | $(O)/deps.test
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SAN) $(TEST_LD) -o $@ $(filter %.o,$^) $(LIB) $(LIBS) -lcmocka
$(O)/test/fuzz_%: $(O)/obj/tests/fuzz/fuzz_%.o $(O)/obj/tests/fuzz/replay.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SAN) $(TEST_LD) -o $@ $(filter %.o,$^) $(LIB) $(LIBS)
$(O)/bench/%: $(O)/obj/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LIBS)
test check: all $(UNIT) $(REPLAY) $(if $(TESTS),,lint) | $(O)/deps.test
	$(Q)HANDOFF_BIN=$(abspath $(O)/bin) HANDOFF_TEST=$(abspath $(O)/test) CMOCKA_MESSAGE_OUTPUT=TAP \
		prove $(or $(TESTS),$(UNIT) $(REPLAY) $(wildcard tests/cli/*.bats))
check-san:
	$(Q)$(MAKE) O=$(O)/san SHARED=1 SAN="-fsanitize=address,undefined -fno-sanitize-recover=all" CFLAGS="-O1 -g -fno-omit-frame-pointer" \
		HARD="-fPIE -fno-strict-aliasing" test
memcheck: all | $(O)/deps.dev
	$(Q)scripts/memcheck $(O)/bin
fuzz: | $(O)/deps.test $(O)/deps.dev
	$(Q)scripts/fuzz "$(CLANG)" $(O)/fuzz $(FUZZ_SECONDS) $(or $(FUZZ),$(FUZZERS))
bench: all $(BENCH) | $(O)/deps.dev
	$(Q)scripts/bench $(O)
coverage: | $(O)/deps.dev
	$(Q)$(MAKE) O=$(O)/cov SHARED=1 SAN=--coverage CFLAGS="-O0 -g" HARD= test
	$(Q)scripts/coverage $(O)/cov
lint: $(LIB) | $(O)/deps.test
	$(Q)CC="$(CC)" scripts/lint $(LIB)
format: | $(O)/deps.dev
	$(Q)clang-format -i $$(git ls-files -co --exclude-standard '*.c' '*.h')
demo: all
	$(Q)scripts/demo $(O)/bin
deps: $(O)/deps.build $(O)/deps.test $(O)/deps.dev
install: all
	$(Q)mkdir -p $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin
	$(Q)install -m 644 $(wildcard docs/*.1) $(DESTDIR)$(PREFIX)/share/man/man1
plugin: all
	$(Q)scripts/plugin build $(O)/bin $(O)/plugin $(VERSION)
install-plugin: plugin
	$(Q)scripts/plugin install $(O)/plugin
dist-plugin: all
	$(Q)scripts/plugin dist $(O)/bin $(O)/dist-plugin $(VERSION)
e2e: plugin | $(O)/deps.e2e
	$(Q)scripts/e2e $(O) $(TESTS)
clean:
	$(Q)rm -rf $(O)
.PHONY: all test check check-san memcheck fuzz bench coverage lint format demo deps install plugin install-plugin dist-plugin e2e clean
.SECONDARY:
-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)
