/*
 * lineage: the file of one record: all its versions, and what was reported of them.
 *
 *   struct lineage l = LINEAGE_INIT;
 *   lineage_parse(&l, text);                     never fails: what is odd is counted
 *   for (i = 0; i < l.n; i++) ... l.entry[i] ...
 *   lineage_release(&l);
 *
 *   lineage_tail(&l, window, file_offset)        the newest entry alone, from the file's end
 *
 * Append-only markdown (docs/formats-records.md, "Record files"): front matter with the address;
 * then blocks. A block of a version is a heading, the value as fenced JSON, and a sealed line
 * (data/seal) with the rest; a report of an outcome is a sealed line alone. Every sealed line names
 * the hashes of those before it (`prev`), which makes the file one chain, or after a merge of two
 * machines' files a graph; and it carries the state of the record after it, so that the last
 * line of the file is enough to read on or to append.
 *
 * Tolerated: CRLF, a BOM, text that is none of ours, JSON laid out anew. What is borrowed lies in the text,
 * decoded strings in the arena of l. Nothing is checked here but that lines have the parts they
 * need and that seals fit; lib/work/verify knows what the parts must be.
 */
#ifndef DATA_LINEAGE_H
#define DATA_LINEAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define LINEAGE_PARENTS_MAX 16

enum lineage_type { LINEAGE_VERSION, LINEAGE_OUTCOME };

/* What the record is believed to be after an entry. */
struct lineage_state {
	uint64_t version; /* 0: none */
	str chain;        /* hash of the current version */
	double confidence;
	uint64_t successes, failures, others; /* reported of the current version */
	uint64_t offset,
		size; /* where its sealed line stands, and how long the block before is */
};

struct lineage_entry {
	enum lineage_type type;
	bool sealed;  /* the line's hash fits */
	bool whole;   /* all that it must have is there */
	bool placed;  /* it stands at the offset that it names */
	str seal;     /* its hash */
	str json;     /* the object of the sealed line */
	size_t begin; /* of the block (its heading), or of the line */
	size_t line;  /* of the sealed line, in the file */
	uint64_t offset;
	str prev[LINEAGE_PARENTS_MAX];
	size_t nprev;
	str agent, session, at, note, ref;
	uint64_t version;
	/* versions */
	str value; /* JSON text between the fences; p NULL when there is none */
	str content, chain;
	str parents[LINEAGE_PARENTS_MAX]; /* chain hashes */
	size_t nparents;
	str tags;          /* JSON array, or empty */
	str extra;         /* JSON object, or empty: what an adapter keeps */
	double confidence; /* as it was written */
	uint64_t size;
	/* outcomes */
	str kind, packet, of; /* of: chain hash of the version that it is about */
	double before, after;
	bool moved;                /* it was about the current version */
	struct lineage_state head; /* state after this entry */
};

struct lineage {
	str scope, key; /* from the front matter, decoded; empty when there is none */
	struct lineage_entry *entry; /* in the order of the file */
	size_t n;
	size_t lost; /* blocks in the middle without a sealed line, sealed lines that cannot be read */
	size_t torn;     /* blocks that a crash cut, marked so by the next append */
	bool torn_tail;  /* the file ends inside a block */
	bool open_fence; /* and inside its JSON */
	bool unchecked; /* the caller's: hashes of lines are not computed (`sealed` stays false), scope and key are not read */
	/* private */
	struct buf entries;
	struct arena arena;
	bool has_arena;
};

#define LINEAGE_INIT ((struct lineage){.entries = BUF_INIT(SIZE_MAX)})

void lineage_parse(struct lineage *l, str text);
/* Emptied, memory kept. */
void lineage_reset(struct lineage *l);
void lineage_release(struct lineage *l);
/*
 * The last entry of a file of which `window` is the end, beginning at offset `at`: l has it as its only
 * one (versions without their value), torn_tail, and lost: what is damaged behind it. False when no whole line is in the window.
 */
bool lineage_tail(struct lineage *l, str window, uint64_t at);
/* The value of the block that `block` (heading up to the sealed line) holds; p NULL when there is none. */
str lineage_value(str block);

/* Append the front matter and title of a new file. */
void lineage_add_header(struct buf *b, str scope, str key);
/* Close what a crash left open at the end, before the next block. */
void lineage_add_torn(struct buf *b, bool open_fence);
/*
 * Append the block of a version, or the line of an outcome, as v says; b begins at file offset
 * `base`. Fills v's offset, size, head and seal (hex, as NUL-terminated text in hash).
 */
void lineage_add_version(struct buf *b, struct lineage_entry *v, uint64_t base,
			 char hash[65]);
void lineage_add_outcome(struct buf *b, struct lineage_entry *o, uint64_t base,
			 char hash[65]);

#endif
