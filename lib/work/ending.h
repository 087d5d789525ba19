/*
 * ending: how a session ended, and why, with the evidence.
 *
 *   struct ending *s = ending_new();
 *   ending_add(s, rec);                      all records, or only those of the file's tail
 *   ending_facts_of(&facts, t);              what the transcript reader knows
 *   ending_finish(s, &facts, &end);
 *   ending_free(s);
 *
 * A small state machine over the records, so that the last 256 KB of a file give the same
 * answer as the whole of it (except for calls opened before). Decision table: see
 * docs/formats.md, "How a session ended".
 */
#ifndef WORK_ENDING_H
#define WORK_ENDING_H

#include "data/transcript.h"

enum ending_kind {
	ENDING_EMPTY,   /* no conversation in the file */
	ENDING_RUNNING, /* its process is alive */
	ENDING_CLEAN,   /* orderly exit, turn finished */
	ENDING_CLEARED, /* ended by /clear, or looks so: turn finished, no last-prompt (see idle) */
	ENDING_INTERRUPTED, /* the user pressed Esc or refused a call, then left */
	ENDING_TERMINATED, /* SIGTERM, SIGHUP or SIGINT while a call ran; orderly file end */
	ENDING_KILLED_TOOL,  /* killed while a tool ran: open tool_use, no last-prompt */
	ENDING_KILLED_AGENT, /* killed while a sub-agent ran */
	ENDING_KILLED_TURN, /* killed while the model worked: last record is a prompt or a result */
	ENDING_KILLED_IDLE,  /* killed while waiting for the user */
	ENDING_COMPACTING,   /* ended while compacting */
	ENDING_API_ERROR,    /* the API failed for good: reason has the kind */
	ENDING_RATE_LIMIT,   /* 429, spend or usage limit */
	ENDING_CONTEXT_FULL, /* prompt too long */
	ENDING_OUTPUT_LIMIT, /* max_output_tokens */
	ENDING_REFUSED,      /* stop_reason refusal */
	ENDING_TORN,         /* the last record is torn, or NULs follow a finished turn */
	ENDING_UNREADABLE,   /* nothing in it is a record */
	ENDING_COUNT,
};

#define ENDING_OPEN_MAX 32
#define ENDING_TEXT_MAX 512

struct ending_call {
	uint64_t record;
	int64_t at;
	char id[64];
	char name[64];
	char what[ENDING_TEXT_MAX]; /* command, description or file, one line, redacted */
	bool is_agent;
};

struct ending {
	enum ending_kind kind;
	bool dead; /* it ended in a way that left work: worth recovering */
	char reason[ENDING_TEXT_MAX];   /* short, for a table: "killed mid-tool (Bash)" */
	char evidence[ENDING_TEXT_MAX]; /* one sentence: the records that show it */
	uint64_t evidence_record;
	int64_t at; /* last activity; CLOCK_NONE */
	struct ending_call open
		[ENDING_OPEN_MAX]; /* calls without a result on the live branch, newest last */
	size_t nopen;
	char error_kind[64], error_text[ENDING_TEXT_MAX];
};

/* What the records do not tell. */
struct ending_facts {
	int64_t running_pid; /* 0 = not running */
	bool tail_torn; /* from transcript: a part of a record, or garbage, ends the file */
	bool nul_tail;            /* from transcript: NUL bytes end the file */
	uint64_t losses, foreign; /* from transcript */
	bool cleared; /* a later session of the same folder begins with /clear right after this one's end */
	const struct tree *
		tree; /* may be NULL: then orphaned open calls of older turns are left out by position */
};

struct transcript;
/* Zero f and fill in what t knows after its end. */
void ending_facts_of(struct ending_facts *f, const struct transcript *t);

struct ending_state;
struct ending_state *ending_new(void);
void ending_add(struct ending_state *s, const struct record *r);
void ending_finish(struct ending_state *s, const struct ending_facts *f,
		   struct ending *out);
void ending_free(struct ending_state *s);
/* "killed-tool" and so on: the stable name in --json. */
const char *ending_name(enum ending_kind k);
/* "killed while a tool ran": what a kind means. */
const char *ending_words(enum ending_kind k);
/* Append the ending as a JSON object. */
void ending_json(const struct ending *e, struct buf *out);

#endif
