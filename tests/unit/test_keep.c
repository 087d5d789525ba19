#include "fault.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "work/keep.h"

#define SESSION "11111111-2222-4333-8444-555555555555"
#define WHOLE   "fixtures/transcripts/killed-mid-bash.jsonl"

struct run {
	struct vault v;
	struct journal *j;
	struct keep_options o;
	struct keep_done done;
	struct err e;
};

static void begin(struct run *r)
{
	*r = (struct run){.o = {.status = DOCS_LIVE,
				.kind = HANDOFF_AUTO,
				.render = true,
				.no_git = true}};
	test_dir();
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	setenv("HANDOFF_NOW", "2026-07-16T12:00:00Z", 1);
	assert_int_equal(vault_open(&r->v, NULL, NULL), 0);
	r->j = journal_open(test_path("state"), STR(SESSION), NULL);
	r->j->started_at = INT64_C(1784203200000);
	journal_set(&r->j->project, STR("lantern"));
	journal_set(&r->j->transcript, str_of(test_path("t.jsonl")));
	journal_set(&r->j->dir, str_of(test_path(".")));
}

static void end(struct run *r)
{
	journal_free(r->j);
	vault_release(&r->v);
}

static int update(struct run *r)
{
	r->e = ERR_INIT;
	return keep_update(&r->v, test_path("state"), r->j, &r->o, &r->done, &r->e);
}

static str fixture(const char *path)
{
	static struct buf b = BUF_INIT(8 << 20);

	buf_reset(&b);
	assert_int_equal(fs_read(path, &b, NULL), 0);
	return buf_str(&b);
}

static str document(const struct run *r)
{
	char path[256];

	snprintf(path, sizeof(path), "vault/lantern/handoffs/%s", r->j->document);
	return test_read(path);
}

/* Grow the transcript in place, as the client does. */
static void append(str s)
{
	int fd = open(test_path("t.jsonl"), O_WRONLY | O_APPEND | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, s.p, s.n), (ssize_t)s.n);
	close(fd);
}

static void test_keep__a_session_that_worked_gets_a_document(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	append(fixture(WHOLE));
	assert_int_equal(update(&r), 0);
	assert_true(r.done.current && r.done.written && !r.done.trivial);
	assert_true(str_find(document(&r), STR("\nstatus: live\n")) != STR_NPOS);
	assert_true(str_find(document(&r), STR("\nkind: auto\n")) != STR_NPOS);
	assert_true(str_find(document(&r), STR("make flash")) != STR_NPOS);
	assert_int_equal(r.j->offset, fixture(WHOLE).n);
	/* nothing new: nothing written */
	assert_int_equal(update(&r), 0);
	assert_true(r.done.current);
	assert_false(r.done.written);
	end(&r);
}

static void test_keep__reading_on_in_pieces_gives_the_same_document(void **state)
{
	struct run r;
	struct buf whole = BUF_INIT(1 << 20);
	char name[DOCS_NAME_MAX];
	size_t cuts;

	(void)state;
	begin(&r);
	append(fixture(WHOLE));
	assert_int_equal(update(&r), 0);
	buf_add(&whole, document(&r));
	snprintf(name, sizeof(name), "%s", r.j->document);
	cuts = fixture(WHOLE).n;
	end(&r);
	for (size_t cut = 1; cut < cuts; cut += cuts / 23) {
		begin(&r);
		append(str_head(fixture(WHOLE), cut));
		r.o.render = false;
		update(&r);
		append(str_from(fixture(WHOLE), cut));
		r.o.render = true;
		assert_int_equal(update(&r), 0);
		assert_string_equal(r.j->document, name);
		assert_true(str_eq(document(&r), buf_str(&whole)));
		end(&r);
	}
	buf_release(&whole);
}

static void test_keep__a_rewritten_transcript_is_read_from_the_start(void **state)
{
	struct run r;
	struct buf other = BUF_INIT(1 << 20);

	(void)state;
	begin(&r);
	append(fixture(WHOLE));
	assert_int_equal(update(&r), 0);
	/* the same inode, other bytes of the same length */
	buf_add(&other, fixture(WHOLE));
	for (size_t at; (at = str_find(buf_str(&other), STR("make flash"))) != STR_NPOS;)
		memcpy(other.p + at, "make burnn", 10);
	assert_int_equal(truncate(test_path("t.jsonl"), 0), 0);
	append(buf_str(&other));
	assert_int_equal(update(&r), 0);
	assert_true(str_find(document(&r), STR("make burnn")) != STR_NPOS);
	assert_true(str_find(document(&r), STR("make flash")) == STR_NPOS);
	/* cut short */
	assert_int_equal(truncate(test_path("t.jsonl"), 0), 0);
	append(str_head(fixture(WHOLE), 2000));
	update(&r);
	assert_true(r.j->offset <= 2000);
	buf_release(&other);
	end(&r);
}

static void test_keep__damaged_facts_only_cost_time(void **state)
{
	struct run r;
	char facts[1 << 16];
	size_t n;

	(void)state;
	begin(&r);
	append(fixture(WHOLE));
	assert_int_equal(update(&r), 0);
	n = test_read("state/facts/" SESSION ".facts").n;
	assert_true(n < sizeof(facts));
	memcpy(facts, test_read("state/facts/" SESSION ".facts").p, n);
	for (size_t cut = 0; cut < n; cut += 1 + n / 37) {
		test_write("state/facts/" SESSION ".facts", (str){facts, cut});
		assert_int_equal(update(&r), 0);
		assert_true(r.done.current);
		assert_false(r.done.written); /* the same document came out */
	}
	end(&r);
}

static void test_keep__a_session_without_work_leaves_nothing(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	append(STR(
		"{\"type\":\"user\",\"uuid\":\"a\",\"timestamp\":\"2026-07-16T10:00:00.000Z\",\"sessionId\":\"" SESSION
		"\",\"cwd\":\"/home/dev/lantern\",\"message\":{\"role\":\"user\",\"content\":\"What does lamp.c do?\"}}\n"
		"{\"type\":\"assistant\",\"uuid\":\"b\",\"parentUuid\":\"a\",\"timestamp\":\"2026-07-16T10:00:02.000Z\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"It drives the lamp.\"}]}}\n"));
	assert_int_equal(update(&r), 0);
	assert_true(r.done.trivial);
	assert_false(r.done.written);
	assert_false(test_exists("vault/lantern"));
	end(&r);
}

static void test_keep__without_a_transcript_it_says_so(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	assert_int_equal(update(&r), HF_ENOTFOUND);
	assert_int_equal(mkfifo(test_path("t.jsonl"), 0600), 0);
	assert_int_equal(update(&r), HF_EFORMAT);
	assert_false(test_exists("vault/lantern"));
	end(&r);
}

static void test_keep__what_it_read_before_the_deadline_is_kept(void **state)
{
	struct run r;
	uint64_t before = 0;
	int ret, rounds = 0;

	(void)state;
	begin(&r);
	for (int i = 0; i < 40; i++)
		append(fixture("fixtures/transcripts/tasks.jsonl"));
	append(fixture(WHOLE));
	do {
		r.o.deadline_ns = 1; /* long over: one step, and no further */
		ret = update(&r);
		assert_true(ret == HF_ETIME || ret == 0);
		assert_true(r.j->offset > before || ret == 0);
		before = r.j->offset;
		rounds++;
	} while (ret == HF_ETIME);
	assert_true(rounds > 3);
	assert_true(r.done.current);
	assert_true(r.done.written);
	end(&r);
}

static const char MANUAL[] =
	"---\ntype: handoff\ncreated: 2026-07-16T09:00:00Z\nsource_session: " SESSION
	"\nlineage: []\nfocus_filter: null\nconfidence: high\nproject: lantern\nkind: manual\nstatus: live\n"
	"branch: main\nhead: null\nworktree: null\ntranscript: t.jsonl\nclaimed_by: null\n---\n\n# Handoff: By hand\n\n"
	"> Written with /handoff.\n\n## Goal\nMine.\n\n## Done\nNone.\n\n## Next\n1. Go on.\n\n## Hazards (never filtered)\n- User: \"never touch config/prod.yaml\"\n\n"
	"## Key Context\nNone.\n\n## Environment\nBranch: main\n\n## Files to Read\nNone.\n\n## Verify Before Continuing\nNone.\n\n## Known Gaps\nNone.\n";

static void
test_keep__a_manual_document_gets_what_came_after_and_nothing_else(void **state)
{
	struct run r;
	char name[] = "20260716T090000Z_11111111.md";
	str text;

	(void)state;
	begin(&r);
	assert_int_equal(
		docs_save(&r.v, STR("lantern"), str_of(name), str_of(MANUAL), NULL), 0);
	append(fixture(WHOLE));
	assert_int_equal(update(&r), 0);
	assert_string_equal(r.j->document, name);
	text = document(&r);
	assert_true(str_starts(text, str_of(MANUAL)));
	assert_true(str_find(text, STR("\n## Since this handoff\n")) != STR_NPOS);
	/* again: the section is replaced, not added */
	assert_int_equal(update(&r), 0);
	assert_false(r.done.written);
	assert_int_equal(test_entries("vault/lantern/handoffs"), 1);
	end(&r);
}

static void test_keep__hazards_and_lineage_of_the_claimed_document_go_on(void **state)
{
	struct run r;
	struct buf before = BUF_INIT(1 << 20);
	size_t at;

	(void)state;
	begin(&r);
	buf_add(&before, str_of(MANUAL));
	at = str_find(buf_str(&before), STR(SESSION));
	before.p[at] = '9'; /* another session's */
	at = str_find(buf_str(&before), STR("lineage: []"));
	assert_true(at != STR_NPOS);
	assert_int_equal(docs_save(&r.v, STR("lantern"),
				   STR("20260715T080000Z_91111111.md"), buf_str(&before),
				   NULL),
			 0);
	journal_set(&r.j->claimed, STR("20260715T080000Z_91111111.md"));
	append(fixture(WHOLE));
	assert_int_equal(update(&r), 0);
	assert_true(str_find(document(&r), STR("never touch config/prod.yaml")) !=
		    STR_NPOS);
	assert_true(str_find(document(&r), STR("20260715T080000Z_91111111.md")) !=
		    STR_NPOS);
	buf_release(&before);
	end(&r);
}

static void test_keep__of_a_session_that_was_left_the_hazards_go_on(void **state)
{
	static const char LEFT[] = "20260715T080000Z_91111111.md";
	struct buf before = BUF_INIT(1 << 20);
	struct run r;

	(void)state;
	begin(&r);
	buf_add(&before, str_of(MANUAL));
	before.p[str_find(buf_str(&before), STR(SESSION))] = '9';
	assert_int_equal(
		docs_save(&r.v, STR("lantern"), str_of(LEFT), buf_str(&before), NULL), 0);
	buf_reset(&before);
	buf_add(&before, STR(SESSION));
	before.p[0] = '9';
	journal_set(&r.j->previous, buf_str(&before));
	append(fixture(WHOLE));
	assert_int_equal(update(&r), 0);
	assert_true(str_find(document(&r),
			     STR("- User: \"never touch config/prod.yaml")) != STR_NPOS);
	assert_true(str_find(document(&r), str_of(LEFT)) == STR_NPOS);
	buf_release(&before);
	end(&r);
}

static void
test_keep__what_was_retired_stays_so_in_a_document_that_is_made_again(void **state)
{
	static const char PATH[] = "fixtures/transcripts/constraints.jsonl";
	struct buf line = BUF_INIT(1 << 16), was = BUF_INIT(1 << 20),
		   now = BUF_INIT(1 << 20);
	struct handoff_doc d;
	char path[256];
	size_t it = 0, at;
	struct run r;
	str stated;

	(void)state;
	begin(&r);
	append(fixture(PATH));
	assert_int_equal(update(&r), 0);
	buf_add(&was, document(&r));
	assert_int_equal(handoff_read(&d, buf_str(&was), NULL), 0);
	assert_true(handoff_next_hazard(d.hazards, &it, &stated));
	/* as `handoff hazards --retire` writes it */
	at = (size_t)(stated.p - was.p);
	buf_add(&now, str_head(buf_str(&was), at));
	buf_printf(&line, "- Retired 2026-07-16 (done): %.*s",
		   STR_ARG(str_from(stated, 2)));
	buf_add(&now, buf_str(&line));
	buf_add(&now, str_from(buf_str(&was), at + stated.n));
	snprintf(path, sizeof(path), "vault/lantern/handoffs/%s", r.j->document);
	test_write(path, buf_str(&now));
	append(fixture(WHOLE));
	assert_int_equal(update(&r), 0);
	assert_true(r.done.written);
	assert_true(str_find(document(&r), buf_str(&line)) != STR_NPOS);
	buf_reset(&line);
	buf_printf(&line, "\n%.*s\n", STR_ARG(stated));
	assert_true(str_find(document(&r), buf_str(&line)) == STR_NPOS);
	buf_release(&line);
	buf_release(&was);
	buf_release(&now);
	end(&r);
}

static void
test_keep__events_that_were_not_written_are_written_by_the_next_call(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	append(fixture(WHOLE));
	r.o.derive = true;
	r.o.deadline_ns = 1; /* no time is left */
	assert_int_equal(update(&r), 0);
	assert_true(r.done.written && r.done.underived);
	assert_int_equal(r.done.derive_err.code, 0);
	assert_int_equal(r.j->derived, 0);
	r.o.deadline_ns = 0;
	r.o.render = false;
	test_write("vault/lantern/sessions", STR("no folder"));
	assert_int_equal(update(&r), 0);
	assert_true(r.done.underived && r.done.derive_err.code);
	assert_int_equal(r.j->derived, 0);
	unlink(test_path("vault/lantern/sessions"));
	assert_int_equal(update(&r), 0);
	assert_false(r.done.underived);
	assert_true(r.done.derived > 0);
	assert_int_equal(r.j->derived, r.j->offset);
	assert_int_equal(update(&r), 0);
	assert_int_equal(r.done.derived, 0);
	end(&r);
}

static void test_keep__of_another_transcript_events_are_derived_anew(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	append(fixture(WHOLE));
	r.o.derive = true;
	assert_int_equal(update(&r), 0);
	assert_int_equal(r.j->derived, fixture(WHOLE).n);
	/* as long as the one before, and another file */
	test_write("other.jsonl", fixture(WHOLE));
	assert_int_equal(rename(test_path("other.jsonl"), test_path("t.jsonl")), 0);
	r.o.derive = false;
	assert_int_equal(update(&r), 0);
	assert_int_equal(r.j->derived, 0);
	end(&r);
}

static void test_keep__forgetting_removes_the_facts(void **state)
{
	struct run r;

	(void)state;
	begin(&r);
	append(fixture(WHOLE));
	r.o.derive = true;
	assert_int_equal(update(&r), 0);
	assert_true(test_exists("state/facts/" SESSION ".facts"));
	assert_true(test_exists("state/facts/" SESSION ".derived"));
	assert_int_equal(keep_forget(test_path("state"), STR(SESSION), NULL), 0);
	assert_false(test_exists("state/facts/" SESSION ".facts"));
	assert_false(test_exists("state/facts/" SESSION ".derived"));
	assert_int_equal(keep_forget(test_path("state"), STR(SESSION), NULL), 0);
	assert_int_equal(keep_forget(test_path("state"), STR("../x"), NULL), HF_EUSAGE);
	end(&r);
}

static void test_keep__every_failing_call_leaves_a_whole_document_or_none(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	do {
		struct run r;
		int ret;

		begin(&r);
		append(fixture(WHOLE));
		fault_at(++n);
		ret = update(&r);
		met = fault_met();
		fault_off();
		if (r.j->document && test_exists("vault/lantern/handoffs"))
			assert_true(str_find(document(&r), STR("\n## Known Gaps\n")) !=
				    STR_NPOS);
		if (!met)
			assert_int_equal(ret, 0);
		end(&r);
	} while (met && n < 400);
	assert_true(n > 20 && n < 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keep__a_session_that_worked_gets_a_document),
		cmocka_unit_test(test_keep__reading_on_in_pieces_gives_the_same_document),
		cmocka_unit_test(
			test_keep__a_rewritten_transcript_is_read_from_the_start),
		cmocka_unit_test(test_keep__damaged_facts_only_cost_time),
		cmocka_unit_test(test_keep__a_session_without_work_leaves_nothing),
		cmocka_unit_test(test_keep__without_a_transcript_it_says_so),
		cmocka_unit_test(test_keep__what_it_read_before_the_deadline_is_kept),
		cmocka_unit_test(
			test_keep__a_manual_document_gets_what_came_after_and_nothing_else),
		cmocka_unit_test(
			test_keep__hazards_and_lineage_of_the_claimed_document_go_on),
		cmocka_unit_test(test_keep__of_a_session_that_was_left_the_hazards_go_on),
		cmocka_unit_test(
			test_keep__what_was_retired_stays_so_in_a_document_that_is_made_again),
		cmocka_unit_test(
			test_keep__events_that_were_not_written_are_written_by_the_next_call),
		cmocka_unit_test(
			test_keep__of_another_transcript_events_are_derived_anew),
		cmocka_unit_test(test_keep__forgetting_removes_the_facts),
		cmocka_unit_test(
			test_keep__every_failing_call_leaves_a_whole_document_or_none),
	};

	return cmocka_run_group_tests_name("keep", tests, NULL, NULL);
}
