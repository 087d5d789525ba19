/* Cases as data stand in tests/cases/redact-*.case; see read_case for their form. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "work/redact.h"

#define CASES_DIR "tests/cases"
#define TEXT_MAX  (64u << 20)

/*
 * A case file is a list of
 *
 *   == title
 *   input, any number of lines
 *   --
 *   expected output
 *
 * The last newline of input and output belongs to the file, not to the text. UPDATE=1
 * rewrites the outputs.
 */
struct a_case {
	str title, input, output;
};

static bool read_case(str *rest, struct a_case *c)
{
	str line, *to = &c->input;

	*c = (struct a_case){0};
	if (!str_line(rest, &line) || !str_starts(line, STR("== ")))
		return false;
	c->title = str_from(line, 3);
	while (rest->n && !str_starts(*rest, STR("== "))) {
		const char *at = rest->p;

		str_line(rest, &line);
		if (str_eq(line, STR("--")) && to == &c->input) {
			to = &c->output;
			continue;
		}
		if (!to->p)
			to->p = at;
		to->n = (size_t)(line.p + line.n - to->p);
	}
	return to == &c->output;
}

static str redacted(struct buf *out, str s)
{
	buf_reset(out);
	redact(out, s);
	assert_false(out->full);
	return buf_str(out);
}

static void same_again(str once, str title)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	if (!str_eq(redacted(&b, once), once))
		print_message("not idempotent: %.*s\n", STR_ARG(title));
	assert_str(buf_str(&b), once);
	buf_release(&b);
}

static int walk_file(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(4096), text = BUF_INIT(TEXT_MAX),
		   out = BUF_INIT(TEXT_MAX);
	struct buf fresh = BUF_INIT(TEXT_MAX);
	struct err e = ERR_INIT;
	struct a_case c;
	int *n = arg;
	str rest;

	if (!str_starts(str_of(name), STR("redact-")) ||
	    !str_ends(str_of(name), STR(".case")))
		return 0;
	fs_join(&path, str_of(dir), str_of(name));
	assert_int_equal(fs_read(buf_cstr(&path), &text, &e), 0);
	rest = buf_str(&text);
	while (rest.n) {
		assert_true(read_case(&rest, &c));
		redacted(&out, c.input);
		if (!getenv("UPDATE") && !str_eq(buf_str(&out), c.output)) {
			print_message("%s: %.*s\n", name, STR_ARG(c.title));
			assert_str(buf_str(&out), c.output);
		}
		same_again(buf_str(&out), c.title);
		buf_printf(&fresh, "== %.*s\n%.*s\n--\n%.*s\n", STR_ARG(c.title),
			   STR_ARG(c.input), STR_ARG(buf_str(&out)));
		++*n;
	}
	if (getenv("UPDATE"))
		assert_int_equal(
			fs_write_atomic(buf_cstr(&path), buf_str(&fresh), 0644, &e), 0);
	buf_release(&path);
	buf_release(&text);
	buf_release(&out);
	buf_release(&fresh);
	return 0;
}

static void test_redact__cases_give_their_expected_output(void **state)
{
	int n = 0;

	(void)state;
	assert_int_equal(fs_each(CASES_DIR, walk_file, &n, NULL), 0);
	assert_true(n > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_redact__cases_give_their_expected_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
