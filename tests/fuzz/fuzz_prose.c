/*
 * Whatever the text: what comes out is part of it or valid text of the size that was asked
 * for, and doing a thing twice gives what once gave where that is promised.
 */
#include "base/utf8.h"
#include "work/prose.h"

#include <stdlib.h>

#define MUST(x)                                                                          \
	do {                                                                             \
		if (!(x))                                                                \
			abort();                                                         \
	} while (0)
#define SENTENCES   64
#define ARENA_BYTES ((size_t)256 << 10)
#define CUT_BYTES   100
#define CUT_EXTRA   4 /* the ellipsis and its blank */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tokens(str s)
{
	struct prose_token t;
	bool tick = false;
	size_t it = 0, before = 0;

	while (prose_token(s, &it, &tick, &t)) {
		MUST(it > before && it <= s.n);
		MUST(t.text.n > 0 && t.text.p >= s.p && t.text.p + t.text.n <= s.p + it);
		before = it;
	}
	MUST(it == s.n);
}

static void check_sentences(str s, bool valid)
{
	struct arena a;
	str out[SENTENCES];
	size_t n;

	for (int lower = 0; lower < 2; lower++) {
		arena_init(&a, ARENA_BYTES);
		n = prose_sentences(&a, s, lower, out, SENTENCES);
		MUST(n <= SENTENCES);
		for (size_t i = 0; i < n; i++) {
			MUST(!valid || utf8_valid(out[i]));
			MUST(prose_value(out[i]) >= 0);
			MUST(prose_constraint(out[i]) <= 3);
			prose_is_filler(out[i]);
			prose_reports(out[i]);
			prose_defines(out[i]);
		}
		arena_release(&a);
	}
}

/* Of a text whose lines are joined every word stays, in its order. */
static void check_wrap(str s)
{
	struct buf out = BUF_INIT(SIZE_MAX), was = BUF_INIT(SIZE_MAX),
		   is = BUF_INIT(SIZE_MAX);

	prose_unwrap(&out, s);
	prose_squeeze(&was, s);
	prose_squeeze(&is, buf_str(&out));
	MUST(str_eq(buf_str(&is), buf_str(&was)));
	buf_release(&out);
	buf_release(&was);
	buf_release(&is);
}

static void check_cuts(str s, bool valid)
{
	struct buf b = BUF_INIT(SIZE_MAX);

	prose_cut(&b, s, CUT_BYTES);
	MUST(b.n <= CUT_BYTES + CUT_EXTRA && (!valid || utf8_valid(buf_str(&b))));
	buf_reset(&b);
	prose_tail(&b, s, CUT_BYTES);
	MUST(b.n <= CUT_BYTES + CUT_EXTRA && (!valid || utf8_valid(buf_str(&b))));
	buf_release(&b);
}

static void check_command(str s, bool valid)
{
	struct buf once = BUF_INIT(SIZE_MAX), twice = BUF_INIT(SIZE_MAX);
	str core;

	prose_command(&once, s);
	MUST(str_chr(buf_str(&once), '\n') == STR_NPOS);
	MUST(!valid || utf8_valid(buf_str(&once)));
	for (int pipes = 0; pipes < 2; pipes++) {
		size_t it = 0;
		str part;

		while (prose_command_part(s, pipes, &it, &part))
			MUST(part.n && part.p >= s.p && part.p + part.n <= s.p + s.n);
	}
	prose_only_reads(s);
	core = prose_command_core(buf_str(&once));
	MUST(str_eq(prose_command_core(core), core));
	prose_family(&twice, core);
	MUST(twice.n <= core.n);
	prose_is_check(core);
	prose_is_act(core);
	prose_is_explore(core);
	prose_shrugs(core);
	prose_is_piped(core);
	buf_release(&once);
	buf_release(&twice);
}

static void check_output(str s, str command, bool valid)
{
	struct buf b = BUF_INIT(SIZE_MAX);
	struct arena a;
	str line[2];
	size_t n;

	arena_init(&a, ARENA_BYTES);
	for (int hard = 0; hard < 2; hard++) {
		n = prose_error_lines(&a, s, command, hard, line);
		for (size_t i = 0; i < n; i++)
			MUST(line[i].n > 0 && (!valid || utf8_valid(line[i])));
	}
	prose_tally(&b, s, command);
	MUST(!valid || utf8_valid(buf_str(&b)));
	prose_tally_fails(buf_str(&b));
	buf_reset(&b);
	prose_plain(&b, s);
	MUST(b.n <= s.n && str_chr(buf_str(&b), '\033') == STR_NPOS);
	buf_release(&b);
	arena_release(&a);
}

static void check_findings(str s, bool valid)
{
	str clause, subject, what;
	size_t it = 0, before = 0;

	while (prose_finding(s, &it, &clause, &subject)) {
		MUST(it > before && it <= s.n && clause.n > 0 && subject.n > 0);
		MUST(!valid || (utf8_valid(clause) && utf8_valid(subject)));
		before = it;
	}
	it = 0;
	while (prose_orders_write(s, &it, &what))
		MUST(what.p >= s.p && what.p + what.n <= s.p + s.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str s = {(const char *)data, size}, rest = s, command;
	bool valid = utf8_valid(s);

	check_tokens(s);
	check_wrap(s);
	check_sentences(s, valid);
	check_cuts(s, valid);
	check_command(s, valid);
	check_findings(s, valid);
	prose_tag(s);
	/* the first line as the command, the rest as its output */
	if (str_line(&rest, &command))
		check_output(rest, command, valid);
	return 0;
}
