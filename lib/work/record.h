/*
 * record: versioned records: facts that agents share, each version kept for ever.
 *
 *   struct record_store s = {.vault = &vault, .agent = "scout", .session = ""};
 *   struct record_new n = {.value = STR("\"good\""), .confidence = 0.8};
 *   ret = record_write(&s, &address, &n, &done, &e);
 *   ret = record_read(&s, &address, 0, STR_NONE, &r, &e);    0: the current version
 *   record_release(&r);
 *   ret = record_report(&s, &address, &(struct record_outcome){.kind = OUTCOME_SUCCESS}, &moved, &e);
 *
 * A write to an address that exists adds version N+1; values never change. Confidence belongs to
 * the current version and is moved by reports of outcomes (work/outcome) that stand in the same
 * append-only file (data/lineage). Writing and reading the newest read only the file's end; if
 * that does not stand where its own line says (a merge, converted line ends, an edit), the whole
 * file is read instead.
 *
 * Two machines may have written side by side: then the record is *contested*. Reads say so and
 * give both; the next version names both as parents and ends it; an outcome is refused until then.
 *
 * What is stored is redacted first (work/redact). What a call acknowledged is on disk. Writers
 * hold the vault's lock while they look and append, not while the disk works.
 */
#ifndef WORK_RECORD_H
#define WORK_RECORD_H

#include "data/address.h"
#include "data/lineage.h"
#include "data/vault.h"
#include "work/chain.h"
#include "work/outcome.h"

#define RECORD_VALUE_MAX  (64u << 10) /* bytes of canonical JSON */
#define RECORD_NOTE_MAX   2000        /* bytes of note and ref */
#define RECORD_TAGS_MAX   32
#define RECORD_TAG_MAX    64
#define RECORD_AGENT_MAX  128
#define RECORD_CONFIDENCE 0.5 /* of a version whose writer says nothing */
#define RECORD_WAIT_MS    10000

struct recindex; /* work/recindex */

struct record_store {
	struct vault *vault;
	const char *agent;     /* who writes; "" counts as "claude-code" */
	const char *session;   /* "" when unknown */
	struct recindex *kept; /* stays open between searches; NULL: opened for each */
};

struct record_new {
	str value;         /* JSON text */
	double confidence; /* negative: RECORD_CONFIDENCE */
	const str *tags;
	size_t ntags;
	str note, ref;
	str extra;       /* JSON object an adapter keeps with the version, or empty */
	bool if_changed; /* nothing is written when the current value is the same */
	bool expects;
	uint64_t expected; /* the current version must be this; 0: there must be none */
};

struct record_done {
	uint64_t version;    /* now current */
	uint64_t supersedes; /* 0: the first */
	bool unchanged;      /* if_changed, and it was: nothing was written */
	bool conflict;  /* expected was not met: version is the current one; HF_EFORMAT */
	bool joined;    /* it ended a contest */
	size_t secrets; /* taken out of what was stored */
	double confidence;
	char at[32], content[65], chain[65];
	struct buf value; /* canonical, as stored */
};

/* HF_EUSAGE: the arguments; HF_ELIMIT; HF_EFORMAT: the value or a conflict; HF_ETIME: the lock. */
int record_write(const struct record_store *s, const struct address *a,
		 const struct record_new *n, struct record_done *done, struct err *e);
void record_done_release(struct record_done *done);

struct record_view {
	struct address address;
	const struct lineage_entry *v; /* the version that was asked for */
	struct lineage_state state;    /* confidence and counts of it */
	uint64_t last;                 /* the newest version's number */
	bool current;                  /* it is (one of) the newest */
	bool contested;
	bool gap;        /* versions are missing from the file (known when full) */
	bool corrupt;    /* its hashes do not fit: not to be relied on */
	bool full;       /* lineage and chain are all of the file */
	char judged[32]; /* record_skim: when an outcome was last reported; "" never */
	struct lineage lineage;
	struct chain chain;
	struct buf text;
};

/*
 * version 0: the current one. chain, where given, picks between two of the same number.
 * HF_ENOTFOUND: no such record, or version. r is to be released whatever comes back.
 */
int record_read(const struct record_store *s, const struct address *a, uint64_t version,
		str chain, struct record_view *r, struct err *e);
/* All of the file; r->v is the current version (the first head). */
int record_load(const struct record_store *s, const struct address *a,
		struct record_view *r, struct err *e);
/* The same for a path that shelf_walk gave; the address is what the file says, else what its name says. */
int record_load_path(const struct record_store *s, str rel, struct record_view *r,
		     struct err *e);
/*
 * The current version of an open file of `size` bytes, as its path names it, for who indexes it:
 * r->corrupt stays false, its hashes are not computed. Of a long file only the end is read.
 */
int record_skim(str rel, int fd, uint64_t size, struct record_view *r, struct err *e);
/* It has a file; whether anything can be read in it is not asked. */
bool record_exists(const struct record_store *s, const struct address *a);
/* Make the i-th entry, a version, the one of r (which is full). */
void record_pick(struct record_view *r, size_t i);
void record_release(struct record_view *r);

struct record_outcome {
	enum outcome_kind kind;
	uint64_t version; /* 0: the current one */
	str ref, note, packet;
};

struct record_moved {
	uint64_t version;
	bool moved;           /* false: reported of a version that is no longer current */
	double before, after; /* of that version, and so are the counts */
	uint64_t successes, failures, others; /* after it */
	uint64_t newest;                      /* the current version */
	double newest_confidence;
	size_t secrets;
	char at[32];
};

int record_report(const struct record_store *s, const struct address *a,
		  const struct record_outcome *o, struct record_moved *m, struct err *e);

/* Append JSON text with secrets taken out of its strings and names; how many. HF_EFORMAT when it is none any more. */
int record_redact_json(struct buf *out, str json, size_t *secrets, struct err *e);
/* Append a text with secrets taken out, without control characters; HF_ELIMIT over max. */
int record_redact_text(struct buf *out, const char *what, str s, size_t max,
		       size_t *secrets, struct err *e);

/* Append r->v as a JSON object, as the tools and --json give it. Secrets that came in past us are taken out. */
void record_json(const struct record_view *r, struct buf *out);
/* The same for people and models: the value is quoted line by line, control characters are escaped. */
void record_text(const struct record_view *r, struct buf *out);
/* Of a record with a gap: append "v2, v4 to v6 missing from its file"; the same as the member `gap` of a JSON object. */
void record_gap(const struct record_view *r, struct buf *out);
void record_gap_json(const struct record_view *r, struct buf *out);
/* All versions of a full record, oldest first: a JSON array, or text with a blank line between. */
void record_history(struct record_view *r, bool json, struct buf *out);

#endif
