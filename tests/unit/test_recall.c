#include "fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "spoil.h"
#include "work/recall.h"

#define NOTE "vault/p/sessions/s_20260103T090000_0a1b2c.md"

static struct vault vault;

static int setup(void **state)
{
	(void)state;
	test_dir();
	test_write(NOTE,
		   STR("- **[goal]** (imp:5 \xC2\xB7 2026-01-03T09:00:00+00:00) Ship. "
		       "<!-- id=ev_1 -->\n"));
	/* of a file that was written this moment a look alone cannot tell that it is unchanged */
	assert_int_equal(utimensat(AT_FDCWD, test_path(NOTE),
				   (struct timespec[2]){{1, 0}, {1, 0}}, 0),
			 0);
	return vault_open(&vault, test_path("vault"), NULL);
}

static int teardown(void **state)
{
	(void)state;
	vault_release(&vault);
	return 0;
}

static size_t goals(struct recall *r)
{
	size_t n[EVENT_TYPES];

	assert_int_equal(index_counts(r->index, STR("p"), n, NULL), 0);
	return n[EVENT_GOAL];
}

static void test_recall__sees_what_a_person_has_written_since(void **state)
{
	const struct recall_options o = {.project = STR("p")};
	struct recall r;

	(void)state;
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	assert_int_equal(goals(&r), 1);
	assert_int_equal(r.left, 0);
	recall_release(&r);
	test_write("vault/p/sessions/s_20260104T090000_0a1b2c.md",
		   STR("- **[goal]** (imp:5 \xC2\xB7 2026-01-03T09:00:00+00:00) Again. "
		       "<!-- id=ev_2 -->\n"));
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	assert_int_equal(goals(&r), 2);
	recall_release(&r);
}

static void test_recall__past_its_deadline_asks_without_and_says_so(void **state)
{
	struct buf b = BUF_INIT(1024);
	struct recall r;

	(void)state;
	assert_int_equal(recall_open(&r, &vault,
				     &(struct recall_options){.project = STR("p"),
							      .deadline_ns = 1},
				     NULL),
			 0);
	assert_true(r.left > 0);
	recall_note(&r, &b);
	assert_true(b.n > 0 && b.p[b.n - 1] == '\n');
	recall_release(&r);
	buf_release(&b);
}

static int count_hit(const struct index_item *it, double score, void *arg)
{
	(void)it;
	(void)score;
	++*(size_t *)arg;
	return 0;
}

static int ask(struct recall *r, size_t *hits, struct err *e)
{
	*hits = 0;
	return index_match(
		r->index,
		&(struct index_query){.text = STR("ship"), .type = -1, .limit = 10},
		count_hit, hits, NULL, e);
}

static void test_recall__damage_that_a_question_meets_is_mended_at_once(void **state)
{
	const struct recall_options o = {.project = STR("p")};
	struct err e = ERR_INIT;
	struct recall r;
	size_t hits;
	int ret;

	(void)state;
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	assert_int_equal(ask(&r, &hits, NULL), 0);
	assert_int_equal(hits, 1);
	assert_false(recall_again(&r, &vault, &ret, NULL));
	recall_release(&r);
	spoil_words(&vault);
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	ret = ask(&r, &hits, &e);
	assert_int_equal(ret, HF_EFORMAT);
	assert_true(recall_again(&r, &vault, &ret, &e));
	assert_int_equal(ret, 0);
	assert_int_equal(e.code, 0);
	assert_int_equal(ask(&r, &hits, &e), 0);
	assert_int_equal(hits, 1);
	assert_false(recall_again(&r, &vault, &ret, &e));
	recall_release(&r);
	/* the next process finds a whole one */
	assert_int_equal(recall_open(&r, &vault, &o, NULL), 0);
	assert_int_equal(ask(&r, &hits, NULL), 0);
	assert_int_equal(hits, 1);
	recall_release(&r);
}

static void test_recall__says_when_the_index_cannot_be_kept(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct recall r;

	(void)state;
	test_write("no-folder", STR(""));
	setenv("XDG_CACHE_HOME", test_path("no-folder"), 1);
	/* the vault takes no index either */
	test_write("vault/.index.db.handoff.db/x", STR(""));
	assert_int_equal(recall_open(&r, &vault,
				     &(struct recall_options){.project = STR("p")}, NULL),
			 0);
	assert_int_equal(goals(&r), 1);
	recall_note(&r, &b);
	assert_non_null(strstr(buf_cstr(&b), "cannot be kept"));
	assert_non_null(strstr(buf_cstr(&b), "Not a directory"));
	recall_release(&r);
	buf_release(&b);
}

/* What may not be opened, looked at, listed. */
static const char *denied;
static struct io plain;

static bool is_denied(const char *path)
{
	if (!strstr(path, denied))
		return false;
	errno = EACCES;
	return true;
}

static int open_denied(const char *path, int flags, mode_t mode)
{
	return is_denied(path) ? -1 : plain.open(path, flags, mode);
}

static int lstat_denied(const char *path, struct stat *st)
{
	/* the folder itself is seen, what is in it is not */
	const char *at = strstr(path, denied);

	return at && at[strlen(denied)] == '/' && is_denied(path) ? -1
								  : plain.lstat(path, st);
}

static DIR *opendir_denied(const char *path)
{
	return is_denied(path) ? NULL : plain.opendir(path);
}

static void deny(const char *what)
{
	denied = what;
	plain = io;
	io.open = open_denied;
	io.lstat = lstat_denied;
	io.opendir = opendir_denied;
}

/* The goals that are known when `what` is denied; what is said of it is in *said. */
static size_t goals_without(const char *what, str project, struct buf *said)
{
	struct recall r;
	struct err e = ERR_INIT;
	size_t n = 0;

	buf_reset(said);
	deny(what);
	if (recall_open(&r, &vault,
			&(struct recall_options){.project = project, .all = true}, &e))
		fail_msg("%s: %s", what, e.msg);
	n = goals(&r);
	recall_note(&r, said);
	io = plain;
	recall_release(&r);
	return n;
}

static void test_recall__what_may_not_be_read_is_told_and_the_rest_answers(void **state)
{
	static const char second[] = "vault/p/sessions/s_20260104T090000_0a1b2c.md";
	struct buf said = BUF_INIT(RECALL_NOTE_MAX);

	(void)state;
	test_write(second,
		   STR("- **[goal]** (imp:5 \xC2\xB7 2026-01-03T09:00:00+00:00) Again. "
		       "<!-- id=ev_2 -->\n"));
	test_write("vault/q/entities/E.md", STR("# E\n\n- fact\n"));
	/* never seen before */
	assert_int_equal(goals_without("s_20260104", STR("p"), &said), 1);
	assert_str(
		buf_str(&said),
		STR("(A note cannot be read: p/sessions/s_20260104T090000_0a1b2c.md. What "
		    "it says may be missing or old.)\n"));
	/* another project's trouble is its own */
	assert_int_equal(goals_without("s_20260104", STR("q"), &said), 1);
	assert_int_equal(said.n, 0);
	assert_int_equal(goals_without("nothing", STR("p"), &said), 2);
	assert_int_equal(said.n, 0);
	/* known: what is known stays */
	test_write(second, STR("changed meanwhile\n"));
	assert_int_equal(goals_without("s_20260104", STR("p"), &said), 2);
	assert_true(said.n > 0);
	assert_int_equal(goals_without("s_2026", STR_NONE, &said), 2);
	assert_str(
		buf_str(&said),
		STR("(A note cannot be read: p/sessions/s_20260104T090000_0a1b2c.md. What "
		    "it says may be missing or old.)\n"));
	test_write(NOTE, STR("changed too\n"));
	goals_without("s_2026", STR_NONE, &said);
	assert_true(
		str_starts(buf_str(&said),
			   STR("(2 notes cannot be read, p/sessions/s_20260103T090000")));
	assert_int_equal(goals_without("nothing", STR("p"), &said), 0);
	assert_int_equal(said.n, 0);
	buf_release(&said);
}

static void test_recall__a_folder_that_may_not_be_entered_forgets_nothing(void **state)
{
	static const char *const what[] = {"/vault/p/sessions", "/vault/p", "/vault"};
	struct buf said = BUF_INIT(RECALL_NOTE_MAX);

	(void)state;
	assert_int_equal(goals_without("nothing", STR("p"), &said), 1);
	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		assert_int_equal(goals_without(what[i], STR("p"), &said), 1);
		assert_true(str_starts(buf_str(&said), STR("(The folder ")));
		assert_true(str_find(buf_str(&said), STR("\n")) + 1 == said.n);
	}
	assert_int_equal(goals_without("nothing", STR("p"), &said), 1);
	assert_int_equal(said.n, 0);
	buf_release(&said);
}

static void test_recall__fails_whole_or_answers(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	do {
		struct recall r;
		struct err e = ERR_INIT;
		int ret;

		fault_at(++n);
		ret = recall_open(&r, &vault,
				  &(struct recall_options){.project = STR("p")}, &e);
		met = fault_met();
		fault_off();
		if (ret)
			assert_true(e.msg[0] != 0);
		else
			assert_true(goals(&r) <= 1);
		recall_release(&r);
	} while (met);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_recall__sees_what_a_person_has_written_since),
		T(test_recall__past_its_deadline_asks_without_and_says_so),
		T(test_recall__damage_that_a_question_meets_is_mended_at_once),
		T(test_recall__says_when_the_index_cannot_be_kept),
		T(test_recall__what_may_not_be_read_is_told_and_the_rest_answers),
		T(test_recall__a_folder_that_may_not_be_entered_forgets_nothing),
		T(test_recall__fails_whole_or_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
