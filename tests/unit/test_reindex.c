#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "data/pack.h"
#include "work/reindex.h"

#define DOT "\xc2\xb7"
#define AT  "2026-01-03T09:00:00+00:00"
#define HEADER                                                                           \
	"---\nid: s\nproject: p\nstarted_at: " AT                                        \
	"\nstatus: active\nsummary: \n---\n\n## Log\n\n"

#define EV(id, text)                                                                     \
	"- **[decision]** (imp:3 " DOT " " AT ") " text " <!-- id=" id " -->\n"
#define EVS(id, old, text)                                                               \
	"- **[decision]** (imp:3 " DOT " " AT ") " text " <!-- id=" id                   \
	" supersedes=" old " -->\n"

static struct vault vault;
static struct index *ix;
static struct reindex r;

static void start(bool watch)
{
	struct err e = ERR_INIT;

	test_dir();
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	assert_int_equal(vault_open(&vault, NULL, NULL), 0);
	if (index_open(&ix, &vault, 50, &e))
		fail_msg("%s", e.msg);
	reindex_init(&r, ix, &vault, watch);
}

static void finish(void)
{
	reindex_release(&r);
	index_free(ix);
	vault_release(&vault);
}

static void run_scope(const char *project, enum reindex_scope scope)
{
	struct err e = ERR_INIT;

	if (reindex_run(
		    &r,
		    &(struct reindex_options){.project = str_of(project), .scope = scope},
		    &e))
		fail_msg("%s", e.msg);
}

static void run(void)
{
	run_scope("p", REINDEX_PROJECT);
}

/* Write a note that looks as if it were of long ago, `step` seconds after. */
static void old_note(const char *path, const char *text, int step)
{
	struct timeval t[2] = {{1767430000 + step, 7}, {1767430000 + step, 7}};

	test_write(path, str_of(text));
	assert_int_equal(utimes(test_path(path), t), 0);
}

static int add_item(const struct index_item *it, void *arg)
{
	buf_printf(arg, "%.*s=%.*s;", STR_ARG(it->id), STR_ARG(it->body));
	return 0;
}

static const char *shown_of(const char *project)
{
	static struct buf b;

	buf_release(&b);
	b = (struct buf)BUF_INIT(1 << 20);
	assert_int_equal(
		index_active(ix, str_of(project), EVENT_DECISION, add_item, &b, NULL), 0);
	return buf_cstr(&b);
}

static const char *shown(void)
{
	run();
	return shown_of("p");
}

struct odd {
	const char *name;
	unsigned odd;
	bool found;
};

static int find_odd(const struct index_file *f, void *arg)
{
	struct odd *o = arg;

	if (str_eq(f->name, str_of(o->name))) {
		o->odd = f->odd;
		o->found = true;
	}
	return 0;
}

static unsigned odd_of(const char *name)
{
	struct odd o = {.name = name};

	assert_int_equal(index_odd(ix, STR_NONE, ~0u, find_odd, &o, NULL), 0);
	return o.odd;
}

static void test_reindex__an_empty_vault_has_nothing(void **state)
{
	(void)state;
	start(false);
	assert_string_equal(shown(), "");
	run_scope("", REINDEX_ALL);
	assert_true(index_complete(ix));
	finish();
}

static void test_reindex__edits_of_people_are_seen_at_the_next_call(void **state)
{
	(void)state;
	for (int watch = 0; watch < 2; watch++) {
		start(watch);
		old_note("vault/p/sessions/s.md", HEADER EV("a", "one"), 0);
		assert_string_equal(shown(), "a=one;");
		/* same size, same inode, written at once */
		test_write("vault/p/sessions/s.md", STR(HEADER EV("a", "two")));
		assert_string_equal(shown(), "a=two;");
		test_write("vault/p/sessions/s.md", STR(HEADER EV("a", "six")));
		assert_string_equal(shown(), "a=six;");
		/* replaced by rename */
		test_write("vault/p/sessions/.x", STR(HEADER EV("a", "ten")));
		assert_int_equal(rename(test_path("vault/p/sessions/.x"),
					test_path("vault/p/sessions/s.md")),
				 0);
		assert_string_equal(shown(), "a=ten;");
		test_write("vault/p/sessions/t.md", STR(HEADER EV("b", "new")));
		assert_string_equal(shown(), "a=ten;b=new;");
		assert_int_equal(unlink(test_path("vault/p/sessions/s.md")), 0);
		assert_string_equal(shown(), "b=new;");
		assert_int_equal(rename(test_path("vault/p"), test_path("vault/q")), 0);
		assert_string_equal(shown(), "");
		run_scope("p", REINDEX_ALL);
		assert_string_equal(shown_of("q"), "b=new;");
		finish();
	}
}

static void test_reindex__when_nothing_changed_nothing_is_read(void **state)
{
	(void)state;
	for (int watch = 0; watch < 2; watch++) {
		start(watch);
		old_note("vault/p/sessions/s.md", HEADER EV("a", "one"), 0);
		old_note("vault/p/entities/E.md", "# E\n\n- fact\n", 0);
		run();
		assert_int_equal(r.read, 2);
		run();
		assert_int_equal(r.read, 0);
		/* told of nothing, nothing is even looked at */
		assert_int_equal(r.looked, watch ? 0 : 2);
		finish();
	}
}

static int add_row(const struct index_item *it, void *arg)
{
	buf_printf(arg, "%lld ", (long long)it->row);
	return 0;
}

static void test_reindex__what_was_appended_is_added_and_the_rest_left(void **state)
{
	struct buf before = BUF_INIT(4096), after = BUF_INIT(4096);

	(void)state;
	start(false);
	old_note("vault/p/sessions/s.md", HEADER EV("a", "one") EV("b", "two"), 0);
	run();
	index_active(ix, STR("p"), EVENT_DECISION, add_row, &before, NULL);
	old_note("vault/p/sessions/s.md",
		 HEADER EV("a", "one") EV("b", "two") EV("c", "3"), 1);
	assert_string_equal(shown(), "a=one;b=two;c=3;");
	index_active(ix, STR("p"), EVENT_DECISION, add_row, &after, NULL);
	assert_true(str_starts(buf_str(&after), buf_str(&before)));
	/* appended, and changed before it */
	old_note("vault/p/sessions/s.md",
		 HEADER EV("a", "1ne") EV("b", "two") EV("c", "3") EV("d", "4"), 2);
	assert_string_equal(shown(), "a=1ne;b=two;c=3;d=4;");
	/* cut off, and the header changed */
	old_note("vault/p/sessions/s.md", HEADER EV("a", "1ne"), 3);
	assert_string_equal(shown(), "a=1ne;");
	buf_release(&before);
	buf_release(&after);
	finish();
}

static void test_reindex__a_torn_last_line_is_whole_when_it_is_finished(void **state)
{
	static const char whole[] = HEADER EV("a", "one") EV("b", "two");

	(void)state;
	start(false);
	for (size_t n = 0; n < sizeof whole; n++) {
		const char *want = "";
		struct buf b = BUF_INIT(4096);

		if (n >= sizeof whole - 2)
			want = "a=one;b=two;";
		else if (n >= sizeof(HEADER EV("a", "one")) - 2)
			want = "a=one;";
		buf_add(&b, (str){whole, n});
		old_note("vault/p/sessions/s.md", buf_cstr(&b), (int)n);
		assert_string_equal(shown(), want);
		buf_release(&b);
	}
	old_note("vault/p/sessions/s.md", HEADER "- **[decision]** (imp:3 " DOT, 9000);
	run();
	assert_int_equal(odd_of("s.md"), INDEX_ODD_TORN | INDEX_ODD_LINE);
	finish();
}

static void test_reindex__odd_notes_hide_nothing_and_are_counted(void **state)
{
	static const struct {
		const char *name, *text, *want;
		unsigned odd;
	} row[] = {
		{"utf8", HEADER "\xff\xfe\n" EV("a", "x\xc3"), "a=x\xef\xbf\xbd;",
		 INDEX_ODD_UTF8},
		{"crlf",
		 "---\r\nid: s\r\nproject: p\r\nstarted_at: " AT "\r\n---\r\n"
		 "- **[decision]** (imp:3 " DOT " " AT ") x <!-- id=a -->\r\n",
		 "a=x;", 0},
		{"bom", "\xef\xbb\xbf" HEADER EV("a", "x"), "a=x;", 0},
		{"glued",
		 HEADER "- **[decision]** (imp:3 " DOT " " AT
			") x <!-- id=a -->" EV("b", "y"),
		 "a=x;b=y;", INDEX_ODD_GLUED},
		{"twice", "---\nid: z\nid: s\nproject: q\nproject: p\n---\n" EV("a", "x"),
		 "a=x;", INDEX_ODD_TWICE},
		{"bare", EV("a", "x"), "a=x;", INDEX_ODD_FRONT},
		{"open", "---\nid: s\n" EV("a", "x"), "a=x;", INDEX_ODD_FRONT},
		{"other", "---\nid: other\nproject: elsewhere\n---\n" EV("a", "x"),
		 "a=x;", INDEX_ODD_NAME},
		{"time",
		 "---\nid: s\nstarted_at: soon\n---\n"
		 "- **[decision]** (imp:77 " DOT " soon) x <!-- id=a -->\n",
		 "a=x;", INDEX_ODD_TIME},
		{"blank",
		 HEADER "- **[decision]** (imp:3 " DOT " " AT
			")     <!-- id=b -->\n" EV("a", "x"),
		 "a=x;", INDEX_ODD_LINE},
		{"separators", HEADER EV("a", "x\xe2\x80\xa8y\xc2\x85z"), "a=x y z;", 0},
		{"empty", "", "", INDEX_ODD_EMPTY | INDEX_ODD_FRONT},
		{"secret",
		 HEADER EV("a", "token ghp_0123456789abcdefghijABCDEFGHIJ012345"),
		 "a=token [redacted:github-token];", INDEX_ODD_SECRET},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		start(false);
		old_note("vault/p/sessions/s.md", row[i].text, 0);
		if (strcmp(shown(), row[i].want) != 0 || odd_of("s.md") != row[i].odd)
			fail_msg("%s: %s, odd %x", row[i].name, shown_of("p"),
				 odd_of("s.md"));
		finish();
	}
}

static void test_reindex__nul_bytes_and_huge_lines(void **state)
{
	struct buf b = BUF_INIT(4u << 20);

	(void)state;
	start(false);
	buf_add(&b, STR(HEADER "a\0b\n" EV("a", "x\0y")));
	buf_add(&b, STR("- **[decision]** (imp:3 " DOT " " AT ") "));
	buf_fill(&b, 'w', 3u << 20);
	buf_add(&b, STR(" <!-- id=long -->\n" EV("b", "z")));
	test_write("vault/p/sessions/s.md", buf_str(&b));
	assert_string_equal(shown(), "a=xy;b=z;");
	assert_int_equal(odd_of("s.md"), INDEX_ODD_NUL | INDEX_ODD_LONG);
	/* what is appended behind it is added */
	buf_add(&b, STR(EV("c", "zz")));
	test_write("vault/p/sessions/s.md", buf_str(&b));
	assert_string_equal(shown(), "a=xy;b=z;c=zz;");
	buf_release(&b);
	finish();
}

static void test_reindex__what_is_no_file_or_cannot_be_read(void **state)
{
	int fd;

	(void)state;
	start(false);
	old_note("vault/p/sessions/s.md", HEADER EV("a", "x"), 0);
	old_note("outside.md", HEADER EV("out", "side"), 0);
	assert_int_equal(mkfifo(test_path("vault/p/sessions/fifo.md"), 0600), 0);
	assert_int_equal(mkdir(test_path("vault/p/sessions/dir.md"), 0700), 0);
	assert_int_equal(
		symlink(test_path("outside.md"), test_path("vault/p/sessions/link.md")),
		0);
	fd = open(test_path("vault/p/sessions/sparse.md"), O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0 && ftruncate(fd, (off_t)8 << 30) == 0);
	close(fd);
	assert_string_equal(shown(), "a=x;");
	assert_int_equal(odd_of("fifo.md"), INDEX_ODD_TYPE);
	assert_int_equal(odd_of("dir.md"), INDEX_ODD_TYPE);
	assert_int_equal(odd_of("link.md"), INDEX_ODD_TYPE);
	assert_true(odd_of("sparse.md") & INDEX_ODD_BIG);
	assert_true(odd_of("sparse.md") & INDEX_ODD_LONG);
	/* a note that becomes a FIFO is none any more */
	assert_int_equal(unlink(test_path("vault/p/sessions/s.md")), 0);
	assert_int_equal(mkfifo(test_path("vault/p/sessions/s.md"), 0600), 0);
	assert_string_equal(shown(), "");
	finish();
}

static void test_reindex__folders_that_are_links_are_not_followed(void **state)
{
	(void)state;
	start(false);
	old_note("elsewhere/sessions/s.md", HEADER EV("a", "x"), 0);
	old_note("vault/q/sessions/s.md", HEADER EV("b", "y"), 0);
	assert_int_equal(symlink(test_path("elsewhere"), test_path("vault/p")), 0);
	assert_int_equal(
		symlink(test_path("elsewhere/sessions"), test_path("vault/q/entities")),
		0);
	assert_string_equal(shown(), "");
	run_scope("p", REINDEX_ALL);
	assert_string_equal(shown_of("p"), "");
	assert_string_equal(shown_of("q"), "b=y;");
	/* a project that becomes a link is forgotten */
	assert_int_equal(rename(test_path("vault/q"), test_path("r")), 0);
	assert_int_equal(symlink(test_path("r"), test_path("vault/q")), 0);
	run_scope("p", REINDEX_ALL);
	assert_string_equal(shown_of("q"), "");
	finish();
}

static void test_reindex__the_archive_retires_and_is_not_active(void **state)
{
	(void)state;
	start(false);
	old_note("vault/p/sessions/s.md", HEADER EV("a", "old") EV("c", "other"), 0);
	old_note("vault/p/sessions/t.md", HEADER EVS("b", "a", "new"), 0);
	assert_string_equal(shown(), "b=new;c=other;");
	assert_int_equal(mkdir(test_path("vault/p/archive"), 0700), 0);
	assert_int_equal(rename(test_path("vault/p/sessions/t.md"),
				test_path("vault/p/archive/t.md")),
			 0);
	assert_string_equal(shown(), "c=other;");
	assert_int_equal(unlink(test_path("vault/p/archive/t.md")), 0);
	assert_string_equal(shown(), "a=old;c=other;");
	finish();
}

static void test_reindex__conflicted_copies_count_once(void **state)
{
	size_t n[EVENT_TYPES];

	(void)state;
	start(false);
	old_note("vault/p/sessions/s.md", HEADER EV("a", "x") EV("b", "y"), 0);
	old_note("vault/p/sessions/s (conflicted copy).md",
		 HEADER EV("a", "x") EV("b", "z"), 0);
	assert_string_equal(shown(), "a=x;b=z;b=y;");
	assert_int_equal(index_counts(ix, STR("p"), n, NULL), 0);
	assert_int_equal(n[EVENT_DECISION], 3);
	finish();
}

static int add_entity(str name, str summary, size_t facts, void *arg)
{
	buf_printf(arg, "%.*s|%.*s|%zu;", STR_ARG(name), STR_ARG(summary), facts);
	return 0;
}

static void test_reindex__entities_and_their_facts(void **state)
{
	struct buf b = BUF_INIT(4096), s = BUF_INIT(4096);
	struct index_file f;
	struct buf texts = BUF_INIT(4096);

	(void)state;
	start(false);
	old_note(
		"vault/p/entities/Storage.md",
		"# Storage: the disk\n\n- One SQLite file per site.\n  More of it.\n"
		"- Backups nightly.\n\n## Later\nA paragraph\nof two lines.\n\nAnother.\n",
		0);
	old_note("vault/p/entities/Stub.md", "# Stub\n\n", 0);
	old_note("vault/p/entities/none.md", "", 0);
	run();
	assert_int_equal(index_entities(ix, STR("p"), add_entity, &b, NULL), 0);
	assert_string_equal(
		buf_cstr(&b),
		"Storage: the disk|One SQLite file per site.|4;Stub||0;none||0;");
	assert_int_equal(index_entity_summary(ix, STR("p"), STR("Storage"), &s, NULL), 0);
	assert_string_equal(buf_cstr(&s), "One SQLite file per site.");
	assert_int_equal(index_entity_summary(ix, STR("p"), STR("Gone"), &s, NULL),
			 HF_ENOTFOUND);
	assert_int_equal(index_file_find(ix, VAULT_ENTITIES, STR("p"), STR("Storage.md"),
					 &f, &texts, NULL),
			 0);
	buf_reset(&b);
	assert_int_equal(index_span(ix, f.id, 0, 9, add_item, &b, NULL), 0);
	assert_string_equal(
		buf_cstr(&b),
		"Storage: the disk=One SQLite file per site.\nMore of it.;"
		"Storage: the disk=Backups nightly.;"
		"Storage: the disk=A paragraph\nof two lines.;Storage: the disk=Another.;");
	buf_release(&b);
	buf_release(&s);
	buf_release(&texts);
	finish();
}

static int add_kind(const struct index_item *it, void *arg)
{
	buf_printf(arg, "%d %.*s %.*s %.*s %u|", it->kind, STR_ARG(it->id),
		   STR_ARG(it->name), STR_ARG(it->session), it->retired);
	return 0;
}

static void test_reindex__documents_by_section_and_summaries(void **state)
{
	static const char doc[] = "---\nproject: p\nkind: auto\nsource_session: abc\n"
				  "created: 2026-01-03T09:00:00Z\n---\n# Handoff: x\n\n"
				  "## Goal\nShip.\n\n## Next\n\n## Hazards\n- fire\n";
	static const struct {
		enum vault_folder folder;
		const char *name, *want;
	} row[] = {
		{VAULT_HANDOFFS, "d.md", "3 d Goal abc 0|3 d Hazards abc 0|"},
		{VAULT_ARCHIVE, "d.md", "3 d Goal abc 0|3 d Hazards abc 0|"},
		{VAULT_SESSIONS, "s.md", "2 s  s 0|0 a  s 0|"},
	};
	struct buf texts = BUF_INIT(4096), b = BUF_INIT(4096);
	struct index_file f;

	(void)state;
	start(false);
	old_note("vault/p/handoffs/d.md", doc, 0);
	old_note("vault/p/archive/d.md", doc, 0);
	old_note("vault/p/sessions/s.md",
		 "---\nid: s\nproject: p\nstatus: done\nsummary: all of it\n---\n" EV(
			 "a", "x"),
		 0);
	run();
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		assert_int_equal(index_file_find(ix, row[i].folder, STR("p"),
						 str_of(row[i].name), &f, &texts, NULL),
				 0);
		buf_reset(&b);
		assert_int_equal(index_span(ix, f.id, 0, 99, add_kind, &b, NULL), 0);
		assert_string_equal(buf_cstr(&b), row[i].want);
	}
	assert_true(f.done);
	buf_release(&texts);
	buf_release(&b);
	finish();
}

/* A file of the archive, compressed; cut to n bytes unless 0. */
static void packed_note(const char *path, str text, size_t n)
{
	struct buf b = BUF_INIT(4u << 20);

	assert_int_equal(pack_pack(text, &b, NULL), 0);
	test_write(path, n ? str_head(buf_str(&b), n) : buf_str(&b));
	buf_release(&b);
}

static void
test_reindex__compressed_documents_of_the_archive_like_plain_ones(void **state)
{
	static const char doc[] = "---\nproject: p\nkind: auto\nsource_session: abc\n"
				  "created: 2026-01-03T09:00:00Z\n---\n# Handoff: x\n\n"
				  "## Goal\nShip.\n\n## Hazards\n- fire\n";
	static const char want[] = "3 d Goal abc 0|3 d Hazards abc 0|";
	static const struct {
		const char *name;
		unsigned odd;
	} none[] = {{"cut.md.zst", INDEX_ODD_PACKED},
		    {"plain.md.zst", INDEX_ODD_PACKED},
		    {"note.md.zst", 0},
		    {"long.md.zst", INDEX_ODD_BIG},
		    {"nothing.md.zst", INDEX_ODD_EMPTY | INDEX_ODD_PACKED}};
	struct buf texts = BUF_INIT(4096), b = BUF_INIT(4096), big = BUF_INIT(4u << 20);
	struct index_file f;

	(void)state;
	start(false);
	old_note("vault/p/archive/d.md", doc, 0);
	run();
	packed_note("vault/p/archive/d.md.zst", str_of(doc), 0);
	assert_int_equal(unlink(test_path("vault/p/archive/d.md")), 0);
	packed_note("vault/p/archive/cut.md.zst", str_of(doc), 40);
	test_write("vault/p/archive/plain.md.zst", str_of(doc));
	packed_note("vault/p/archive/note.md.zst", STR(HEADER EV("a", "x")), 0);
	test_write("vault/p/archive/nothing.md.zst", STR(""));
	buf_add(&big, str_of(doc));
	while (big.n <= REINDEX_WHOLE_MAX)
		buf_add(&big, STR("and so on, and so on, and so on, and so on\n"));
	packed_note("vault/p/archive/long.md.zst", buf_str(&big), 0);
	/* only the archive has such */
	packed_note("vault/p/handoffs/e.md.zst", str_of(doc), 0);
	run();
	assert_int_equal(index_file_find(ix, VAULT_ARCHIVE, STR("p"), STR("d.md"), &f,
					 &texts, NULL),
			 0);
	assert_int_equal(f.id, 0);
	assert_int_equal(index_file_find(ix, VAULT_ARCHIVE, STR("p"), STR("d.md.zst"), &f,
					 &texts, NULL),
			 0);
	assert_int_equal(index_span(ix, f.id, 0, 99, add_kind, &b, NULL), 0);
	assert_string_equal(buf_cstr(&b), want);
	buf_reset(&b);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		assert_int_equal(index_file_find(ix, VAULT_ARCHIVE, STR("p"),
						 str_of(none[i].name), &f, &texts, NULL),
				 0);
		assert_true(f.id != 0);
		assert_int_equal(f.odd, none[i].odd);
		assert_int_equal(index_span(ix, f.id, 0, 99, add_kind, &b, NULL), 0);
		assert_int_equal(b.n, 0);
	}
	assert_int_equal(index_file_find(ix, VAULT_HANDOFFS, STR("p"), STR("e.md.zst"),
					 &f, &texts, NULL),
			 0);
	assert_int_equal(f.id, 0);
	buf_release(&texts);
	buf_release(&b);
	buf_release(&big);
	finish();
}

static void test_reindex__other_projects_now_and_then(void **state)
{
	(void)state;
	for (int watch = 0; watch < 2; watch++) {
		start(watch);
		old_note("vault/p/sessions/s.md", HEADER EV("a", "x"), 0);
		old_note("vault/q/sessions/s.md", HEADER EV("b", "y"), 0);
		run();
		assert_string_equal(shown_of("q"), "");
		assert_false(index_complete(ix));
		run_scope("p", REINDEX_OTHERS); /* the first time all is read */
		assert_true(index_complete(ix));
		assert_string_equal(shown_of("q"), "b=y;");
		old_note("vault/q/sessions/t.md", HEADER EV("c", "z"), 1);
		run_scope("p", REINDEX_OTHERS); /* not again so soon */
		assert_string_equal(shown_of("q"), "b=y;");
		run_scope("p", REINDEX_ALL);
		assert_string_equal(shown_of("q"), "b=y;c=z;");
		/* a note of today that grew, and one that came, are seen by a quick look */
		test_write("vault/q/sessions/u.md", STR(HEADER EV("d", "1")));
		r.others_ns = 1;
		run_scope("p", REINDEX_OTHERS);
		assert_string_equal(shown_of("q"), "b=y;c=z;d=1;");
		test_write("vault/q/sessions/u.md",
			   STR(HEADER EV("d", "1") EV("e", "2")));
		r.others_ns = 1;
		run_scope("p", REINDEX_OTHERS);
		assert_string_equal(shown_of("q"), "b=y;c=z;d=1;e=2;");
		finish();
	}
}

static void test_reindex__another_writer_is_not_waited_for(void **state)
{
	struct index *other;

	(void)state;
	start(false);
	old_note("vault/p/sessions/s.md", HEADER EV("a", "x"), 0);
	run();
	assert_int_equal(index_open(&other, &vault, 50, NULL), 0);
	assert_int_equal(index_begin(other, NULL), 0);
	old_note("vault/p/sessions/t.md", HEADER EV("b", "y"), 0);
	assert_string_equal(shown(), "a=x;");
	assert_true(r.busy && r.left == 1);
	assert_int_equal(reindex_file(&r, VAULT_SESSIONS, STR("p"), STR("t.md"), NULL),
			 HF_ETIME);
	index_rollback(other);
	index_free(other);
	assert_int_equal(reindex_file(&r, VAULT_SESSIONS, STR("p"), STR("t.md"), NULL),
			 0);
	assert_string_equal(shown_of("p"), "a=x;b=y;");
	finish();
}

static void test_reindex__a_deadline_leaves_a_rest_that_is_read_next_time(void **state)
{
	char name[64];
	size_t runs = 0;

	(void)state;
	start(false);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof name, "vault/p/sessions/s%02d.md", i);
		old_note(name, HEADER EV("a", "x"), 0);
	}
	assert_int_equal(reindex_run(&r,
				     &(struct reindex_options){.project = STR("p"),
							       .scope = REINDEX_ALL,
							       .deadline_ns = 1},
				     NULL),
			 0);
	assert_true(r.left > 0 && r.read == 0);
	assert_false(index_complete(ix));
	do {
		assert_int_equal(
			reindex_run(&r,
				    &(struct reindex_options){
					    .project = STR("p"),
					    .scope = REINDEX_ALL,
					    .deadline_ns = clock_mono_ns() + 2000000},
				    NULL),
			0);
		assert_true(runs++ < 1000);
		assert_true(index_complete(ix) == !r.left);
	} while (r.left);
	finish();
}

static void test_reindex__a_damaged_index_is_rebuilt_on_the_way(void **state)
{
	char *path;
	int fd;

	(void)state;
	start(false);
	old_note("vault/p/sessions/s.md", HEADER EV("a", "x"), 0);
	run_scope("p", REINDEX_ALL);
	path = str_dup(str_of(index_path(ix)));
	finish();
	fd = open(path, O_WRONLY);
	for (off_t i = 4096; i < 20 * 4096; i += 64)
		assert_int_equal(pwrite(fd, "garbage", 7, i), 7);
	close(fd);
	free(path);
	assert_int_equal(vault_open(&vault, NULL, NULL), 0);
	assert_int_equal(index_open(&ix, &vault, 50, NULL), 0);
	reindex_init(&r, ix, &vault, false);
	run_scope("p", REINDEX_ALL);
	assert_true(index_complete(ix));
	assert_string_equal(shown_of("p"), "a=x;");
	finish();
}

/* A program that lives on is told of changes in the vault, but nobody tells it of this. */
static void test_reindex__an_index_that_was_removed_is_read_anew(void **state)
{
	static const bool watched[] = {false, true};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct index *other;
		struct reindex w;

		start(watched[i]);
		old_note("vault/p/sessions/s.md", HEADER EV("a", "x"), 0);
		old_note("vault/q/sessions/s.md", HEADER EV("b", "y"), 0);
		run_scope("p", REINDEX_OTHERS);
		run_scope("p", REINDEX_OTHERS);
		assert_int_equal(unlink(index_path(ix)), 0);
		run_scope("p", REINDEX_OTHERS);
		assert_string_equal(shown_of("p"), "a=x;");
		assert_string_equal(shown_of("q"), "b=y;");
		/* another process begins it again, and reads one project */
		assert_int_equal(unlink(index_path(ix)), 0);
		assert_int_equal(index_open(&other, &vault, 50, NULL), 0);
		reindex_init(&w, other, &vault, false);
		assert_int_equal(
			reindex_run(&w, &(struct reindex_options){.project = STR("q")},
				    NULL),
			0);
		reindex_release(&w);
		index_free(other);
		run_scope("p", REINDEX_OTHERS);
		assert_string_equal(shown_of("p"), "a=x;");
		finish();
	}
}

static void
test_reindex__an_index_that_cannot_grow_is_left_for_a_temporary_one(void **state)
{
	struct rlimit old, small;
	static char note[64 << 10];
	size_t n = 0;

	(void)state;
	start(false);
	run_scope("p", REINDEX_ALL);
	n += (size_t)snprintf(note, sizeof note, HEADER);
	for (int i = 0; i < 300; i++)
		n += (size_t)snprintf(note + n, sizeof note - n,
				      EV("e%d", "words of decision number %d"), i, i);
	old_note("vault/p/sessions/s.md", note, 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){24 << 10, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	run_scope("p", REINDEX_ALL);
	assert_non_null(index_homeless(ix));
	assert_true(index_complete(ix));
	n = 0;
	for (const char *p = shown_of("p"); *p; p++)
		n += *p == ';';
	assert_int_equal(n, 300);
	/* and goes on: what is changed later is in it */
	old_note("vault/p/sessions/t.md", HEADER EV("late", "x"), 0);
	run();
	assert_non_null(strstr(shown_of("p"), "late=x;"));
	finish();
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
}

static void test_reindex__a_rebuild_that_is_killed_goes_on(void **state)
{
	size_t n[EVENT_TYPES];
	char name[64], id[600];
	int status;
	bool was_whole = false;

	(void)state;
	start(false);
	finish();
	for (int i = 0; i < 600; i++) {
		snprintf(name, sizeof name, "vault/p/sessions/s%03d.md", i);
		snprintf(id, sizeof id,
			 HEADER "- **[goal]** (imp:3 " DOT " " AT ") x <!-- id=e%d -->\n",
			 i);
		old_note(name, id, 0);
	}
	assert_int_equal(vault_open(&vault, NULL, NULL), 0);
	for (int round = 0; round < 8 && !was_whole; round++) {
		pid_t pid = fork();

		if (pid == 0) {
			struct index *mine;
			struct reindex w;

			if (index_open(&mine, &vault, 50, NULL))
				_exit(1);
			reindex_init(&w, mine, &vault, false);
			reindex_run(&w, &(struct reindex_options){.scope = REINDEX_ALL},
				    NULL);
			_exit(0);
		}
		usleep(4000u * (unsigned)(round + 1));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		assert_int_equal(index_open(&ix, &vault, 50, NULL), 0);
		was_whole = index_complete(ix);
		assert_int_equal(index_counts(ix, STR("p"), n, NULL), 0);
		assert_true(n[EVENT_GOAL] == 600 || !was_whole);
		index_free(ix);
	}
	assert_int_equal(index_open(&ix, &vault, 50, NULL), 0);
	reindex_init(&r, ix, &vault, false);
	run_scope("p", REINDEX_ALL);
	assert_true(index_complete(ix));
	assert_int_equal(index_counts(ix, STR("p"), n, NULL), 0);
	assert_int_equal(n[EVENT_GOAL], 600);
	finish();
}

#define WRITERS 4
#define LINES   30

/* A process that writes its own note, line by line, and tells the index. */
static void writer(int who)
{
	char name[16], path[64], line[256];
	struct index *mine;
	struct reindex w;
	int fd;

	snprintf(name, sizeof name, "w%d.md", who);
	snprintf(path, sizeof path, "vault/p/sessions/%s", name);
	if (index_open(&mine, &vault, 20, NULL))
		_exit(2);
	reindex_init(&w, mine, &vault, false);
	fd = open(test_path(path), O_WRONLY | O_APPEND);
	for (int i = 0; i < LINES; i++) {
		int n = snprintf(line, sizeof line,
				 "- **[goal]** (imp:3 " DOT " " AT
				 ") x <!-- id=w%dn%d -->\n",
				 who, i),
		    ret;

		if (write(fd, line, (size_t)n) != n)
			_exit(3);
		ret = reindex_file(&w, VAULT_SESSIONS, STR("p"), str_of(name), NULL);
		if (ret && ret != HF_ETIME)
			_exit(4);
	}
	_exit(0);
}

static void test_reindex__many_writers_and_a_reader_that_never_waits(void **state)
{
	pid_t pid[WRITERS];
	size_t n[EVENT_TYPES], last = 0;
	char path[64];
	int status, running = WRITERS;

	(void)state;
	start(false);
	for (int i = 0; i < WRITERS; i++) {
		snprintf(path, sizeof path, "vault/p/sessions/w%d.md", i);
		test_write(path, STR(HEADER));
	}
	run();
	for (int i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			writer(i);
	}
	while (running) {
		assert_int_equal(index_counts(ix, STR("p"), n, NULL), 0);
		assert_true(n[EVENT_GOAL] >= last);
		last = n[EVENT_GOAL];
		if (waitpid(-1, &status, WNOHANG) > 0) {
			assert_int_equal(status, 0);
			running--;
		}
	}
	run();
	assert_int_equal(index_counts(ix, STR("p"), n, NULL), 0);
	assert_int_equal(n[EVENT_GOAL], WRITERS * LINES);
	finish();
}

static void test_reindex__no_failing_call_loses_what_the_vault_holds(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	start(false);
	do {
		old_note("vault/p/sessions/s.md", HEADER EV("a", "x"), ++n);
		old_note("vault/p/entities/E.md", "# E\n\n- fact\n", n);
		fault_at(n);
		reindex_run(&r,
			    &(struct reindex_options){.project = STR("p"),
						      .scope = REINDEX_ALL},
			    NULL);
		met = fault_met();
		fault_off();
		run_scope("p", REINDEX_ALL);
		assert_string_equal(shown_of("p"), "a=x;");
	} while (met);
	assert_true(n > 10);
	finish();
}

static void add_to(const char *path, const char *text)
{
	int fd = open(test_path(path), O_WRONLY | O_APPEND);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void test_reindex__what_a_writer_added_itself_is_not_read_again(void **state)
{
	struct reindex_before before;

	(void)state;
	start(false);
	test_write("vault/p/sessions/s.md", STR(HEADER EV("a", "one")));
	assert_int_equal(reindex_file(&r, VAULT_SESSIONS, STR("p"), STR("s.md"), NULL),
			 0);
	run();
	assert_int_equal(r.read, 0);
	reindex_before(&r, VAULT_SESSIONS, STR("p"), STR("s.md"), &before);
	add_to("vault/p/sessions/s.md", EV("b", "two"));
	/* the row describes what is in the file: hash and all, as a full read finds it */
	assert_int_equal(reindex_added(&r, VAULT_SESSIONS, STR("p"), STR("s.md"), &before,
				       STR(EV("b", "two")), NULL),
			 0);
	assert_string_equal(shown(), "a=one;b=two;");
	assert_int_equal(r.read, 0);
	add_to("vault/p/sessions/s.md", EV("c", "3"));
	assert_string_equal(shown(), "a=one;b=two;c=3;");
	assert_int_equal(r.read, 1);
	finish();
}

static void test_reindex__what_others_added_beside_a_writer_is_seen(void **state)
{
	struct reindex_before before;

	(void)state;
	start(false);
	test_write("vault/p/sessions/s.md", STR(HEADER EV("a", "one")));
	assert_int_equal(reindex_file(&r, VAULT_SESSIONS, STR("p"), STR("s.md"), NULL),
			 0);
	reindex_before(&r, VAULT_SESSIONS, STR("p"), STR("s.md"), &before);
	add_to("vault/p/sessions/s.md", EV("x", "theirs") EV("b", "ours"));
	assert_int_equal(reindex_added(&r, VAULT_SESSIONS, STR("p"), STR("s.md"), &before,
				       STR(EV("b", "ours")), NULL),
			 0);
	assert_string_equal(shown(), "a=one;x=theirs;b=ours;");
	/* replaced, and then added to */
	reindex_before(&r, VAULT_SESSIONS, STR("p"), STR("s.md"), &before);
	test_write("vault/p/sessions/y", STR(HEADER EV("a", "1ne") EV("c", "three")));
	assert_int_equal(rename(test_path("vault/p/sessions/y"),
				test_path("vault/p/sessions/s.md")),
			 0);
	add_to("vault/p/sessions/s.md", EV("d", "4"));
	assert_int_equal(reindex_added(&r, VAULT_SESSIONS, STR("p"), STR("s.md"), &before,
				       STR(EV("d", "4")), NULL),
			 0);
	assert_string_equal(shown(), "a=1ne;c=three;d=4;");
	finish();
}

static void test_reindex__a_secret_that_somebody_wrote_as_an_id_is_not_in_it(void **state)
{
	struct buf b = BUF_INIT(4u << 20);

	(void)state;
	start(false);
	old_note("vault/p/sessions/s.md",
		 HEADER EV("ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "x")
			 EVS("ev_1", "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "y"),
		 0);
	assert_string_equal(shown(), "ev_1=y;"); /* the other is retired by it */
	assert_true(odd_of("s.md") & INDEX_ODD_SECRET);
	for (int i = 0; i < 2; i++) {
		buf_reset(&b);
		buf_printf(&b, "%s%s", index_path(ix), i ? "-wal" : "");
		assert_int_equal(str_find(test_read(buf_cstr(&b)), STR("AbCdEf")),
				 STR_NPOS);
	}
	finish();
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_reindex__what_a_writer_added_itself_is_not_read_again),
		cmocka_unit_test(test_reindex__what_others_added_beside_a_writer_is_seen),
		cmocka_unit_test(test_reindex__an_empty_vault_has_nothing),
		cmocka_unit_test(test_reindex__edits_of_people_are_seen_at_the_next_call),
		cmocka_unit_test(test_reindex__when_nothing_changed_nothing_is_read),
		cmocka_unit_test(
			test_reindex__what_was_appended_is_added_and_the_rest_left),
		cmocka_unit_test(
			test_reindex__a_torn_last_line_is_whole_when_it_is_finished),
		cmocka_unit_test(test_reindex__odd_notes_hide_nothing_and_are_counted),
		cmocka_unit_test(test_reindex__nul_bytes_and_huge_lines),
		cmocka_unit_test(test_reindex__what_is_no_file_or_cannot_be_read),
		cmocka_unit_test(test_reindex__folders_that_are_links_are_not_followed),
		cmocka_unit_test(test_reindex__the_archive_retires_and_is_not_active),
		cmocka_unit_test(test_reindex__conflicted_copies_count_once),
		cmocka_unit_test(test_reindex__entities_and_their_facts),
		cmocka_unit_test(test_reindex__documents_by_section_and_summaries),
		cmocka_unit_test(
			test_reindex__compressed_documents_of_the_archive_like_plain_ones),
		cmocka_unit_test(test_reindex__other_projects_now_and_then),
		cmocka_unit_test(test_reindex__another_writer_is_not_waited_for),
		cmocka_unit_test(
			test_reindex__a_deadline_leaves_a_rest_that_is_read_next_time),
		cmocka_unit_test(test_reindex__a_damaged_index_is_rebuilt_on_the_way),
		cmocka_unit_test(
			test_reindex__a_secret_that_somebody_wrote_as_an_id_is_not_in_it),
		cmocka_unit_test(test_reindex__an_index_that_was_removed_is_read_anew),
		cmocka_unit_test(
			test_reindex__an_index_that_cannot_grow_is_left_for_a_temporary_one),
		cmocka_unit_test(test_reindex__a_rebuild_that_is_killed_goes_on),
		cmocka_unit_test(
			test_reindex__many_writers_and_a_reader_that_never_waits),
		cmocka_unit_test(
			test_reindex__no_failing_call_loses_what_the_vault_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
