#include "fault.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "data/journal.h"
#include "spoil.h"
#include "work/store.h"

#define DOT "\xc2\xb7"
#define AT  "2026-01-03T09:00:00+00:00"
#define HEADER(id)                                                                       \
	"---\nid: " id "\nproject: p\nstarted_at: " AT                                   \
	"\nstatus: active\nsummary: \n---\n\n# Session " id                              \
	" \xe2\x80\x94 p\n\n## Log\n\n"
#define EV(type, id, text)                                                               \
	"- **[" type "]** (imp:3 " DOT " " AT ") " text " <!-- id=" id " -->\n"
#define RETIRED_MAX 400
#define A_ID        "7c1e42aa-5b0d-4f0e-9a63-2f6d8e1b0c47"
#define B_ID        "01d2c3b4-5b0d-4f0e-9a63-2f6d8e1b0c47"

static struct store s;

static void open_store(struct store *out, const char *session)
{
	struct err e = ERR_INIT;

	if (store_open(out,
		       &(struct store_options){.project = "p",
					       .dir = test_path(""),
					       .session = session,
					       .state_dir = test_path("state")},
		       &e))
		fail_msg("%s", e.msg);
	assert_non_null(out->index);
}

static int setup(void **state)
{
	(void)state;
	test_dir();
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	setenv("HANDOFF_NOW", "2026-02-01T10:00:00Z", 1);
	unsetenv("CLAUDE_CODE_SESSION_ID");
	open_store(&s, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	store_release(&s);
	return 0;
}

static void keep(char out[EVENT_ID_MAX], const char *id)
{
	snprintf(out, EVENT_ID_MAX, "%s", id);
}

/* Log it; the id, valid for the next 7 calls. */
static const char *log_event(struct store *st, struct store_event ev, char *retired)
{
	static char id[8][EVENT_ID_MAX];
	static size_t at;
	struct store_logged done;
	struct err e = ERR_INIT;

	if (store_log(st, &ev, &done, &e))
		fail_msg("%s", e.msg);
	at = (at + 1) % 8;
	snprintf(id[at], sizeof id[at], "%s", done.id);
	if (retired)
		retired[0] = 0;
	for (size_t i = 0; retired && i < done.nretired; i++)
		snprintf(retired + strlen(retired), RETIRED_MAX - strlen(retired),
			 "%s:%d ", done.retired[i].id, done.retired[i].how);
	assert_false(done.blind);
	store_logged_release(&done);
	return id[at];
}

static const char *log_text(enum event_type type, const char *text)
{
	return log_event(&s, (struct store_event){.type = type, .content = str_of(text)},
			 NULL);
}

static const char *log_over(const char *text, const char *old)
{
	str ids[] = {str_of(old)};

	return log_event(&s,
			 (struct store_event){.type = EVENT_DECISION,
					      .content = str_of(text),
					      .supersedes = ids,
					      .nsupersedes = 1},
			 NULL);
}

static int add_body(const struct index_item *it, void *arg)
{
	buf_printf(arg, "%.*s;", STR_ARG(it->body));
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const str *)a, *(const str *)b);
}

/* Bodies of the active events of a type, sorted. */
static const char *active_of(struct store *st, const char *project, enum event_type type)
{
	static struct buf out;
	struct buf b = BUF_INIT(1 << 16);
	struct err e = ERR_INIT;
	str part[400], rest;
	size_t n = 0;

	if (store_refresh(st, str_of(project), true, &e) ||
	    index_active(st->index, str_of(project), type, add_body, &b, &e))
		fail_msg("%s", e.msg);
	for (rest = buf_str(&b); rest.n; n++) {
		part[n] = str_head(rest, str_chr(rest, ';'));
		rest = str_from(rest, part[n].n + 1);
	}
	qsort(part, n, sizeof *part, by_text);
	buf_release(&out);
	out = (struct buf)BUF_INIT(1 << 16);
	for (size_t i = 0; i < n; i++)
		buf_printf(&out, "%.*s;", STR_ARG(part[i]));
	buf_release(&b);
	return buf_cstr(&out);
}

#define decisions() active_of(&s, "p", EVENT_DECISION)

/* The session note of s in project p. */
static str note(void)
{
	char path[200];

	snprintf(path, sizeof path, "vault/p/sessions/%s.md", s.note.id);
	return test_read(path);
}

static size_t count(str text, const char *what)
{
	size_t n = 0;

	for (size_t at; (at = str_find(text, str_of(what))) != STR_NPOS; n++)
		text = str_from(text, at + 1);
	return n;
}

/* An entry of the journal whose process is this one, or one that is gone. */
static void journal_entry(const char *id, int64_t pid, const char *project)
{
	struct err e = ERR_INIT;
	struct journal *j = journal_open(test_path("state"), str_of(id), &e);

	journal_process_of(&j->process, pid);
	journal_set(&j->project, str_of(project));
	j->started_at = INT64_C(1767430000000);
	j->last_event_at = j->started_at + (pid != getppid());
	if (journal_save(j, &e))
		fail_msg("%s", e.msg);
	journal_free(j);
}

/* ---- logging ---- */

static void test_store__nothing_is_written_before_the_first_event(void **state)
{
	struct err e = ERR_INIT;
	bool closed = true;

	(void)state;
	assert_int_equal(store_checkpoint(&s, STR_NONE, STR("sum"), &closed, &e), 0);
	assert_false(closed);
	assert_false(test_exists("vault/p"));
	log_text(EVENT_GOAL, "ship it");
	assert_int_equal(test_entries("vault/p/sessions"), 1);
	assert_int_equal(count(note(), "- **[goal]** (imp:3 " DOT
				       " 2026-02-01T10:00:00+00:00) ship it <!-- id=ev_"),
			 1);
}

static void test_store__empty_content_is_refused_in_one_line(void **state)
{
	static const char *const EMPTY[] = {"", "   ", "\n\t\r\n", "\x01\x02",
					    "\xc2\x85"};

	(void)state;
	for (size_t i = 0; i < sizeof EMPTY / sizeof *EMPTY; i++) {
		struct err e = ERR_INIT;
		struct store_logged done;

		assert_int_equal(
			store_log(&s, &(struct store_event){.content = str_of(EMPTY[i])},
				  &done, &e),
			HF_EUSAGE);
		assert_string_equal(e.msg, "the content is empty: nothing was logged");
	}
	assert_false(test_exists("vault/p"));
}

static void test_store__content_is_one_line_and_without_secrets(void **state)
{
	(void)state;
	log_text(EVENT_DECISION, " a\r\n b\xe2\x80\xa8"
				 "c\x07 token ghp_"
				 "0123456789abcdefghijABCDEFGHIJ012345 ");
	assert_int_equal(count(note(), "ghp_"), 0);
	assert_int_equal(count(note(), ") a b c token [redacted:"), 1);
	assert_int_equal(count(note(), "\n- **["), 1);
}

static void test_store__bad_arguments_are_named(void **state)
{
	static const str COMMENT[] = {{"ev_1 --> x", 10}}, COMMA[] = {{"a,b", 3}};
	static const struct {
		struct store_event ev;
		const char *says;
	} ROW[] = {
		{{.importance = 6}, "importance must be from 1 to 5, not 6"},
		{{.importance = -1}, "importance must be from 1 to 5, not -1"},
		{{.project = {"../x", 4}},
		 "invalid project: '../x' (path separators not allowed)"},
		{{.project = {"..", 2}}, "invalid project: '..'"},
		{{.id = {"a b", 3}}, "'a b' is no event id"},
		{{.supersedes = COMMENT, .nsupersedes = 1},
		 "supersedes: 'ev_1 --> x' is no event id"},
		{{.supersedes = COMMA, .nsupersedes = 1},
		 "supersedes: 'a,b' is no event id"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof ROW / sizeof *ROW; i++) {
		struct store_event ev = ROW[i].ev;
		struct store_logged done;
		struct err e = ERR_INIT;

		ev.content = STR("text");
		assert_int_equal(store_log(&s, &ev, &done, &e), HF_EUSAGE);
		assert_string_equal(e.msg, ROW[i].says);
		assert_null(done.id);
	}
	assert_false(test_exists("vault/x"));
	assert_false(test_exists("vault/p"));
}

static void test_store__content_over_the_limit_is_refused(void **state)
{
	struct buf big = BUF_INIT(1 << 20);
	struct store_logged done;
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i < 5000; i++)
		buf_add(&big, STR("some words "));
	assert_int_equal(
		store_log(&s, &(struct store_event){.content = buf_str(&big)}, &done, &e),
		HF_ELIMIT);
	buf_release(&big);
}

static void test_store__each_call_names_its_project(void **state)
{
	(void)state;
	log_event(&s,
		  (struct store_event){.type = EVENT_DECISION,
				       .content = STR("theirs"),
				       .project = STR("q")},
		  NULL);
	log_text(EVENT_DECISION, "ours");
	assert_string_equal(active_of(&s, "q", EVENT_DECISION), "theirs;");
	assert_string_equal(decisions(), "ours;");
	assert_int_equal(test_entries("vault/q/sessions"), 1);
	assert_int_equal(test_entries("vault/p/sessions"), 1);
}

/* ---- retiring ---- */

static void test_store__an_id_or_a_beginning_of_it_retires(void **state)
{
	char first[EVENT_ID_MAX], retired[RETIRED_MAX];
	str ids[2];

	(void)state;
	keep(first, log_text(EVENT_DECISION, "one"));
	ids[0] = str_head(str_of(first), 8);
	ids[1] = STR("ev_nobody");
	log_event(&s,
		  (struct store_event){.type = EVENT_DECISION,
				       .content = STR("two"),
				       .supersedes = ids,
				       .nsupersedes = 2,
				       .beginnings = true},
		  retired);
	ids[0] = str_of(first);
	assert_int_equal(count(str_of(retired), first), 1);
	assert_non_null(strstr(retired, "ev_nobody:1 "));
	assert_string_equal(decisions(), "two;");
	assert_int_equal(count(note(), ",ev_nobody -->"), 1);
}

static void test_store__only_whole_ids_retire_unless_beginnings_are_allowed(void **state)
{
	static const char *const PART[] = {"ev_1", "ev_", "ev_1234567"};
	char retired[RETIRED_MAX], want[RETIRED_MAX];

	(void)state;
	log_event(&s,
		  (struct store_event){.type = EVENT_DECISION,
				       .content = STR("one"),
				       .id = STR("ev_12345678")},
		  NULL);
	for (size_t i = 0; i < sizeof PART / sizeof *PART; i++) {
		str ids[] = {str_of(PART[i])};

		log_event(&s,
			  (struct store_event){.type = EVENT_GOAL,
					       .content = STR("other"),
					       .supersedes = ids,
					       .nsupersedes = 1},
			  retired);
		snprintf(want, sizeof want, "%s:%d ", PART[i], STORE_UNKNOWN);
		assert_string_equal(retired, want);
		assert_string_equal(decisions(), "one;");
	}
}

static void test_store__an_ambiguous_beginning_is_refused(void **state)
{
	str ids[] = {STR("ev_")};
	struct store_logged done;
	struct err e = ERR_INIT;

	(void)state;
	log_text(EVENT_DECISION, "one");
	log_text(EVENT_DECISION, "two");
	assert_int_equal(store_log(&s,
				   &(struct store_event){.type = EVENT_DECISION,
							 .content = STR("x"),
							 .supersedes = ids,
							 .nsupersedes = 1,
							 .beginnings = true},
				   &done, &e),
			 HF_EAMBIGUOUS);
	assert_string_equal(decisions(), "one;two;");
}

static void test_store__a_query_retires_the_best_match_of_its_type(void **state)
{
	char retired[RETIRED_MAX];

	(void)state;
	log_text(EVENT_GOAL, "readings in CSV");
	log_text(EVENT_DECISION, "Keep readings in CSV.");
	log_text(EVENT_DECISION, "Print a table.");
	log_event(&s,
		  (struct store_event){.type = EVENT_DECISION,
				       .content = STR("Keep readings in SQLite."),
				       .query = STR("readings csv")},
		  retired);
	assert_non_null(strstr(retired, ":2 "));
	assert_string_equal(decisions(), "Keep readings in SQLite.;Print a table.;");
	assert_string_equal(active_of(&s, "p", EVENT_GOAL), "readings in CSV;");
	/* the one that is retired is not found again; the walk goes on */
	log_event(&s,
		  (struct store_event){.type = EVENT_DECISION,
				       .content = STR("Keep readings nowhere."),
				       .query = STR("readings csv")},
		  retired);
	assert_string_equal(decisions(), "Keep readings nowhere.;Print a table.;");
	log_event(&s,
		  (struct store_event){.type = EVENT_DECISION,
				       .content = STR("More."),
				       .query = STR("the what is")},
		  retired);
	assert_string_equal(retired, "");
}

static void test_store__chains_and_back_and_mutual_and_self(void **state)
{
	char a[EVENT_ID_MAX], b[EVENT_ID_MAX];

	(void)state;
	keep(a, log_text(EVENT_DECISION, "use A"));
	keep(b, log_over("use B", a));
	assert_string_equal(decisions(), "use B;");
	/* A -> B -> A: the third says what the first said, and is another event */
	log_over("use A", b);
	assert_string_equal(decisions(), "use A;");
	test_write("vault/p/sessions/s_x.md",
		   STR(HEADER("s_x") "- **[decision]** (imp:3 " DOT " " AT
				     ") self <!-- id=ev_s supersedes=ev_s -->\n"
				     "- **[decision]** (imp:3 " DOT " " AT
				     ") m1 <!-- id=ev_m supersedes=ev_n -->\n"
				     "- **[decision]** (imp:3 " DOT " " AT
				     ") m2 <!-- id=ev_n supersedes=ev_m -->\n"));
	assert_string_equal(decisions(), "self;use A;");
}

/* ---- next steps ---- */

static void test_store__a_next_step_retires_those_of_sessions_that_are_over(void **state)
{
	char retired[RETIRED_MAX];
	struct store other;

	(void)state;
	journal_entry(A_ID, getpid(), "p"); /* runs */
	open_store(&other, A_ID);
	log_event(&other,
		  (struct store_event){.type = EVENT_NEXT_STEP, .content = STR("live")},
		  NULL);
	test_write("vault/p/sessions/s_x.md",
		   STR(HEADER("s_x") EV("next_step", "ev_1", "old 1") EV(
			   "next_step", "ev_2", "old 2") EV("goal", "ev_3", "goal")));
	test_write("vault/q/sessions/s_y.md",
		   STR(HEADER("s_y") EV("next_step", "ev_4", "elsewhere")));
	log_event(&s, (struct store_event){.type = EVENT_DECISION, .content = STR("d")},
		  retired);
	assert_string_equal(retired, "");
	log_event(&s,
		  (struct store_event){.type = EVENT_NEXT_STEP, .content = STR("new")},
		  retired);
	assert_string_equal(retired, "ev_1:3 ev_2:3 ");
	log_event(&s,
		  (struct store_event){.type = EVENT_NEXT_STEP, .content = STR("too")},
		  retired);
	assert_string_equal(retired, "");
	assert_string_equal(active_of(&s, "p", EVENT_NEXT_STEP), "live;new;too;");
	assert_string_equal(active_of(&s, "p", EVENT_GOAL), "goal;");
	assert_string_equal(active_of(&s, "q", EVENT_NEXT_STEP), "elsewhere;");
	store_release(&other);
}

static void test_store__a_session_that_died_has_its_next_steps_retired(void **state)
{
	char retired[RETIRED_MAX];
	struct store other;

	(void)state;
	journal_entry(A_ID, 0x3ffffff, "p");
	open_store(&other, A_ID);
	log_event(&other,
		  (struct store_event){.type = EVENT_NEXT_STEP, .content = STR("dead")},
		  NULL);
	log_event(&s,
		  (struct store_event){.type = EVENT_NEXT_STEP, .content = STR("new")},
		  retired);
	assert_non_null(strstr(retired, ":3 "));
	assert_string_equal(active_of(&s, "p", EVENT_NEXT_STEP), "new;");
	store_release(&other);
}

/* ---- sessions ---- */

static void test_store__the_session_of_the_parent_process_is_ours(void **state)
{
	char old[EVENT_ID_MAX];

	(void)state;
	keep(old, s.note.id);
	log_text(EVENT_DECISION, "alone");
	journal_entry(A_ID, getppid(), "p");
	log_text(EVENT_DECISION, "in the session");
	assert_string_not_equal(s.note.id, old);
	assert_string_equal(s.note.id, "s_20260103T084640_7c1e42");
	assert_int_equal(test_entries("vault/p/sessions"), 2);
	/* /clear: another id in the same process, the old entry is closed */
	{
		struct journal *j = journal_open(test_path("state"), STR(A_ID), NULL);

		j->state = JOURNAL_SWITCHED;
		assert_int_equal(journal_save(j, NULL), 0);
		journal_free(j);
	}
	journal_entry(B_ID, getppid(), "p");
	log_text(EVENT_DECISION, "in the next one");
	assert_string_equal(s.note.id, "s_20260103T084640_01d2c3");
}

static void
test_store__the_project_of_the_session_counts_unless_one_is_named(void **state)
{
	struct store t;
	struct err e = ERR_INIT;

	(void)state;
	journal_entry(A_ID, getppid(), "other");
	store_session(&s);
	assert_string_equal(s.project, "p");
	if (store_open(&t,
		       &(struct store_options){.dir = test_path(""),
					       .state_dir = test_path("state")},
		       &e))
		fail_msg("%s", e.msg);
	assert_string_equal(t.project, "other");
	store_release(&t);
}

static void
test_store__programs_of_a_session_without_a_journal_share_its_note(void **state)
{
	struct store t;

	(void)state;
	setenv("CLAUDE_CODE_SESSION_ID", A_ID, 1);
	log_text(EVENT_DECISION, "one");
	assert_string_equal(s.note.id, "s_20260201T100000_7c1e42");
	setenv("HANDOFF_NOW", "2026-02-01T11:00:00Z", 1);
	open_store(&t, NULL);
	log_event(&t, (struct store_event){.type = EVENT_DECISION, .content = STR("two")},
		  NULL);
	assert_string_equal(t.note.id, s.note.id);
	assert_int_equal(test_entries("vault/p/sessions"), 1);
	store_release(&t);
	open_store(&t, B_ID);
	assert_string_equal(t.note.id, "s_20260201T110000_01d2c3");
	store_release(&t);
	unsetenv("CLAUDE_CODE_SESSION_ID");
}

static void test_store__a_bad_session_id_or_project_is_refused(void **state)
{
	struct store t;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(
		store_open(&t, &(struct store_options){.session = "../x", .project = "p"},
			   &e),
		HF_EUSAGE);
	store_release(&t);
	assert_int_equal(store_open(&t, &(struct store_options){.project = "a/b"}, &e),
			 HF_EUSAGE);
	store_release(&t);
}

/* ---- checkpoint ---- */

static void test_store__checkpoint_marks_done_and_keeps_everything_else(void **state)
{
	struct err e = ERR_INIT;
	struct event_note n;
	bool closed;

	(void)state;
	log_text(EVENT_DECISION, "one");
	{
		char path[200];
		struct buf b = BUF_INIT(1 << 16);
		str t = note();
		size_t at = str_find(t, STR("status: "));

		buf_printf(&b, "%.*stags: mine\n%.*s\nmy words\n",
			   STR_ARG(str_head(t, at)), STR_ARG(str_from(t, at)));
		snprintf(path, sizeof path, "vault/p/sessions/%s.md", s.note.id);
		test_write(path, buf_str(&b));
		buf_release(&b);
	}
	assert_int_equal(
		store_checkpoint(&s, STR_NONE, STR("a\nstatus: x\n---\nb"), &closed, &e),
		0);
	assert_true(closed);
	event_note_read(&n, note());
	assert_true(n.done);
	assert_str(n.summary, STR("a status: x --- b"));
	assert_int_equal(count(note(), "tags: mine\n"), 1);
	assert_int_equal(count(note(), "\nmy words\n"), 1);
	/* again, without a summary: that of before stays; and logging goes on there */
	assert_int_equal(store_checkpoint(&s, STR_NONE, STR_NONE, &closed, &e), 0);
	log_text(EVENT_DECISION, "two");
	event_note_read(&n, note());
	assert_true(n.done);
	assert_str(n.summary, STR("a status: x --- b"));
	assert_string_equal(decisions(), "one;two;");
	assert_int_equal(test_entries("vault/p/sessions"), 1);
}

static void test_store__checkpoint_closes_the_named_project_only(void **state)
{
	struct err e = ERR_INIT;
	struct event_note n;
	bool closed;

	(void)state;
	log_text(EVENT_DECISION, "ours");
	log_event(&s,
		  (struct store_event){.type = EVENT_DECISION,
				       .content = STR("theirs"),
				       .project = STR("q")},
		  NULL);
	assert_int_equal(store_checkpoint(&s, STR("q"), STR("s"), &closed, &e), 0);
	assert_true(closed);
	event_note_read(&n, note());
	assert_false(n.done);
}

/* ---- entities ---- */

static int add_entity(str name, str summary, size_t facts, void *arg)
{
	buf_printf(arg, "%.*s(%zu):%.*s;", STR_ARG(name), facts, STR_ARG(summary));
	return 0;
}

static const char *entities(void)
{
	static struct buf b;
	struct err e = ERR_INIT;

	buf_release(&b);
	b = (struct buf)BUF_INIT(1 << 16);
	if (store_refresh(&s, STR_NONE, true, &e) ||
	    index_entities(s.index, STR("p"), add_entity, &b, &e))
		fail_msg("%s", e.msg);
	return buf_cstr(&b);
}

static void test_store__links_make_stubs_and_facts_stay(void **state)
{
	struct buf text = BUF_INIT(1 << 16);
	struct err e = ERR_INIT;

	(void)state;
	log_text(EVENT_DECISION, "see [[Storage]], [[a/b]] and [[ ]]");
	assert_true(test_is("vault/p/entities/Storage.md", "# Storage\n\n"));
	assert_true(test_is("vault/p/entities/a_b.md", "# a/b\n\n"));
	assert_int_equal(test_entries("vault/p/entities"), 2);
	assert_int_equal(store_note(&s, STR_NONE, STR("Storage"), STR("one file"), &e),
			 0);
	assert_string_equal(entities(), "Storage(1):one file;a/b(0):;");
	assert_int_equal(store_note(&s, STR_NONE, STR("Storage"),
				    STR("  two\r\n# no heading\nmore\n"), &e),
			 0);
	assert_true(test_is("vault/p/entities/Storage.md",
			    "# Storage\n\n- one file\n- two\n  # no heading\n"
			    "  more\n"));
	log_text(EVENT_DECISION, "again [[Storage]]");
	assert_int_equal(store_entity(&s, STR_NONE, STR("Storage"), &text, &e), 0);
	assert_int_equal(count(buf_str(&text), "- one file"), 1);
	assert_int_equal(store_entity(&s, STR("q"), STR("Storage"), &text, &e),
			 HF_ENOTFOUND);
	buf_release(&text);
}

static void test_store__entity_names_are_safe_and_notes_not_empty(void **state)
{
	static const struct {
		const char *name, *file;
	} ROW[] = {{"..", "_"},
		   {".", "_"},
		   {"a/b/c", "a_b_c"},
		   {"CON", "_CON"},
		   {"Auth ", "Auth"}};

	(void)state;
	for (size_t i = 0; i < sizeof ROW / sizeof *ROW; i++) {
		struct buf text = BUF_INIT(1 << 16);
		struct err e = ERR_INIT;
		char path[80];

		snprintf(path, sizeof path, "vault/p/entities/%s.md", ROW[i].file);
		assert_int_equal(
			store_note(&s, STR_NONE, str_of(ROW[i].name), STR("fact"), &e),
			0);
		assert_true(test_exists(path));
		assert_int_equal(
			store_entity(&s, STR_NONE, str_of(ROW[i].name), &text, &e), 0);
		assert_int_equal(count(buf_str(&text), "- fact"), 1 + (i == 1));
		buf_release(&text);
	}
	{
		struct err e = ERR_INIT;

		assert_int_equal(store_note(&s, STR_NONE, STR(" \n"), STR("x"), &e),
				 HF_EUSAGE);
		assert_string_equal(e.msg, "the name is empty");
	}
	{
		struct err e = ERR_INIT;

		assert_int_equal(store_note(&s, STR_NONE, STR("X"), STR(" \n"), &e),
				 HF_EUSAGE);
		assert_string_equal(e.msg, "the content is empty: nothing was noted");
	}
}

static void test_store__a_link_that_cannot_have_a_note_fails_nothing(void **state)
{
	struct buf text = BUF_INIT(1 << 16);

	(void)state;
	test_write("vault/p/entities", STR("a file where the folder should be"));
	buf_add(&text, STR("see [["));
	for (int i = 0; i < 3000; i++)
		buf_byte(&text, 'x');
	buf_add(&text, STR("]]"));
	log_text(EVENT_DECISION, buf_cstr(&text));
	assert_int_equal(count(note(), "- **[decision]**"), 1);
	buf_release(&text);
}

/* ---- undo ---- */

static size_t undo(const char *id, const char *only, int want)
{
	struct err e = ERR_INIT;
	size_t n = 0;

	assert_int_equal(
		store_undo(&s, str_of(id), only ? str_of(only) : STR_NONE, &n, &e), want);
	return n;
}

static void test_store__undo_walks_a_chain_back(void **state)
{
	char a[EVENT_ID_MAX], b[EVENT_ID_MAX], c[EVENT_ID_MAX];

	(void)state;
	keep(a, log_text(EVENT_DECISION, "A"));
	keep(b, log_over("B", a));
	keep(c, log_over("C", b));
	assert_string_equal(decisions(), "C;");
	assert_int_equal(undo(c, NULL, 0), 1);
	assert_string_equal(decisions(), "B;C;");
	assert_int_equal(undo(b, NULL, 0), 1);
	assert_string_equal(decisions(), "A;B;C;");
	assert_int_equal(count(note(), "supersedes="), 0);
	undo(b, NULL, HF_ENOTFOUND);
	undo("ev_none", NULL, HF_ENOTFOUND);
	undo("a b", NULL, HF_EUSAGE);
}

static void test_store__undo_of_the_retired_one_brings_it_back(void **state)
{
	char a[EVENT_ID_MAX];

	(void)state;
	keep(a, log_text(EVENT_DECISION, "A"));
	log_over("B", a);
	log_over("C", a);
	/* it is one event, however many had retired it */
	assert_int_equal(undo(a, NULL, 0), 1);
	assert_string_equal(decisions(), "A;B;C;");
}

static void test_store__undo_counts_what_is_active_again(void **state)
{
	(void)state;
	test_write("vault/p/sessions/s_x.md",
		   STR(HEADER("s_x") EV("decision", "ev_a", "A")
			       EV("decision", "ev_b",
				  "B") "- **[decision]** (imp:3 " DOT " " AT
				       ") C <!-- id=ev_c supersedes=ev_a,ev_b,ev_a -->\n"
				       "- **[decision]** (imp:3 " DOT " " AT
				       ") D <!-- id=ev_d supersedes=ev_b -->\n"));
	assert_int_equal(undo("ev_c", NULL, 0), 1);
	assert_string_equal(decisions(), "A;C;D;");
	assert_int_equal(undo("ev_d", NULL, 0), 1);
	test_write("vault/p/sessions/s_x.md",
		   STR(HEADER("s_x") EV("decision", "ev_b",
					"B") "- **[decision]** (imp:3 " DOT " " AT
					     ") C <!-- id=ev_c supersedes=ev_b -->\n"
					     "- **[decision]** (imp:3 " DOT " " AT
					     ") D <!-- id=ev_d supersedes=ev_b -->\n"));
	/* taken back, and still retired by the other */
	assert_int_equal(undo("ev_c", NULL, 0), 0);
	assert_string_equal(decisions(), "C;D;");
	undo("ev_c", NULL, HF_ENOTFOUND);
}

static void test_store__undo_of_one_leaves_the_rest_byte_for_byte(void **state)
{
	static const char before[] = HEADER("s_x") EV("decision", "ev_a",
						      "A") EV("decision", "ev_b", "B")
		EV("decision", "ev_c",
		   "C") "  my own words supersedes=ev_b\r\n"
			"- **[decision]** (imp:2 " DOT " " AT
			") says supersedes=ev_b <!-- id=ev_d supersedes=ev_a,ev_b,ev_c k=v -->\n"
			"no newline";
	static const char after[] = HEADER("s_x") EV("decision", "ev_a",
						     "A") EV("decision", "ev_b", "B")
		EV("decision", "ev_c",
		   "C") "  my own words supersedes=ev_b\r\n"
			"- **[decision]** (imp:2 " DOT " " AT
			") says supersedes=ev_b <!-- id=ev_d supersedes=ev_a,ev_c k=v -->\n"
			"no newline";

	(void)state;
	test_write("vault/p/sessions/s_x.md", STR(before));
	assert_int_equal(undo("ev_d", "ev_b", 0), 1);
	assert_true(test_is("vault/p/sessions/s_x.md", after));
	assert_string_equal(decisions(), "B;says supersedes=ev_b;");
	undo("ev_d", "ev_b", HF_ENOTFOUND);
	assert_int_equal(undo("ev_d", NULL, 0), 2);
	assert_string_equal(decisions(), "A;B;C;says supersedes=ev_b;");
}

static void test_store__undo_of_a_mutual_pair_and_of_itself(void **state)
{
	(void)state;
	test_write("vault/p/sessions/s_x.md",
		   STR(HEADER("s_x") "- **[decision]** (imp:3 " DOT " " AT
				     ") self <!-- id=ev_s supersedes=ev_s -->\n"
				     "- **[decision]** (imp:3 " DOT " " AT
				     ") m1 <!-- id=ev_m supersedes=ev_n -->\n"
				     "- **[decision]** (imp:3 " DOT " " AT
				     ") m2 <!-- id=ev_n supersedes=ev_m -->\n"));
	assert_string_equal(decisions(), "self;");
	assert_int_equal(undo("ev_m", NULL, 0), 1);
	assert_string_equal(decisions(), "m2;self;");
	assert_int_equal(undo("ev_m", NULL, 0), 1);
	assert_string_equal(decisions(), "m1;m2;self;");
}

/* ---- without an index, with another writer ---- */

static void test_store__without_an_index_writes_still_work(void **state)
{
	struct store t;
	struct store_logged done;
	struct err e = ERR_INIT;
	str ids[] = {STR("ev_1")};

	(void)state;
	assert_int_equal(
		store_open(&t,
			   &(struct store_options){.project = "p",
						   .dir = test_path(""),
						   .state_dir = test_path("state"),
						   .no_index = true},
			   &e),
		0);
	assert_int_equal(store_log(&t,
				   &(struct store_event){.type = EVENT_DECISION,
							 .content = STR("x"),
							 .supersedes = ids,
							 .nsupersedes = 1,
							 .query = STR("csv")},
				   &done, &e),
			 0);
	assert_true(done.blind);
	assert_int_equal(done.retired[0].how, STORE_UNKNOWN);
	store_logged_release(&done);
	assert_int_not_equal(store_refresh(&t, STR_NONE, true, &e), 0);
	store_release(&t);
	assert_string_equal(decisions(), "x;");
}

static void test_store__what_was_logged_is_seen_by_others_at_once(void **state)
{
	struct store other;

	(void)state;
	open_store(&other, B_ID);
	log_text(EVENT_DECISION, "mine");
	log_event(&other,
		  (struct store_event){.type = EVENT_DECISION, .content = STR("theirs")},
		  NULL);
	assert_string_equal(decisions(), "mine;theirs;");
	assert_string_equal(active_of(&other, "p", EVENT_DECISION), "mine;theirs;");
	store_release(&other);
}

/* ---- failing calls: what was acknowledged is there, and nothing is half ---- */

/* All lines of the notes of p are whole events; counted into n. */
static size_t whole_events(void)
{
	str text, line, body;
	struct event_note n;
	struct event ev;
	size_t found = 0;

	text = note();
	event_note_read(&n, text);
	assert_true(n.front);
	body = n.body;
	while (event_cut(&body, &line))
		if (str_starts(line, STR("- "))) {
			assert_true(event_parse(line, &ev));
			found++;
		}
	return found;
}

static void test_store__a_failing_call_never_loses_what_was_acknowledged(void **state)
{
	size_t acknowledged = 1;
	bool met;
	int n = 0;

	(void)state;
	log_text(EVENT_DECISION, "first");
	do {
		struct store_logged done;
		struct err e = ERR_INIT;
		size_t now;
		int ret;

		fault_at(++n);
		ret = store_log(&s,
				&(struct store_event){.type = EVENT_DECISION,
						      .content = STR("more [[Thing]]")},
				&done, &e);
		met = fault_met();
		fault_off();
		assert_int_equal(!ret, done.id != NULL);
		assert_true(!ret || e.msg[0]);
		acknowledged += !ret;
		now = whole_events();
		/* one that was not acknowledged may be there, whole */
		assert_true(now >= acknowledged);
		acknowledged = now;
		store_logged_release(&done);
	} while (met);
	assert_true(n > 5);
	assert_int_equal(count(str_of(decisions()), "more"), acknowledged - 1);
}

static void test_store__a_failing_first_log_leaves_a_whole_note_or_none(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	do {
		struct store_logged done;
		struct err e = ERR_INIT;
		int ret;

		store_release(&s);
		setup(NULL);
		fault_at(++n);
		ret = store_log(&s, &(struct store_event){.content = STR("first")}, &done,
				&e);
		met = fault_met();
		fault_off();
		if (!ret || test_entries("vault/p/sessions") > 0)
			assert_int_equal(whole_events(), 1);
		store_logged_release(&done);
	} while (met);
}

static void test_store__a_failing_checkpoint_leaves_the_old_note_or_the_new(void **state)
{
	struct event_note n;
	bool met;
	int k = 0;

	(void)state;
	do {
		struct err e = ERR_INIT;
		bool closed;
		str old;
		int ret;

		store_release(&s);
		setup(NULL);
		log_text(EVENT_DECISION, "one");
		old = note();
		fault_at(++k);
		ret = store_checkpoint(&s, STR_NONE, STR("sum"), &closed, &e);
		met = fault_met();
		fault_off();
		event_note_read(&n, note());
		if (!ret && closed) {
			assert_true(n.done);
			assert_str(n.summary, STR("sum"));
		} else if (!n.done) {
			assert_str(note(), old);
		}
		assert_int_equal(whole_events(), 1);
	} while (met);
}

static void test_store__a_failing_undo_leaves_the_old_note_or_the_new(void **state)
{
	char a[EVENT_ID_MAX], b[EVENT_ID_MAX];
	bool met;
	int k = 0;

	(void)state;
	do {
		struct err e = ERR_INIT;
		size_t got = 0;
		int ret;

		store_release(&s);
		setup(NULL);
		keep(a, log_text(EVENT_DECISION, "A"));
		keep(b, log_over("B", a));
		fault_at(++k);
		ret = store_undo(&s, str_of(b), STR_NONE, &got, &e);
		met = fault_met();
		fault_off();
		assert_int_equal(whole_events(), 2);
		if (!ret)
			assert_string_equal(decisions(), "A;B;");
	} while (met);
}

static void test_store__a_failing_note_leaves_whole_facts(void **state)
{
	size_t facts = 0;
	bool met;
	int k = 0;

	(void)state;
	do {
		struct err e = ERR_INIT;
		size_t now = 0;
		int ret;

		fault_at(++k);
		ret = store_note(&s, STR_NONE, STR("Thing"), STR("a fact"), &e);
		met = fault_met();
		fault_off();
		facts += !ret;
		if (test_exists("vault/p/entities/Thing.md"))
			now = count(test_read("vault/p/entities/Thing.md"), "- a fact\n");
		assert_true(now >= facts);
		facts = now;
	} while (met);
	assert_true(facts > 0);
}

static void
test_store__an_event_is_found_to_retire_in_an_index_that_was_damaged(void **state)
{
	char old[EVENT_ID_MAX], retired[RETIRED_MAX], want[RETIRED_MAX];
	struct vault vault;
	size_t restored;

	(void)state;
	keep(old, log_text(EVENT_DECISION, "Keep readings in comma separated files."));
	store_release(&s);
	assert_int_equal(vault_open(&vault, NULL, NULL), 0);
	spoil_words(&vault);
	vault_release(&vault);
	open_store(&s, NULL);
	log_event(&s,
		  (struct store_event){.type = EVENT_DECISION,
				       .content = STR("Keep readings in SQLite."),
				       .query = STR("readings comma separated")},
		  retired);
	snprintf(want, sizeof want, "%s:%d ", old, STORE_MATCH);
	assert_string_equal(retired, want);
	assert_string_equal(active_of(&s, "p", EVENT_DECISION),
			    "Keep readings in SQLite.;");
	assert_int_equal(store_undo(&s, str_of(old), STR_NONE, &restored, NULL), 0);
	assert_int_equal(restored, 1);
}

/* What stood in the way when the store was opened, another program that made the index anew, is over. */
static void test_store__an_index_that_could_not_be_opened_is_tried_again(void **state)
{
	struct buf lock = BUF_INIT(4096);
	struct store other;
	int fd;

	(void)state;
	log_text(EVENT_GOAL, "Ship.");
	store_release(&s);
	open_store(&s, NULL);
	assert_true(index_place(&s.vault, &lock));
	buf_add(&lock, STR("/index.db"));
	assert_int_equal(unlink(buf_cstr(&lock)), 0);
	buf_add(&lock, STR(".lock"));
	fd = fs_lock(buf_cstr(&lock), 0, NULL);
	assert_true(fd >= 0);
	assert_int_equal(
		store_open(&other,
			   &(struct store_options){.project = "p",
						   .dir = test_path(""),
						   .state_dir = test_path("state")},
			   NULL),
		0);
	assert_null(other.index);
	assert_int_equal(store_refresh(&other, STR_NONE, true, NULL), HF_ETIME);
	fs_unlock(fd);
	assert_string_equal(active_of(&other, "p", EVENT_GOAL), "Ship.;");
	assert_false(store_partial(&other));
	store_release(&other);
	buf_release(&lock);
}

static void test_store__says_when_another_program_reads_the_notes_just_now(void **state)
{
	struct vault vault;
	struct index *ix;

	(void)state;
	log_text(EVENT_GOAL, "Ship.");
	assert_int_equal(unlink(index_path(s.index)), 0);
	assert_int_equal(vault_open(&vault, NULL, NULL), 0);
	assert_int_equal(index_open(&ix, &vault, 50, NULL), 0);
	assert_int_equal(index_begin(ix, NULL), 0);
	assert_int_equal(store_refresh(&s, STR_NONE, true, NULL), 0);
	assert_true(store_partial(&s));
	index_rollback(ix);
	index_free(ix);
	vault_release(&vault);
	assert_string_equal(active_of(&s, "p", EVENT_GOAL), "Ship.;");
	assert_false(store_partial(&s));
}

static void test_store__ids_and_projects_that_are_none_reach_no_disk(void **state)
{
	static const char *const id[] = {"ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
					 "ev_ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
					 "hunter2"};
	static const char *const project[] = {"ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
					      "_records",
					      "_packets",
					      ".git",
					      "   ",
					      "a\u202eb",
					      ".hidden"};
	struct store_logged done;

	(void)state;
	for (size_t i = 0; i < sizeof id / sizeof *id; i++) {
		str ids[] = {str_of(id[i])};

		assert_int_equal(store_log(&s,
					   &(struct store_event){.content = STR("x"),
								 .supersedes = ids,
								 .nsupersedes = 1},
					   &done, NULL),
				 HF_EUSAGE);
	}
	for (size_t i = 0; i < sizeof project / sizeof *project; i++) {
		str p = str_of(project[i]);

		assert_int_equal(store_log(&s,
					   &(struct store_event){.content = STR("x"),
								 .project = p},
					   &done, NULL),
				 HF_EUSAGE);
		assert_int_equal(store_note(&s, p, STR("A"), STR("b"), NULL), HF_EUSAGE);
		assert_int_equal(store_checkpoint(&s, p, STR("b"), NULL, NULL),
				 HF_EUSAGE);
	}
	assert_false(test_exists("vault"));
}

/* A project that another program made stays readable. */
static void test_store__a_project_of_another_rule_is_read(void **state)
{
	(void)state;
	test_write("vault/.hidden/sessions/s_1.md",
		   STR(HEADER("s_1") EV("goal", "ev_1", "Ship.")));
	assert_string_equal(active_of(&s, ".hidden", EVENT_GOAL), "Ship.;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_store__nothing_is_written_before_the_first_event),
		T(test_store__empty_content_is_refused_in_one_line),
		T(test_store__content_is_one_line_and_without_secrets),
		T(test_store__bad_arguments_are_named),
		T(test_store__content_over_the_limit_is_refused),
		T(test_store__each_call_names_its_project),
		T(test_store__an_id_or_a_beginning_of_it_retires),
		T(test_store__only_whole_ids_retire_unless_beginnings_are_allowed),
		T(test_store__an_ambiguous_beginning_is_refused),
		T(test_store__a_query_retires_the_best_match_of_its_type),
		T(test_store__chains_and_back_and_mutual_and_self),
		T(test_store__a_next_step_retires_those_of_sessions_that_are_over),
		T(test_store__a_session_that_died_has_its_next_steps_retired),
		T(test_store__the_session_of_the_parent_process_is_ours),
		T(test_store__the_project_of_the_session_counts_unless_one_is_named),
		T(test_store__programs_of_a_session_without_a_journal_share_its_note),
		T(test_store__a_bad_session_id_or_project_is_refused),
		T(test_store__a_project_of_another_rule_is_read),
		T(test_store__ids_and_projects_that_are_none_reach_no_disk),
		T(test_store__checkpoint_marks_done_and_keeps_everything_else),
		T(test_store__checkpoint_closes_the_named_project_only),
		T(test_store__links_make_stubs_and_facts_stay),
		T(test_store__entity_names_are_safe_and_notes_not_empty),
		T(test_store__a_link_that_cannot_have_a_note_fails_nothing),
		T(test_store__undo_walks_a_chain_back),
		T(test_store__undo_of_the_retired_one_brings_it_back),
		T(test_store__undo_counts_what_is_active_again),
		T(test_store__undo_of_one_leaves_the_rest_byte_for_byte),
		T(test_store__undo_of_a_mutual_pair_and_of_itself),
		T(test_store__without_an_index_writes_still_work),
		T(test_store__what_was_logged_is_seen_by_others_at_once),
		T(test_store__a_failing_call_never_loses_what_was_acknowledged),
		T(test_store__a_failing_first_log_leaves_a_whole_note_or_none),
		T(test_store__a_failing_checkpoint_leaves_the_old_note_or_the_new),
		T(test_store__a_failing_undo_leaves_the_old_note_or_the_new),
		T(test_store__a_failing_note_leaves_whole_facts),
		T(test_store__an_event_is_found_to_retire_in_an_index_that_was_damaged),
		T(test_store__an_index_that_could_not_be_opened_is_tried_again),
		T(test_store__says_when_another_program_reads_the_notes_just_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
