/* Cases as data stand in tests/cases/redact-*.case; see read_case for their form. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "work/redact.h"

#define CASES_DIR     "tests/cases"
#define TEXT_MAX      (64u << 20)
#define TWICE_ROUNDS  20000
#define HOSTILE_BYTES (256u << 10)
#define HOSTILE_NS                                                                       \
	2000000000 /* quadratic would be minutes; linear is a tenth, sanitizers included */

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

/* Wherever the text lies: the pass works in blocks of 64 bytes. */
static void same_everywhere(str in, str out)
{
	struct buf text = BUF_INIT(TEXT_MAX), b = BUF_INIT(TEXT_MAX);

	for (size_t n = 1; n < 66; n++) {
		buf_reset(&text);
		buf_fill(&text, '\n', n);
		buf_add(&text, in);
		redacted(&b, buf_str(&text));
		assert_str(str_from(buf_str(&b), n), out);
	}
	buf_release(&text);
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
		same_everywhere(c.input, buf_str(&out));
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

/* Pieces that rules begin, go on or end with; joined at random they make hard cases. */
static const char *const piece[] = {
	"password",
	"token",
	"API_KEY",
	"DB_PASS",
	"пароль",
	"密码",
	"Authorization",
	"Cookie",
	"session",
	"key",
	"value",
	"name",
	"Bearer ",
	"Basic ",
	"--password ",
	"--token ",
	"-p ",
	"-u ",
	"curl ",
	"sshpass ",
	"login ",
	"is ",
	"=",
	":",
	" = ",
	": ",
	"=>",
	":=",
	"==",
	"：",
	"://",
	"@",
	"/",
	"?",
	"&",
	";",
	",",
	".",
	"\"",
	"'",
	"`",
	"\\\"",
	"\\n",
	"\n",
	"\r\n",
	" ",
	"\t",
	"(",
	")",
	"[",
	"]",
	"{",
	"}",
	"<",
	">",
	"$",
	"${",
	"%",
	"#",
	"*",
	"**",
	"|",
	"-",
	"--",
	"-----",
	"-----BEGIN RSA PRIVATE KEY-----\n",
	"-----END RSA PRIVATE KEY-----",
	"MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu3aozN3tihPmljnnudb9G3HECdnH",
	"hunter2",
	"geheim",
	"ghp_16C7e42F292c6912E7710c838347Ae178B4a",
	"sk-sp-ABCdef1234567890",
	".abcDEF123456",
	"AKIAIOSFODNN7EXAMPLE",
	"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"eyJhbGciOiJIUzI1NiJ9",
	".eyJzdWIiOiIxMjM0NTY3ODkwIn0",
	"8f7d6e5c4b3a29188f7d6e5c4b3a2918",
	"50aaed1234567890abcdef12",
	"$2b$12$abcdefghijklmnopqrstuu",
	"dXNlcjpwYXNz",
	"xxxx",
	"None",
	"string",
	"the",
	"a",
	"x9",
	"\x1b[32m",
	"\x1b[0m",
	"\xc2\xa0",
	"“",
	"”",
	"\xff",
	"\xef",
	"[redacted:password]",
	"[redacted:",
	"https://",
	"123456789:",
	"hvs.",
	"SG.",
	"1//0",
	"Q~"};

static void random_text(struct buf *b, unsigned *seed)
{
	int n = 1 + rand_r(seed) % 24;

	buf_reset(b);
	while (n--)
		buf_add(b, str_of(piece[(size_t)rand_r(seed) %
					(sizeof(piece) / sizeof(*piece))]));
}

static void test_redact__twice_is_once(void **state)
{
	struct buf text = BUF_INIT(TEXT_MAX), once = BUF_INIT(TEXT_MAX);

	(void)state;
	for (unsigned round = 0; round < TWICE_ROUNDS; round++) {
		unsigned seed = round;

		random_text(&text, &seed);
		redacted(&once, buf_str(&text));
		same_again(buf_str(&once), buf_str(&text));
	}
	buf_release(&text);
	buf_release(&once);
}

static void test_redact__a_text_cut_at_every_byte_stays_stable(void **state)
{
	static const char text[] =
		"curl -H \"Authorization: Bearer abc123DEF456ghi789\" https://u:geheim@h/x?token=0a1b2c3d4e\n"
		"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1c7+9z5Pad7Oejecs\n-----END RSA PRIVATE KEY-----\n"
		"{\"password\": \"a \\\"b\\\" c9\"} export X_TOKEN='0a1b2c3d' пароль：ёжик AKIAIOSFODNN7EXAMPLE";
	struct buf once = BUF_INIT(TEXT_MAX);

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++)
		for (size_t from = 0; from < n; from += 1 + from / 8) {
			/* of exactly its size, so that a sanitizer sees a read past its ends */
			char *copy = malloc(n - from);

			memcpy(copy, text + from, n - from);
			redacted(&once, (str){copy, n - from});
			same_again(buf_str(&once), (str){copy, n - from});
			free(copy);
		}
	buf_release(&once);
}

static void test_redact__a_secret_is_found_at_every_offset(void **state)
{
	struct buf text = BUF_INIT(TEXT_MAX), out = BUF_INIT(TEXT_MAX);

	(void)state;
	for (size_t n = 0; n < 200; n++) {
		buf_reset(&text);
		buf_fill(&text, '.', n);
		buf_add(&text,
			STR(" password=hunter2 ghp_16C7e42F292c6912E7710c838347Ae178B4a"));
		buf_reset(&out);
		assert_int_equal(redact(&out, buf_str(&text)), 2);
		assert_int_equal(str_find(buf_str(&out), STR("hunter2")), STR_NPOS);
		assert_int_equal(str_find(buf_str(&out), STR("ghp_")), STR_NPOS);
	}
	buf_release(&text);
	buf_release(&out);
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A quarter of a megabyte of one thing: what a rule that looks too far would take minutes for. */
static void test_redact__time_is_linear_in_hostile_texts(void **state)
{
	static const char *const unit[] = {
		"=",
		":",
		"\"",
		"'",
		"-",
		"--",
		"-----",
		": ",
		"= ",
		"a",
		"_",
		"sw",
		"://",
		"@",
		"a:",
		"a=",
		"\xef\xbc\x9a",
		"password",
		"password=",
		"password:",
		"password=\"",
		"password: \"x",
		"token='",
		"token=",
		"token=a.",
		"token=\"\\\"",
		"key=`",
		"://a:",
		"://a:b/",
		"x@",
		"-----BEGIN RSA PRIVATE KEY-----",
		"-----BEGIN RSA PRIVATE KEY-----\n",
		"-----END RSA PRIVATE KEY-----",
		"MIIEpAIBAAKCAQEA1c7+9z5Pad7O\n",
		"MIIEpAIBAAKCAQEA1c7+9z5Pad7O\n-----END RSA PRIVATE KEY-----",
		"ghp_",
		"sk-",
		"eyJ",
		"eyJ.",
		"AKIAIOSFODNN7EXAMPLE",
		"AKIAIOSFODNN7EXAMPLE ",
		"Cookie: a=",
		"Cookie:",
		"Authorization: Basic ",
		"Authorization: ",
		"$2b$",
		"$",
		"$2b$12$aaaaaaaaaaaaaaaaaaaaaaa ",
		"value: name: ",
		"--password ",
		"--password x ",
		"-p ",
		"sshpass -p ",
		"curl -u a:b ",
		"<token>",
		"<password>",
		"password ",
		"password is ",
		" \t",
		"\x1b[",
		"\x1b[32m",
		"mot de passe",
		"密码",
		"пароль",
		"A.a-",
		"a.b.c.d",
		"hvs.",
		"atlasv1.",
		"aaaaaaaaaaaaaaaa.",
		"[redacted:x]",
		"password=[redacted:",
		"\\",
		"\\\"",
		"token=\\\"",
		"a\n",
		"token:\n",
		"0123456789:AA"};
	struct buf text = BUF_INIT(TEXT_MAX), out = BUF_INIT(TEXT_MAX);

	(void)state;
	for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++) {
		int64_t start;

		buf_reset(&text);
		while (text.n < HOSTILE_BYTES)
			buf_add(&text, str_of(unit[i]));
		start = cpu_ns();
		redacted(&out, buf_str(&text));
		start = cpu_ns() - start;
		if (getenv("VERBOSE"))
			print_message("%6lld us %s\n", (long long)start / 1000, unit[i]);
		if (start > HOSTILE_NS)
			print_message("%lld ms: %s\n", (long long)start / 1000000,
				      unit[i]);
		assert_true(start <=
			    4000000000); /* under a sanitizer and valgrind as well */
		same_again(buf_str(&out), str_of(unit[i]));
	}
	buf_release(&text);
	buf_release(&out);
}

static void test_redact__counts_what_it_replaced_and_keeps_to_the_limit(void **state)
{
	struct buf b = BUF_INIT(10), none = BUF_INIT(0);

	(void)state;
	assert_int_equal(redact(&b, STR("a password=hunter2 token=0a1b2c3d")), 2);
	assert_true(b.full);
	assert_true(b.n <= 10);
	assert_int_equal(redact(&none, STR("")), 0);
	assert_false(none.full);
	assert_int_equal(redact(&none, STR_NONE), 0);
	buf_release(&b);
	buf_release(&none);
}

static void test_redact__environment_files_are_known_by_name(void **state)
{
	static const char *const yes[] = {".env",
					  "/a/.env",
					  ".env.local",
					  "prod.env",
					  ".netrc",
					  "a/_netrc",
					  ".pgpass",
					  ".envrc",
					  "/home/x/.aws/credentials",
					  ".git-credentials"};
	static const char *const no[] = {
		"",         "env",        "environment",    ".environment",
		"x.env.ts", "a/.env/b.c", "credentials.go", "src/env.rs",
		".environ"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_true(redact_is_env_file(str_of(yes[i])));
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_false(redact_is_env_file(str_of(no[i])));
}

static void assert_file(const char *path, const char *text, const char *want)
{
	struct buf b = BUF_INIT(TEXT_MAX), again = BUF_INIT(TEXT_MAX);

	redact_file(&b, str_of(path), str_of(text));
	assert_str(buf_str(&b), str_of(want));
	redact_file(&again, str_of(path), buf_str(&b));
	assert_str(buf_str(&again), str_of(want));
	buf_release(&b);
	buf_release(&again);
}

static void test_redact__every_value_of_an_environment_file_goes(void **state)
{
	(void)state;
	assert_file(
		"/app/.env",
		"# see password=hunter2\nTZ=UTC\nexport NAME=\"two words\"\n\nEMPTY=\nA = b # c\r\nlast='x'",
		"# see password=[redacted:password]\nTZ=[redacted:env]\nexport NAME=\"[redacted:env]\"\n\n"
		"EMPTY=\nA = [redacted:env]\r\nlast='[redacted:env]'");
	assert_file(".env", "     1\xe2\x86\x92TZ=UTC\n    12\tX=1\n",
		    "     1\xe2\x86\x92TZ=[redacted:env]\n    12\tX=[redacted:env]\n");
	assert_file("a.env", "12\nnot an assignment\n", "12\nnot an assignment\n");
	assert_file(
		".aws/credentials",
		"[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\nregion=eu\n",
		"[default]\naws_access_key_id = [redacted:env]\nregion=[redacted:env]\n");
	assert_file(
		".netrc", "machine h login bob password geheim\n  password x account y\n",
		"machine h login bob password [redacted:env]\n  password [redacted:env] account [redacted:env]\n");
	assert_file(".pgpass", "host:5432:db:user:geheim\n",
		    "host:5432:db:user:[redacted:env]\n");
	assert_file(".git-credentials", "https://bob:geheim@example.com\n",
		    "https://bob:[redacted:url-password]@example.com\n");
	assert_file("main.c", "TZ=UTC\npassword=hunter2\n",
		    "TZ=UTC\npassword=[redacted:password]\n");
}

static void assert_show(const char *text, bool oneline, const char *want)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	redact_show(&b, str_of(text), oneline);
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
}

static void test_redact__show_redacts_first_and_then_makes_safe(void **state)
{
	(void)state;
	assert_show("plain\ntext", false, "plain\ntext");
	assert_show("plain\n\ttext ", true, "plain text");
	assert_show("a\x07 password: hunter2\nb", false,
		    "a\\x07 password: [redacted:password]\nb");
	assert_show("password: hunter2\nnext", true,
		    "password: [redacted:password] next");
	assert_show(
		"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----\nx",
		true, "[redacted:private-key] x");
	/* colours inside a name or a value do not hide it */
	assert_show("\x1b[32mpass\x1b[0mword\x1b[0m: hun\x1b[1mter2\x1b[0m\n", false,
		    "password: [redacted:password]\n");
	assert_show("gh\x1b[31mp_16C7e42F292c6912E7710c838347Ae178B4a", true,
		    "[redacted:github-token]");
	assert_show("\xff password=\xff\xfe", false,
		    "\xef\xbf\xbd password=[redacted:password]");
	assert_show("", false, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_redact__cases_give_their_expected_output),
		cmocka_unit_test(test_redact__twice_is_once),
		cmocka_unit_test(test_redact__a_text_cut_at_every_byte_stays_stable),
		cmocka_unit_test(test_redact__a_secret_is_found_at_every_offset),
		cmocka_unit_test(test_redact__time_is_linear_in_hostile_texts),
		cmocka_unit_test(
			test_redact__counts_what_it_replaced_and_keeps_to_the_limit),
		cmocka_unit_test(test_redact__environment_files_are_known_by_name),
		cmocka_unit_test(test_redact__every_value_of_an_environment_file_goes),
		cmocka_unit_test(test_redact__show_redacts_first_and_then_makes_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
