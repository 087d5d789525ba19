/*
 * transcript: the client's session file as records.
 *
 *   struct transcript *t = transcript_new(&src, 0, &TRANSCRIPT_CAPS_INDEX);
 *   while ((got = transcript_next(t, &rec)) == TRANSCRIPT_RECORD || got == TRANSCRIPT_LOSS) {
 *           if (got == TRANSCRIPT_LOSS) continue;          counted in t->losses
 *           struct block b; size_t it = 0;
 *           while (record_block(rec, &it, &b)) ...
 *   }
 *   transcript_free(t);
 *
 * Each record becomes a tree of values whose texts are cut to the caller's caps, so that a
 * record of any size costs a fixed amount of memory. Key order, unknown types and unknown
 * keys do not matter; of duplicate keys the last wins. Facts about the format: see
 * docs/formats.md, "Transcripts".
 *
 * Lifetime: a record and everything reached from it is valid until the next
 * transcript_next. Record numbers count whole records from 1 in file order, duplicates and
 * unknown ones included: they are the numbers that index, show and evidence use.
 */
#ifndef DATA_TRANSCRIPT_H
#define DATA_TRANSCRIPT_H

#include "base/arena.h"
#include "base/clock.h"
#include "data/scan.h"

enum val_type { VAL_NULL, VAL_FALSE, VAL_TRUE, VAL_NUM, VAL_STR, VAL_ARR, VAL_OBJ };

struct val {
	enum val_type type;
	bool cut;  /* STR: head and tail only; ARR/OBJ: further children were dropped */
	uint8_t k; /* private: the key's number in transcript.c */
	str key;   /* decoded, in an object */
	str text;  /* STR: decoded text or its head; NUM: the number's text */
	str tail;  /* STR with cut: decoded end */
	uint64_t size; /* STR: raw bytes in the file; ARR/OBJ: children in the file */
	uint32_t plus,
		minus; /* ARR: string elements that begin with '+' / '-', dropped ones too */
	struct val *child, *last, *next;
};

/* The last child with that key, or NULL (also when v is NULL or no object). */
const struct val *val_find(const struct val *v, str key);
static inline const struct val *val_get(const struct val *v, const char *key)
{
	return val_find(v, str_of(key));
}
/* Nested val_get; path "message.content" (dots separate keys). */
const struct val *val_at(const struct val *v, const char *path);
/* The text of a string or number, else STR_NONE. NULL-safe. */
str val_str(const struct val *v);
static inline str val_get_str(const struct val *v, const char *key)
{
	return val_str(val_find(v, str_of(key)));
}
/* True only for JSON true. NULL-safe. */
bool val_bool(const struct val *v);
/* An integer that fits, else the fallback. NULL-safe. */
int64_t val_int(const struct val *v, int64_t fallback);

/*
 * How much of a string is kept, in raw bytes. head + tail <= SCAN_TEXT_MAX. Ids, types,
 * paths and times are kept whole (up to 4 KB) whatever the caps; base64 data, originalFile,
 * signatures and encrypted parts outside tool inputs never: only their size.
 */
struct transcript_caps {
	uint32_t text_head,
		text_tail; /* texts of user and assistant, summaries, prompts, plans */
	uint32_t result_head, result_tail; /* tool results, stdout, stderr */
	uint32_t input_head, input_tail; /* strings in tool inputs and everything else */
	/*
	 * Only what listings read: no values for null and false, for what struct record holds
	 * already, nor for usage, request ids, stdout beside the result block, and kin.
	 */
	bool lean;
};
extern const struct transcript_caps
	TRANSCRIPT_CAPS_INDEX; /* listing: a few hundred bytes each */
extern const struct transcript_caps
	TRANSCRIPT_CAPS_DOC; /* extraction: 48K+16K, 16K+16K, 8K+2K */
extern const struct transcript_caps
	TRANSCRIPT_CAPS_TREE; /* identifiers and the first words */

#define TRANSCRIPT_RECORD_BYTES                                                          \
	(4u << 20) /* memory of one record; what does not fit is marked cut */
#define TRANSCRIPT_CHILDREN_MAX 256 /* children kept of one array or object */

enum record_type {
	RECORD_USER,
	RECORD_ASSISTANT,
	RECORD_SYSTEM,
	RECORD_ATTACHMENT,
	RECORD_SUMMARY,
	RECORD_PROGRESS,
	RECORD_QUEUE,    /* queue-operation */
	RECORD_SNAPSHOT, /* file-history-snapshot, file-history-delta */
	RECORD_LAST_PROMPT,
	RECORD_TITLE,   /* ai-title, custom-title, agent-name */
	RECORD_META,    /* mode, permission-mode, pr-link, tag, and kin */
	RECORD_FOREIGN, /* a record of another program's format (Codex rollouts) */
	RECORD_UNKNOWN,
};

struct record {
	uint64_t n;              /* record number, from 1 */
	uint64_t line, off, len; /* where it stands */
	enum record_type type;
	str type_name, subtype;
	str uuid, parent, logical_parent, session, cwd, branch, version, entrypoint;
	str agent_id;
	uint64_t uuid_hash, parent_hash,
		logical_hash; /* transcript_hash of the above; 0 = none */
	int64_t at;           /* timestamp, ms; CLOCK_NONE */
	bool sidechain, meta, compact_summary, compact_boundary, api_error;
	bool forked;                        /* carries forkedFrom */
	bool duplicate;                     /* its uuid was seen before in this file */
	str message_id, model, stop_reason; /* of assistant messages */
	const struct val *root;
	const struct val
		*content; /* message.content or content: string or array; may be NULL */
	const struct val *result;    /* toolUseResult; may be NULL */
	struct transcript_state *st; /* private */
};

enum block_kind {
	BLOCK_TEXT,
	BLOCK_THINKING,    /* also redacted_thinking */
	BLOCK_TOOL_USE,    /* also server_tool_use, mcp_tool_use */
	BLOCK_TOOL_RESULT, /* also web_search_tool_result and kin */
	BLOCK_IMAGE,
	BLOCK_OTHER,
};

struct block {
	enum block_kind kind;
	str text,
		tail; /* TEXT, THINKING, TOOL_RESULT (text parts joined when small; else the first) */
	bool cut;
	uint64_t size;           /* raw bytes of the text; of the image data for IMAGE */
	str id;                  /* TOOL_USE: id; TOOL_RESULT: tool_use_id */
	str name;                /* TOOL_USE */
	const struct val *input; /* TOOL_USE */
	bool is_error;           /* TOOL_RESULT */
	uint32_t images;         /* TOOL_RESULT: pictures inside */
	const struct val *v;     /* the block itself; the string for a string content */
};

/* Next content block from *it (start at 0); a string content is one TEXT block. */
bool record_block(const struct record *r, size_t *it, struct block *out);
/* The tool_use id that a user record answers (first tool_result), or STR_NONE. */
str record_answers(const struct record *r);
/* A TOOL_USE that starts a sub-agent: by its name (Task, Agent) or by a subagent_type in its input. */
bool record_dispatches(const struct block *b);
/* The string of a TOOL_USE's input that says most: command, file, pattern, description, ...; may be empty. */
const struct val *record_gist(const struct block *b);
/* What the user said when refusing a call: "... the user said:\n<words>" in a tool result; STR_NONE. */
str record_refusal(const struct block *b);

/*
 * What a person typed. kind says what the record's text is; for PROMPT and COMMAND *text is
 * what to quote (a command as "/name args"). See reference: real human prompts are neither
 * meta, summaries, tool results, side chains nor client markup; queued_command attachments
 * and prompts with a planContent key count. Client markup beside human words (IDE notes,
 * reminders) is left out of *text. A text over the cap is its head, a line that says how
 * much is left out, and its tail.
 */
enum record_says {
	SAYS_NOTHING,
	SAYS_PROMPT,       /* a human prompt, also queued_command attachments */
	SAYS_COMMAND,      /* slash command: "/name args"; "# words" for a memory note */
	SAYS_BASH,         /* `!` mode: the command line */
	SAYS_LOCAL_OUTPUT, /* output of a slash command or of `!` mode */
	SAYS_NOTIFICATION, /* <task-notification>; *text is the whole markup */
	SAYS_INTERRUPT,    /* [Request interrupted by user ... */
	SAYS_SUMMARY,      /* compaction summary */
	SAYS_HOOK, /* hook output, system reminders, caveats, skill bodies, other client text */
};
/* Composed texts are made in a; when it is full, *text is a part. text may be NULL. */
enum record_says record_says(const struct record *r, struct arena *a, str *text);
/* The inside of <tag>...</tag> in s, trimmed; STR_NONE when absent. */
str record_tag(str s, const char *tag);
/* "user", "assistant", ... for listings. */
const char *record_type_name(enum record_type t);

enum transcript_got {
	TRANSCRIPT_RECORD,
	TRANSCRIPT_LOSS,
	TRANSCRIPT_END,
	TRANSCRIPT_ERROR
};

#define TRANSCRIPT_LOSSES_KEPT 64
/*
 * Duplicates are found among at least this many of the newest uuids (at most twice as many);
 * memory for it grows up to 5 MB.
 */
#define TRANSCRIPT_UUIDS_MAX (1u << 17)

struct transcript_loss {
	uint64_t off, len, line;
	enum scan_why why;
};

struct transcript {
	uint64_t records, duplicates, unknown, foreign; /* so far */
	uint64_t losses, lost_bytes;
	struct transcript_loss loss
		[TRANSCRIPT_LOSSES_KEPT]; /* the first ones; the newest is in last_loss */
	struct transcript_loss last_loss;
	uint64_t good;  /* resume offset, see scan.h */
	bool tail_cut;  /* at the end: the file ends inside a record */
	bool tail_lost; /* so far: the last thing read was a loss, not a record */
	bool tail_torn; /* and a part of it was no NUL run */
	struct err err;
	struct transcript_state *st; /* private */
};

/*
 * Reads src from its current position, which is offset `at` (0 for the whole; else record
 * and line numbers count from there). Ends the process when out of memory.
 */
struct transcript *transcript_new(struct source *src, uint64_t at,
				  const struct transcript_caps *caps);
enum transcript_got transcript_next(struct transcript *t, const struct record **rec);
void transcript_free(struct transcript *t);
/* A fast 64-bit hash for ids within one run (not for files); never 0 but for the empty str. */
uint64_t transcript_hash(str s);

#endif
