/*
 * extract_impl: what the files of extract share; nobody else includes it.
 *
 *   extract.c        records by type, and the facts as they are shown
 *   extract_said.c   what people and the model say
 *   extract_call.c   calls and the results of most tools
 *   extract_task.c   agents, background tasks, lists of things to do
 *   extract_file.c   edits and reads
 *   extract_shell.c  commands, errors
 *   extract_git.c    what git did and said
 *   extract_touch.c  files that commands change
 *   extract_lost.c   calls that a killed client left behind
 *   extract_compare.c  what the user ordered or an output found, and nobody came back to
 *   extract_store.c  tables, memory, the door, saving
 */
#ifndef WORK_EXTRACT_IMPL_H
#define WORK_EXTRACT_IMPL_H

#include "work/extract.h"
#include "work/table.h"
#include "work/title.h"

#define ARENA_BYTES     ((size_t)2560 << 10) /* two of them */
#define RESERVE_BYTES   ((size_t)512 << 10) /* free in `kept` before a block is looked at */
#define LIVE_BYTES      (ARENA_BYTES - 2 * RESERVE_BYTES) /* kept after a move */
#define DOOR_BYTES      ((size_t)256 << 10)               /* of one redacted text */
#define HALF_TEXT_BYTES (EXTRACT_TEXT_BYTES / 2)

/* rows */
#define PROMPTS_MAX     400
#define SENTENCES_MAX   1500
#define SENTENCES_CUT   1125 /* kept when they are more */
#define TEXT_SENTENCES  80   /* of one text */
#define THOUGHTS_MAX    300
#define THOUGHTS_CUT    200
#define THINK_SENTENCES 200
#define ERRORS_MAX      120
#define COMMANDS_MAX    600
#define FILES_MAX       400 /* edited, and as many read */
#define EDIT_NAMES_MAX  300
#define EDIT_NAMES_CUT  150 /* dropped when they are more */
#define READ_NAMES_MAX  80
#define IDENTS_MAX      8192
#define NAMED_MAX       2048
#define TRACKED_MAX     200
#define OPEN_MAX        64
#define RECENT_MAX      5
#define TODOS_MAX       200
#define ANSWERS_MAX     100
#define VERDICTS_MAX    200
#define SOURCES_MAX     800
#define AGENTS_MAX      64
#define COMMITS_MAX     200
#define PUSHES_MAX      64
#define BACKGROUND_MAX  100
#define REFUSED_MAX     100
#define INTERRUPTS_MAX  200
#define PRS_MAX         32
#define TOOLS_MAX       64
#define WAITS_MAX       16
#define SHELLED_MAX     200
#define FINDINGS_MAX    32
#define UNCHANGED_MAX   40
#define SUMMARIES_MAX   32
#define UUIDS_MAX       2048
#define SEEN_MARKS      (8 * UUIDS_MAX)

/* bytes of one kept text */
#define ID_BYTES       200
#define UUID_BYTES     64
#define PATH_BYTES     1024
#define LINE_BYTES     1000
#define COMMAND_BYTES  400  /* the key of a command */
#define NORM_BYTES     2000 /* a normalised command while its call is open */
#define RAW_BYTES      ((size_t)4 << 10)
#define LABEL_BYTES    600
#define SENTENCE_CUT   420
#define PROMPT_HEAD    ((size_t)12 << 10)
#define PROMPT_TAIL    ((size_t)4 << 10)
#define PROMPTS_BYTES  ((size_t)512 << 10) /* all prompts */
#define AGENT_BYTES    ((size_t)8 << 10)
#define PAYLOAD_BYTES  ((size_t)48 << 10)  /* of one open call */
#define PAYLOADS_BYTES ((size_t)256 << 10) /* of all */
#define OUTPUT_HEAD    4000                /* of the last result */
#define OUTPUT_TAIL    2000

#define EXTRACT_CUT "\n…\n" /* between head and tail of a text that is cut */

/* distances in records */
#define REPEAT_RECORDS    60 /* a prompt said twice */
#define DIAGNOSIS_RECORDS 12
#define REPAIR_RECORDS    60
#define WAIT_MS           60000

/* weights of identifiers and named paths */
#define WEIGHT_PROMPT  3.0f
#define WEIGHT_EVENT   1.0f
#define WEIGHT_TEXT    2.0f
#define WEIGHT_META    2.0f
#define WEIGHT_COMMAND 0.7f
#define WEIGHT_INPUT   0.5f
#define WEIGHT_EDIT    0.3f

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A call whose result has not come. payload: key, NUL, text, NUL, ... of what it will need. */
struct call {
	uint64_t record;
	int64_t at;
	str id, name, label, description, command, raw, path, payload;
	bool agent;
};

struct leaf { /* a summary record and the uuid that it is about */
	uint64_t hash;
	str text;
};

struct seen {
	uint64_t hash;
};

struct wait {
	uint64_t ms;
};

struct privates {
	uint32_t texts; /* assistant texts so far */
	uint32_t title_rank;
	uint64_t seen_next; /* slot of the ring of uuids */
	bool any_uuid;
	bool output_known, output_shell, output_error;
	str output_head, output_tail; /* of the last result */
};

/* i + 1 by hash, open addressing; size is a power of two above twice the rows. */
struct index {
	uint16_t *slot;
	size_t size;
};

struct extract {
	char *rows; /* of all tables */
	struct facts f;
	struct facts *self; /* &f, as the only row of a table; so for private */
	size_t nself;
	struct privates *private;
	size_t nprivate;
	struct call *call;
	size_t ncall;
	struct leaf *leaf;
	size_t nleaf;
	struct seen *seen;
	size_t nseen;
	struct wait *wait;
	size_t nwait;
	struct fact_finding *finding;
	size_t nfinding;
	struct privates private_row;
	struct facts view;
	struct arena kept, other;
	struct buf text; /* of door() */
	/* what the last command printed, as it came: redacted once somebody wants it */
	struct buf late_text, late_tail;
	bool late, late_cut;
	struct index ident, named;
	uint32_t seen_mark[SEEN_MARKS]; /* how many of the ring have these low bits */
	int64_t now;                    /* time of the record at hand */
	bool source; /* the record at hand gave a fact whose uuid is to be known */
};

/* The order is that of the saved state. */
enum {
	T_SELF,
	T_PRIVATE,
	T_PROMPT,
	T_SENTENCE,
	T_THOUGHT,
	T_LAST_THOUGHT,
	T_EDIT,
	T_READ,
	T_NAMED,
	T_IDENT,
	T_TRACKED,
	T_COMMAND,
	T_ERROR,
	T_CALL,
	T_RECENT,
	T_TODO,
	T_ANSWER,
	T_AGENT,
	T_COMMIT,
	T_PUSH,
	T_BACKGROUND,
	T_REFUSED,
	T_PR,
	T_TOOL,
	T_LEAF,
	T_SEEN,
	T_WAIT,
	T_FINDING,
	T_SHELLED,
	T_VERDICT,
	T_SOURCE,
	T_UNCHANGED,
	T_INTERRUPT,
	T_COUNT,
};

extern const struct table extract_table[T_COUNT], extract_edit_name, extract_read_name;

/* extract_store.c */

/* A new row; the oldest goes when the table is full. */
void *extract_push_newest(struct extract *x, const struct table *t);
/* A copy in kept memory; empty, and counted as dropped, when that is full. s came through the door. */
str extract_kept_str(struct extract *x, str s);
/* The same of at most its first max bytes. */
str extract_keep(struct extract *x, str s, size_t max);
/* The same of its first and last bytes, a newline between, when it is longer than both. */
str extract_keep_ends(struct extract *x, str s, size_t head, size_t tail, str mark);
/* The same of at most LINE_BYTES. */
str extract_keep_line(struct extract *x, str s);
/* A copy in scratch memory, which lasts until the next extract_make_room. */
str extract_scratch(struct extract *x, str s);
/*
 * The one door: a text from a record, redacted, in scratch memory. path: of the file
 * whose content it is, or empty. tail: its end, if it was cut.
 */
str extract_door_text(struct extract *x, str path, str text, str tail, bool cut);
str extract_door(struct extract *x, str s);
str extract_door_val(struct extract *x, const struct val *v);
str extract_door_get(struct extract *x, const struct val *v, const char *key);
/* One line, in scratch memory. */
str extract_squeezed(struct extract *x, str s);
/* prose_cut in scratch memory. */
str extract_cut_text(struct extract *x, str s, size_t n);
/* The row with this text, or NULL. */
struct fact_name *extract_index_find(const struct index *in, struct fact_name *name,
				     str s);
/* For table_keep_best. */
double extract_name_weight(const void *row, const void *arg);
void extract_add_ident(struct extract *x, str s, float weight);
void extract_add_named(struct extract *x, str s, float weight);
/* Count identifiers and paths of a text. */
void extract_count_names(struct extract *x, str s, float weight);
void extract_drop_command(struct extract *x);
void extract_drop_oldest_file(struct extract *x);
void extract_drop_oldest_read(struct extract *x);
/* Called between blocks: afterwards RESERVE_BYTES are free, and scratch memory is empty. */
void extract_make_room(struct extract *x);
/* What is over its maximum goes, by the rules of docs/extraction.md. */
void extract_trim_prompts(struct extract *x);
void extract_trim_sentences(struct extract *x);

/* extract_said.c */

void extract_add_prompt(struct extract *x, str text, enum fact_prompt_kind kind);
void extract_on_user_text(struct extract *x, str s);
void extract_on_meta_text(struct extract *x, str s);
void extract_on_text(struct extract *x, const struct record *r, str s);
void extract_on_thinking(struct extract *x, str s);

/* extract_call.c */

bool extract_is_shell(str name);
bool extract_in_list(str s, const str *list, size_t n);
str extract_packed(str payload, const char *key);
str extract_normalised(struct extract *x, str command);
void extract_on_call(struct extract *x, const struct block *b);
void extract_on_result(struct extract *x, const struct record *r, const struct block *b);
/* Redact and keep what the last command printed, if that waits. */
void extract_settle(struct extract *x);
void extract_set_plan(struct extract *x, str plan);

/* extract_task.c */

/* The background task with that id, added if it is new; of too many the first that has ended goes. */
struct fact_background *extract_background(struct extract *x, str id, str command);
void extract_on_notification(struct extract *x, str s);
void extract_on_agent_result(struct extract *x, const struct call *c,
			     const struct val *result, str text);
void extract_on_todo_list(struct extract *x, str payload);
void extract_on_task_create(struct extract *x, const struct call *c,
			    const struct val *result, str text);
void extract_on_task_update(struct extract *x, const struct call *c);
/* A tool that tells or ends what a background task did. */
bool extract_is_task_output(str name);
void extract_on_task_output(struct extract *x, const struct call *c, str text);

/* extract_file.c */

void extract_on_edit(struct extract *x, const struct call *c, const struct val *result);
void extract_note_repair(struct extract *x, str path);
void extract_on_read(struct extract *x, const struct call *c, str text);
void extract_read_range(struct buf *out, const struct val *file, str text);

/* extract_shell.c */

struct fact_error *extract_add_error(struct extract *x, str command, str family,
				     const str *line, size_t n);
/* text may be empty where extract_is_quiet. */
void extract_on_shell(struct extract *x, const struct call *c, const struct val *result,
		      str text, bool failed);
/* A command that went well, and of whose output nothing is kept, whatever it says, unless it is the last. */
bool extract_is_quiet(const struct call *c, const struct block *b);

/* extract_git.c */

void extract_on_pr(struct extract *x, str url, str action);
void extract_on_git(struct extract *x, const struct call *c, const struct val *result,
		    str text, bool failed);

/* extract_touch.c */

/* Note the files that a command, as it was written, changes by their names. */
void extract_on_touch(struct extract *x, str raw);
/* A shell command printed the file, or what it looked for in it. */
void extract_note_read(struct extract *x, str path);
/* Note the files that `patch` says it has patched, and those of a patch in the command itself. */
void extract_on_patch(struct extract *x, str raw, str output);

/* extract_lost.c */

/* Of the view's lost calls, leave those of which nothing shows what became of them. */
void extract_show_lost(struct extract *x);

/* extract_compare.c */

/* Keep the finding of an output, if it counts one and names something. */
void extract_note_finding(struct extract *x, str text);
/* Fill unmet and unfollowed of the view. */
void extract_compare(struct extract *x);

#endif
