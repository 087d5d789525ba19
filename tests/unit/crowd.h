/*
 * crowd: many programs at one vault: writers and readers, some killed, and one that knows
 * nothing of the lock. For tests/unit/test_crowd.c, small, and tests/bench/bench_crowd.c, in full.
 *
 *   struct crowd c = {.dir = an empty folder, .writers = 16, .writes = 500};
 *   crowd_run(&c);
 *   ...c.there == c.acknowledged, c.foreign_there == c.foreign...
 *
 * A writer logs an event, or notes a fact each tenth time, reads each fifth, and checkpoints now and
 * then; all write what they were told is stored to a pipe. A killed writer is one of a session
 * that all of its kind share. The foreign program does what handoff-mcp does: it appends to its
 * own note, and rewrites it whole, by a temporary file and a rename, as its checkpoint does; it
 * appends to an entity note that ours append to as well.
 */
#ifndef UNIT_CROWD_H
#define UNIT_CROWD_H

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "data/journal.h"
#include "work/store.h"

#define CROWD_TEXT    (64u << 20)
#define CROWD_SESSION "5e55104a-0000-4000-8000-000000000000"

struct crowd {
	const char *dir; /* an absolute path */
	unsigned writers, writes, kills;
	int ready; /* private: a victim tells here that it begins */
	/* what came of it */
	unsigned acknowledged, there,
		twice;                   /* writes; of the acknowledged, in the vault */
	unsigned foreign, foreign_there; /* lines of the foreign program */
	unsigned torn;                   /* lines that are no event: see crowd_torn_max() */
	unsigned failed;                 /* calls */
	unsigned active, active_indexed; /* events in the vault, and in the index */
	int64_t wait_ns;                 /* longest wait for the lock */
	int64_t took_ns;
};

/*
 * Linux ends a write of a process that is being killed at a page's border, and what is in the file
 * by then stays. So each killed writer, and the foreign program, may leave the first half of one
 * line, which nobody was told is stored. Who writes next begins a line of its own.
 */
static inline unsigned crowd_torn_max(const struct crowd *c)
{
	return c->kills + 1;
}

static inline void crowd_die(const char *what)
{
	perror(what);
	_exit(3);
}

static inline void crowd_open(const struct crowd *c, struct store *s, const char *session)
{
	char vault[512], state[512];
	struct err e = ERR_INIT;

	snprintf(vault, sizeof vault, "%s/vault", c->dir);
	snprintf(state, sizeof state, "%s/state", c->dir);
	if (store_open(s,
		       &(struct store_options){.vault = vault,
					       .project = "p",
					       .dir = c->dir,
					       .session = session,
					       .state_dir = state},
		       &e))
		crowd_die(e.msg);
}

static inline void crowd_tell(int fd, const char *what, unsigned who, unsigned i)
{
	char line[32];
	int n = snprintf(line, sizeof line, "%-4s %08u %06u\n", what, who, i);

	if (write(fd, line, (size_t)n) != n)
		_exit(4);
}

/* One write of writer `who`. */
static inline int crowd_write(struct store *s, unsigned who, unsigned i, struct err *e)
{
	static const enum event_type TYPE[] = {EVENT_DECISION, EVENT_FILE, EVENT_DEADEND,
					       EVENT_QUESTION};
	struct store_logged done;
	char text[80];
	int ret;

	snprintf(text, sizeof text, "write-%08u-%06u- of the crowd", who, i);
	if (i % 10 == 9)
		return store_note(s, STR_NONE, STR("Shared"), str_of(text), e);
	ret = store_log(s,
			&(struct store_event){.type = TYPE[i % 4],
					      .content = str_of(text),
					      .project = i % 7 ? STR_NONE : STR("q")},
			&done, e);
	store_logged_release(&done);
	return ret;
}

static inline int crowd_read(struct store *s, struct err *e)
{
	size_t active[EVENT_TYPES];
	int ret = store_refresh(s, STR_NONE, false, e);

	return ret ? ret : index_counts(s->index, STR("p"), active, e);
}

static inline void crowd_writer(const struct crowd *c, unsigned who, int out)
{
	char session[JOURNAL_ID_MAX];
	struct store s;

	snprintf(session, sizeof session, "%06x00-0000-4000-8000-000000000000", who);
	crowd_open(c, &s, session);
	for (unsigned i = 0; i < c->writes; i++) {
		struct err e = ERR_INIT;

		if (crowd_write(&s, who, i, &e)) {
			fprintf(stderr, "# %s\n", e.msg);
			crowd_tell(out, "fail", who, i);
		} else {
			crowd_tell(out, "done", who, i);
		}
		/* who finds the index in use goes on without */
		if (i % 5 == 4)
			crowd_read(&s, NULL);
		if (i % 50 == 49 &&
		    store_checkpoint(&s, STR_NONE, STR("so far"), NULL, &e))
			crowd_tell(out, "fail", who, i);
	}
	store_release(&s);
}

/* Writes until it is killed. */
static inline void crowd_victim(const struct crowd *c, unsigned who, int out)
{
	struct store s;

	crowd_open(c, &s, CROWD_SESSION);
	if (write(c->ready, "", 1) != 1)
		_exit(4);
	for (unsigned i = 0;; i++) {
		if (crowd_write(&s, who, i, NULL) == 0)
			crowd_tell(out, "done", who, i);
		if (i % 20 == 19)
			store_checkpoint(&s, STR_NONE, STR("so far"), NULL, NULL);
	}
}

/* ---- the foreign program ---- */

static inline void crowd_foreign_add(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);

	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		crowd_die(path);
	close(fd);
}

static inline void crowd_foreign(const struct crowd *c, int out)
{
	static const char HEAD[] =
		"---\nid: s_20260101T000000_f0f0f0\nproject: p\n"
		"started_at: 2026-01-01T00:00:00+00:00\n"
		"status: active\nsummary: \n---\n\n# Session "
		"s_20260101T000000_f0f0f0 \xe2\x80\x94 p\n\n## Log\n\n";
	char note[600], temp[600], entity[600], line[300];

	snprintf(note, sizeof note, "%s/vault/p/sessions/s_20260101T000000_f0f0f0.md",
		 c->dir);
	snprintf(temp, sizeof temp, "%s/vault/p/sessions/tmpf0f0.tmp", c->dir);
	snprintf(entity, sizeof entity, "%s/vault/p/entities/Shared.md", c->dir);
	crowd_foreign_add(note, HEAD);
	for (unsigned i = 0;; i++) {
		snprintf(line, sizeof line,
			 "- **[decision]** (imp:3 \xc2\xb7 2026-01-01T00:00:00+00:00) "
			 "foreign-%08u-%06u- <!-- id=ev_f%u -->\n",
			 0u, i, i);
		crowd_foreign_add(note, line);
		crowd_tell(out, "mine", 0, i);
		if (i % 3 == 0) {
			snprintf(line, sizeof line, "- foreign-%08u-%06u-\n", 1u, i);
			crowd_foreign_add(entity, line);
			crowd_tell(out, "mine", 1, i);
		}
		if (i % 20 == 19) {
			struct buf text = BUF_INIT(CROWD_TEXT);

			if (fs_read(note, &text, NULL) ||
			    fs_write_quick(temp, buf_str(&text), 0600, NULL) ||
			    rename(temp, note) < 0)
				crowd_die(note);
			buf_release(&text);
		}
		usleep(2000);
	}
}

/* Asks for the lock as a hook does, over and over. */
static inline void crowd_probe(const struct crowd *c, int out)
{
	char path[512], line[32];
	int64_t longest = 0;
	struct vault v;

	snprintf(path, sizeof path, "%s/vault", c->dir);
	if (vault_open(&v, path, NULL))
		crowd_die(path);
	for (;;) {
		int64_t t = clock_mono_ns(), took;
		int ret = vault_lock(&v, 5000, NULL);

		took = clock_mono_ns() - t;
		vault_unlock(&v);
		if (ret || took > longest) {
			longest = took;
			snprintf(line, sizeof line, "wait %08u %06u\n",
				 (unsigned)(longest / 1000), 0u);
			if (write(out, line, strlen(line)) < 0)
				_exit(4);
		}
		usleep(3000);
	}
}

/* ---- running them ---- */

static inline pid_t crowd_start(const struct crowd *c, int out,
				void (*fn)(const struct crowd *, int))
{
	pid_t pid = fork();

	if (pid < 0)
		crowd_die("fork");
	if (pid == 0) {
		fn(c, out);
		_exit(0);
	}
	return pid;
}

static inline pid_t crowd_start_one(const struct crowd *c, int out, unsigned who,
				    void (*fn)(const struct crowd *, unsigned, int))
{
	pid_t pid = fork();

	if (pid < 0)
		crowd_die("fork");
	if (pid == 0) {
		fn(c, who, out);
		_exit(0);
	}
	return pid;
}

static inline void crowd_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Kill one after the other, at moments from 0 to 20 ms after it began to write. */
static inline void crowd_kill(struct crowd *c, int out)
{
	uint64_t seed = 7;
	int fd[2];
	char b;

	if (pipe(fd) < 0)
		crowd_die("pipe");
	c->ready = fd[1];
	for (unsigned i = 0; i < c->kills; i++) {
		pid_t pid = crowd_start_one(c, out, 1000000 + i, crowd_victim);

		if (read(fd[0], &b, 1) != 1)
			crowd_die("victim");
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		usleep((unsigned)(seed >> 33) % 20000);
		crowd_end(pid);
	}
}

/* ---- looking at what is left ---- */

/* Notes alone, as the vault itself reads: the foreign program, killed between its temporary file
 * and the rename, leaves a copy of its note, and maybe half of one. */
static inline int crowd_add_note(const char *dir, const char *name, void *arg)
{
	char path[1024];

	if (!str_ends(str_of(name), STR(".md")))
		return 0;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return fs_read(path, arg, NULL);
}

static inline void crowd_collect(const struct crowd *c, const char *project,
				 struct buf *text)
{
	static const char *const FOLDER[] = {"sessions", "entities"};
	char path[600];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/vault/%s/%s", c->dir, project, FOLDER[i]);
		fs_each(path, crowd_add_note, text, NULL);
	}
}

/* Words like write-00000001-000002-, sorted. */
static inline int crowd_by_word(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

struct crowd_words {
	char (*word)[16];
	size_t n;
};

static inline void crowd_words(struct crowd_words *w, str text, const char *mark)
{
	size_t at;

	*w = (struct crowd_words){.word = NULL};
	while ((at = str_find(text, str_of(mark))) != STR_NPOS) {
		text = str_from(text, at + strlen(mark));
		if (text.n < 16)
			break;
		w->word = realloc(w->word, (w->n + 1) * sizeof *w->word);
		memcpy(w->word[w->n++], text.p, 15);
		w->word[w->n - 1][15] = 0;
	}
	if (w->n)
		qsort(w->word, w->n, sizeof *w->word, crowd_by_word);
}

static inline void crowd_check(struct crowd *c, str text, str told)
{
	struct crowd_words ours, theirs;
	str line, rest = told;

	crowd_words(&ours, text, "write-");
	crowd_words(&theirs, text, "foreign-");
	for (size_t i = 1; i < ours.n; i++)
		c->twice += crowd_by_word(ours.word[i - 1], ours.word[i]) == 0;
	while (str_line(&rest, &line)) {
		char key[16] = {0};
		uint64_t us;

		if (line.n < 20)
			continue;
		memcpy(key, line.p + 5, 15);
		key[8] = '-';
		if (str_starts(line, STR("done"))) {
			c->acknowledged++;
			c->there += bsearch(key, ours.word, ours.n, 16, crowd_by_word) !=
				    NULL;
		} else if (str_starts(line, STR("mine"))) {
			c->foreign++;
			c->foreign_there += bsearch(key, theirs.word, theirs.n, 16,
						    crowd_by_word) != NULL;
		} else if (str_starts(line, STR("fail"))) {
			c->failed++;
		} else if (str_u64(str_head(str_from(line, 5), 8), &us) &&
			   (int64_t)us * 1000 > c->wait_ns) {
			c->wait_ns = (int64_t)us * 1000;
		}
	}
	free(ours.word);
	free(theirs.word);
}

/* Lines that begin as an event are events; and the index has all of them. */
static inline void crowd_compare(struct crowd *c, str text)
{
	struct err e = ERR_INIT;
	struct event ev;
	struct store s;
	str line;

	while (str_line(&text, &line)) {
		if (!str_starts(line, STR("- **[")))
			continue;
		if (event_parse(line, &ev)) {
			c->active++;
		} else {
			c->torn++;
			fprintf(stderr, "# torn: %.*s\n", (int)line.n, line.p);
		}
	}
	crowd_open(c, &s, NULL);
	if (store_refresh(&s, STR_NONE, true, &e))
		crowd_die(e.msg);
	for (int i = 0; i < 2; i++) {
		size_t active[EVENT_TYPES];

		if (index_counts(s.index, i ? STR("q") : STR("p"), active, &e))
			crowd_die(e.msg);
		for (int t = 0; t < EVENT_TYPES; t++)
			c->active_indexed += (unsigned)active[t];
	}
	store_release(&s);
}

/* What all say, until nobody is left who could. */
static inline void crowd_listen(int in, struct buf *told)
{
	char part[4096];
	ssize_t got;

	while ((got = read(in, part, sizeof part)) > 0)
		buf_add(told, (str){part, (size_t)got});
}

static inline void crowd_prepare(const struct crowd *c)
{
	struct store_logged done;
	struct err e = ERR_INIT;
	struct journal *j;
	struct store s;
	char state[512];

	snprintf(state, sizeof state, "%s/state", c->dir);
	j = journal_open(state, STR(CROWD_SESSION), &e);
	j->started_at = INT64_C(1770000000000);
	journal_set(&j->project, STR("p"));
	if (journal_save(j, &e))
		crowd_die(e.msg);
	journal_free(j);
	crowd_open(c, &s, NULL);
	if (store_note(&s, STR_NONE, STR("Shared"), STR("first"), &e) ||
	    store_log(&s, &(struct store_event){.content = STR("first")}, &done, &e))
		crowd_die(e.msg);
	store_logged_release(&done);
	store_release(&s);
}

/* The director: starts all, and ends all. */
static inline void crowd_direct(struct crowd *c, int out)
{
	pid_t foreign = crowd_start(c, out, crowd_foreign),
	      probe = crowd_start(c, out, crowd_probe), pid[64];

	for (unsigned i = 0; i < c->writers && i < 64; i++)
		pid[i] = crowd_start_one(c, out, i, crowd_writer);
	crowd_kill(c, out);
	for (unsigned i = 0; i < c->writers && i < 64; i++)
		waitpid(pid[i], NULL, 0);
	crowd_end(foreign);
	crowd_end(probe);
}

static inline void crowd_run(struct crowd *c)
{
	struct buf text = BUF_INIT(CROWD_TEXT), told = BUF_INIT(CROWD_TEXT);
	int64_t t = clock_mono_ns();
	pid_t director;
	int fd[2];

	crowd_prepare(c);
	if (pipe(fd) < 0)
		crowd_die("pipe");
	director = fork();
	if (director == 0) {
		close(fd[0]);
		crowd_direct(c, fd[1]);
		_exit(0);
	}
	close(fd[1]);
	crowd_listen(fd[0], &told);
	close(fd[0]);
	waitpid(director, NULL, 0);
	c->took_ns = clock_mono_ns() - t;
	crowd_collect(c, "p", &text);
	crowd_collect(c, "q", &text);
	crowd_check(c, buf_str(&text), buf_str(&told));
	crowd_compare(c, buf_str(&text));
	buf_release(&text);
	buf_release(&told);
}

#endif
