/*
 * reconstruct: two made-up projects on which the brief is measured against what a naive dump of
 * the same events gives: facts that were retracted (supersession in isolation), and what a
 * later session needs among noise (brief against dump). Used by bench_brief and test_brief_value.
 */
#ifndef BENCH_RECONSTRUCT_H
#define BENCH_RECONSTRUCT_H

#include <stdio.h>
#include <stdlib.h>

#include "work/brief.h"

#define RECONSTRUCT_TOPICS 4
#define RECONSTRUCT_BUDGET 250
#define RECONSTRUCT_START  INT64_C(1767434400000000) /* 2026-01-03T10:00:00Z */

struct reconstruct {
	struct index *ix;
	struct index_file file;
	struct buf dump; /* all events, "- [type] content", below a title */
	int n;
};

struct reconstruct_score {
	size_t events;
	size_t dump_tokens, brief_tokens;
	size_t kept, wanted; /* what a later session needs: in the brief, and in all */
	size_t dump_stale, brief_stale; /* retracted texts that are still there */
};

static inline void reconstruct_fail(const struct err *e)
{
	fprintf(stderr, "reconstruct: %s\n", e->msg);
	abort();
}

static inline void reconstruct_begin(struct reconstruct *r, struct index *ix, str project)
{
	struct err e = ERR_INIT;

	*r = (struct reconstruct){.ix = ix, .dump = BUF_INIT(1u << 20)};
	r->file = (struct index_file){.folder = VAULT_SESSIONS,
				      .project = project,
				      .name = STR("s_20260103T100000_0a1b2c.md"),
				      .session = STR("s_20260103T100000_0a1b2c"),
				      .started_us = RECONSTRUCT_START};
	if (index_begin(ix, &e) || index_file_put(ix, &r->file, &e))
		reconstruct_fail(&e);
	buf_printf(&r->dump, "# Log of %.*s\n", STR_ARG(project));
}

/* id: the event's own; old: the id it retires, or "". */
static inline void reconstruct_add(struct reconstruct *r, enum event_type type,
				   int importance, const char *id, const char *old,
				   const char *content)
{
	struct index_put p = {.type = type,
			      .importance = importance,
			      .at_us = RECONSTRUCT_START + (int64_t)r->n++ * 60000000,
			      .id = str_of(id),
			      .supersedes = str_of(old),
			      .body = str_of(content)};
	struct err e = ERR_INIT;

	if (index_item_put(r->ix, &r->file, &p, &e))
		reconstruct_fail(&e);
	buf_printf(&r->dump, "- [%.*s] %s\n", STR_ARG(event_type_name(type)), content);
}

static inline void reconstruct_end(struct reconstruct *r)
{
	struct err e = ERR_INIT;

	if (index_file_put(r->ix, &r->file, &e) || index_commit(r->ix, &e))
		reconstruct_fail(&e);
}

static inline void reconstruct_brief(struct index *ix, str project, int64_t tokens,
				     struct buf *out)
{
	struct err e = ERR_INIT;

	buf_reset(out);
	if (brief_render(out, ix,
			 &(struct brief_options){.project = project, .tokens = tokens},
			 NULL, &e))
		reconstruct_fail(&e);
}

static inline bool reconstruct_has(const struct buf *b, const char *what)
{
	return str_find(buf_str(b), str_of(what)) != STR_NPOS;
}

/* Eight decisions on four topics, each topic's second one retracting its first (or, off, not). */
static inline void reconstruct_topics(struct index *ix, str project, bool off,
				      size_t *leaked, size_t *kept)
{
	static const struct {
		const char *old, *now, *stale, *current;
	} T[RECONSTRUCT_TOPICS] = {
		{"Storage: readings go to flat CSV files.",
		 "Storage: readings go to one SQLite file.", "flat CSV", "one SQLite"},
		{"Auth: sign in with server-side cookies.",
		 "Auth: sign in with short-lived tokens.", "server-side cookies",
		 "short-lived tokens"},
		{"Deploy: copy the build over by hand.",
		 "Deploy: a pipeline pushes tagged images.", "by hand", "tagged images"},
		{"Queue: jobs are polled from a table.",
		 "Queue: jobs arrive over a message broker.", "from a table",
		 "message broker"},
	};
	struct reconstruct r;
	struct buf b = BUF_INIT(1u << 20);
	char id[32], old[32];

	reconstruct_begin(&r, ix, project);
	for (int i = 0; i < RECONSTRUCT_TOPICS; i++) {
		snprintf(old, sizeof(old), "ev_%s_a%d", off ? "off" : "on", i);
		reconstruct_add(&r, EVENT_DECISION, 3, old, "", T[i].old);
	}
	for (int i = 0; i < RECONSTRUCT_TOPICS; i++) {
		snprintf(id, sizeof(id), "ev_%s_b%d", off ? "off" : "on", i);
		snprintf(old, sizeof(old), "ev_on_a%d", i);
		reconstruct_add(&r, EVENT_DECISION, 3, id, off ? "" : old, T[i].now);
	}
	reconstruct_end(&r);
	reconstruct_brief(ix, project, BRIEF_TOKENS, &b);
	*leaked = *kept = 0;
	for (int i = 0; i < RECONSTRUCT_TOPICS; i++) {
		*kept += reconstruct_has(&b, T[i].current);
		*leaked += reconstruct_has(&b, T[i].stale);
	}
	buf_release(&b);
	buf_release(&r.dump);
}

/*
 * 28 events (a goal, six decisions of which three are retracted, two dead ends, two questions,
 * 16 files, a next step), and `noise` more files before the last question and the next step.
 */
static inline struct reconstruct_score reconstruct_project(struct index *ix, str project,
							   int noise)
{
	static const char *const stale[] = {"Parse the feed with regular expressions.",
					    "Keep sessions in memory only.",
					    "Retry every failed call for ever."};
	static const char *const wanted[] = {
		"Parse the feed with a streaming reader, since entries nest.",
		"Keep sessions in SQLite, so that a restart loses none.",
		"Retry three times with a growing pause, then park the call.",
		"Memory-mapping the feed failed on network drives.",
		"A pool of workers made the order of entries random.",
		"Write the migration for the sessions table.",
	};
	struct reconstruct_score s = {.wanted = sizeof(wanted) / sizeof(*wanted)};
	struct reconstruct r;
	struct buf b = BUF_INIT(1u << 20), id = BUF_INIT(64), line = BUF_INIT(128);
	int old[3] = {0};

	reconstruct_begin(&r, ix, project);
#define ADD(type, imp, retires, text)                                                    \
	do {                                                                             \
		buf_reset(&id);                                                          \
		buf_printf(&id, "ev_%.*s_%d", STR_ARG(project), r.n);                    \
		reconstruct_add(&r, type, imp, buf_cstr(&id), retires, text);            \
	} while (0)
	ADD(EVENT_GOAL, 5, "", "Make the feed importer survive restarts.");
	for (int i = 0; i < 3; i++) {
		old[i] = r.n;
		ADD(EVENT_DECISION, 3, "", stale[i]);
	}
	for (int i = 0; i < 16 + noise; i++) {
		buf_reset(&line);
		buf_printf(&line, "Touched src/feed/part_%03d.c and its test.", i);
		ADD(EVENT_FILE, 1, "", buf_cstr(&line));
		if (i == 7) {
			ADD(EVENT_DEADEND, 3, "", wanted[3]);
			ADD(EVENT_QUESTION, 3, "", "Do feeds ever carry two time zones?");
			ADD(EVENT_DEADEND, 3, "", wanted[4]);
		}
		for (int k = 0; i == 11 && k < 3; k++) {
			char retired[64];

			snprintf(retired, sizeof(retired), "ev_%.*s_%d", STR_ARG(project),
				 old[k]);
			ADD(EVENT_DECISION, 4, retired, wanted[k]);
		}
	}
	ADD(EVENT_QUESTION, 3, "", "Should parked calls be shown to the user?");
	ADD(EVENT_NEXT_STEP, 4, "", wanted[5]);
#undef ADD
	reconstruct_end(&r);
	reconstruct_brief(ix, project, RECONSTRUCT_BUDGET, &b);
	s.events = (size_t)r.n;
	s.dump_tokens = brief_tokens(buf_str(&r.dump));
	s.brief_tokens = brief_tokens(buf_str(&b));
	for (size_t i = 0; i < s.wanted; i++)
		s.kept += reconstruct_has(&b, wanted[i]);
	for (size_t i = 0; i < 3; i++) {
		s.dump_stale += reconstruct_has(&r.dump, stale[i]);
		s.brief_stale += reconstruct_has(&b, stale[i]);
	}
	buf_release(&b);
	buf_release(&id);
	buf_release(&line);
	buf_release(&r.dump);
	return s;
}

#endif
