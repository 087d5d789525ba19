/*
 * index_impl: what the parts of index share: the handle, its statements, the schema.
 *
 *   sqlite3_stmt *st;
 *   ret = index_stmt(ix, SQL, &st, e);           SQL: one literal, the cache knows it by its address
 *   if (!ret) {
 *           index_bind(st, 1, project);
 *           while ((ret = index_step(ix, st, e)) > 0) ...columns...
 *           sqlite3_reset(st);                   always, also when a callback stopped the loop
 *   }
 */
#ifndef DATA_INDEX_IMPL_H
#define DATA_INDEX_IMPL_H

#include <sqlite3.h>
#include <sys/types.h>

#include "data/index.h"

/* The tokenizer of the table `words`. Another value makes all indexes anew. */
#define INDEX_TOKENIZE "porter handoff"
/* What index_extra and index_merge_setup write: change this with them, so that all indexes are made anew. */
#define INDEX_RULES         "4"
#define INDEX_STMTS_MAX     64
#define INDEX_TALLY_MAX     32
#define INDEX_IMPORTED_SLOT 16 /* tally.type of imported events: their type and this */

struct index_words;

struct index_tally {
	int64_t project;
	int type;
	int64_t change;
};

struct index {
	sqlite3 *db; /* NULL: it could not be made anew */
	char *path, *vault;
	int busy_ms;
	dev_t dev;
	ino_t ino, wal; /* wal: of its write-ahead log, once that was seen */
	bool cached;    /* in the cache: its folder is made again where it is gone */
	bool damaged;
	bool stuck;      /* the file cannot be read or written, damaged or not */
	char *homeless;  /* why it lies in no file; NULL: it does */
	unsigned opened; /* databases opened or begun */
	int nstmts;
	struct {
		const char *sql;
		sqlite3_stmt *st;
	} stmt[INDEX_STMTS_MAX];
	int ntally; /* changes of the table tally that the commit will write */
	struct index_tally tally[INDEX_TALLY_MAX];
	bool settle; /* the table temp.dirty has rows */
	char *made; /* in a transaction: the project that was asked for last, to be made */
	int64_t made_id;
	struct index_words *words;
	int64_t words_rows,
		words_last; /* written to the table words since the commit; the last of them */
	bool bulk;          /* between index_bulk(on) and (off) */
};

/*
 * The folder of a file is the second value that is bound. As an expression: what is compared with the
 * condition of a partial index as a bare ?2, SQLite plans anew whenever it is bound.
 */
#define INDEX_FOLDER "folder = ?2 + 0"

/* A reset statement, prepared once; a busy one is not shared. */
int index_stmt(struct index *ix, const char *sql, sqlite3_stmt **st, struct err *e);
/* 1: a row; 0: the end; else HF_E*. The statement is reset after the last two. */
int index_step(struct index *ix, sqlite3_stmt *st, struct err *e);
/* Run a statement that gives no rows. */
int index_run(struct index *ix, sqlite3_stmt *st, struct err *e);
void index_bind(sqlite3_stmt *st, int i, str s);
str index_column(sqlite3_stmt *st, int i);
/* What SQLite's code means here; notes damage. */
int index_fail(struct index *ix, int rc, const char *doing, struct err *e);
/* Its id; 0 when unknown, or made when `make`. */
int index_project_id(struct index *ix, str name, bool make, int64_t *id, struct err *e);
/* The last one made is not known any more: at both ends of a transaction. */
void index_forget_project(struct index *ix);

/* Items: select INDEX_COLUMNS from INDEX_TABLES, then index_item_of. */
#define INDEX_COLUMNS                                                                    \
	"i.id, i.kind, i.type, i.origin, i.importance, i.retired, i.at_us, i.uid, "      \
	"i.name, i.body, i.file, i.pos, p.name, f.session, f.title, f.done, f.name, "    \
	"f.folder"
#define INDEX_NCOLUMNS 18
#define INDEX_TABLES                                                                     \
	"item i CROSS JOIN file f ON f.id = i.file CROSS JOIN project p ON p.id = i.project"
void index_item_of(sqlite3_stmt *st, struct index_item *it);
/* Run st and hand each item to fn; resets it. */
int index_items(struct index *ix, sqlite3_stmt *st, index_fn *fn, void *arg,
		struct err *e);

/*
 * The three columns of `words` for an item. The table keeps no text (content=''), so a row is
 * taken out by giving the same texts again: they must follow from what item and file keep.
 * proj is the decimal project id: one token under every tokenizer, untouched by stemming.
 */
void index_extra(struct buf *b, enum index_kind kind, int type, int64_t at_us, str name);

/* --- index_words.c: the tokenizer, and words cut as it cuts them --- */

#define INDEX_WORD_MAX     64 /* bytes of a token; porter leaves longer ones alone too */
#define INDEX_TEXT_MAX     (256u << 10) /* bytes cut here at once */
#define INDEX_WHOLE_WEIGHT 0.15         /* of a whole name, whose parts are terms too */
#define INDEX_TERMS_MAX    32           /* words that a question is followed by */
#define INDEX_ASKED_MAX    4096 /* different words of a question that are told apart */
#define INDEX_WHOLES_MAX   4    /* whole names that a word is known to be a part of */

struct index_term {
	char word[INDEX_WORD_MAX], stem[INDEX_WORD_MAX];
	size_t n, nstem;
	double weight;
	bool prefix; /* a single Han, Kana or Hangul character: stands for all that begin with it */
	uint32_t
		wholes; /* bits: the names that were asked for, and that it is only a part of; 0: it counts by itself */
};

/* The different words of a question, in its order. */
struct index_asked_word {
	struct index_term term;
	int alone;   /* times that it is no part of a name */
	bool quoted; /* a whole name, in quotes */
	uint16_t whole[INDEX_WHOLES_MAX];
	size_t nwhole;
};

struct index_asked {
	struct index_asked_word *word;
	size_t n;
	int name;      /* the question is this one name, and its parts; -1: it is not */
	bool sentence; /* stop words stood in it */
};

/* Before the schema is touched; a code of SQLite. *w belongs to the caller; to be closed before db is. */
int index_words_open(sqlite3 *db, struct index_words **w);
void index_words_close(struct index_words *w);
/* Cut a question, without stop words; with them when nothing else is left. words_only: without strict ones, and never with them. */
void index_asked(struct index_words *w, str text, bool words_only, struct index_asked *a);
void index_asked_release(struct index_asked *a);
/* How often each term stands in text; returns the words in it. */
unsigned index_words_count(struct index_words *w, str text, const struct index_term *term,
			   size_t n, unsigned *tf);
/* Bytes of the name in "Ann: ..."; 0: none. */
size_t index_words_name(str body);
/* index_stop.c: a folded word says nothing of what a question is about. strict: in any of the languages, though it does in another. */
bool index_stop_word(str word, bool strict);

/* --- index_terms.c: the words that a question is followed by --- */

struct index_terms {
	struct index_term term[INDEX_TERMS_MAX];
	size_t n;
	size_t asked; /* different words of the question: with more than INDEX_TERMS_MAX the rarest ones are here */
	int name;     /* the question is this one name, and its parts; -1: it is not */
};

/* words_only: as index_asked. project: rare in it, 0: in all. */
int index_terms_of(struct index *ix, str text, bool words_only, int64_t project,
		   struct index_terms *t, struct err *e);
/* Append what FTS5 is asked for: a term, not as the number of a project. */
void index_terms_word(struct buf *b, const struct index_term *t);
/* Rows first..last in which an expression of FTS5 occurs, at most max of them; *seen: the last row that was looked at. */
int index_probe(struct index *ix, str match, int64_t first, int64_t last, int max,
		int *hits, int64_t *seen, struct err *e);

/* --- index_merge.c: how the table words is kept in few segments --- */

/* With the schema: FTS5 does not merge by itself. */
int index_merge_setup(struct index *ix, struct err *e);
/* At the end of a transaction: about as many pages as it wrote rows. */
int index_merge_some(struct index *ix, struct err *e);
/* Outside of transactions: everything into one segment; best effort. */
void index_merge_all(struct index *ix);

/* --- index_match.c, index_rank.c --- */

#define INDEX_RANK_K1   1.2
#define INDEX_NAMED_MAX 8

struct index_match_row {
	int64_t row;
	float score;
};

/* --- index_range.c: rows of a span of time --- */

struct index_range {
	unsigned char *bit; /* NULL: all rows */
	int64_t last;
};

int index_range_of(struct index_range *r, struct index *ix, const struct index_query *q,
		   struct err *e);
bool index_range_has(const struct index_range *r, int64_t row);
void index_range_release(struct index_range *r);

struct index_match {
	const struct index_query *q;
	struct index_terms t;
	double df[INDEX_TERMS_MAX], idf[INDEX_TERMS_MAX];
	unsigned char lead[INDEX_TERMS_MAX]; /* terms that the first pass looks for */
	size_t nlead, rows_max;
	int64_t project; /* 0: all */
	double average;  /* words of a text */
	struct index_range range;
	size_t matched; /* rows that were met, also those out of the range */
	struct index_match_row *row;
	size_t n, cap, sorted; /* the first `sorted` stand in their order */
	bool cut;              /* not all rows were looked at */
	int64_t named
		[INDEX_NAMED_MAX]; /* rows of the events whose ids stand in the question */
	size_t nnamed;
};

/* What a part of a name says where the name is not: so much of it. */
#define INDEX_APART 0.5
/* Added in the first pass where the question is one name, and the row has it whole. */
#define INDEX_NAME_BONUS 1000.0

/* Of what the term says alone, so much counts beside these terms (bits). */
static inline double index_apart(const struct index_term *t, uint32_t there)
{
	return t->wholes && !(t->wholes & there) ? INDEX_APART : 1;
}

/* Append a term as FTS5 takes it: quoted, nothing in it is syntax. */
void index_match_term(struct buf *b, const struct index_term *t);
/* The last row of all items; 0: there is none. */
int index_last_row(struct index *ix, int64_t *last, struct err *e);
int index_match_register(fts5_api *api);
int index_rank(struct index *ix, struct index_match *m,
	       int (*fn)(const struct index_item *it, double score, void *arg), void *arg,
	       struct err *e);

#endif
