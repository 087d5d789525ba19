/*
 * extract: records to facts: what a handoff document is made of.
 *
 *   struct extract *x = extract_new();
 *   extract_add(x, rec);                       every record, in file order
 *   ...
 *   const struct facts *f = extract_facts(x, tree);      tree may be NULL
 *   extract_free(x);
 *
 * Every fact carries the number of the record it comes from. Every text has been redacted
 * on its way in (one door: the module's own `keep`), cut to its cap, and made valid UTF-8. What
 * the last command printed may wait before the door, in memory alone, until facts are asked
 * for or saved: most outputs are followed by another one before that.
 * Memory is bounded by EXTRACT_BYTES: each table has a maximum and a stated rule for what
 * goes first when it is full (docs/extraction.md, "Bounds"); f->dropped counts.
 *
 * extract_save and extract_load write and read the whole state as text, so that a hook can
 * go on where the last one stopped: load, add the new records, save.
 */
#ifndef WORK_EXTRACT_H
#define WORK_EXTRACT_H

#include "data/transcript.h"
#include "work/tree.h"

#define EXTRACT_BYTES      (6u << 20)
#define EXTRACT_TEXT_BYTES (64u << 10) /* of one text: head and tail */

enum fact_prompt_kind {
	FACT_PROMPT, /* typed */
	FACT_QUEUED, /* typed while the model worked */
	FACT_SLASH,  /* "/name args" */
	FACT_BANG,   /* "! command" */
	FACT_EVENT,  /* the client's own markup, e.g. <ci-monitor-event> */
};

struct fact_prompt {
	uint64_t record;
	int64_t at;
	uint64_t same_as; /* record of the prompt just before with the same words; 0 */
	uint64_t
		sent; /* of a queued one: record with which it began a turn of its own; 0 */
	uint64_t plain; /* clauses in which nothing is stated: stated_plain */
	enum fact_prompt_kind kind;
	bool after_interrupt;
	str text;
	str asked; /* the assistant's question just before a short answer */
};

struct fact_sentence { /* of an assistant text (or thinking) */
	uint64_t record;
	int64_t at;
	uint32_t text_id; /* sentences of one text share it */
	uint32_t k,
		of; /* position in the text; of: more than its last k + 1 if something follows */
	float value;
	bool hole; /* something that is no sentence stands before it */
	str text;
};

struct fact_name { /* an identifier or a path, with its weight */
	str text;
	float weight;
	uint64_t record; /* last seen */
};

struct fact_edit {
	uint64_t first, last; /* records */
	int64_t at;
	str path; /* as recorded; see extract_relative */
	uint32_t count, plus, minus;
	bool created;
	struct fact_name *name; /* names in its edits */
	size_t nnames;
};

struct fact_read {
	uint64_t record;
	str path;
	uint32_t count;
	bool shell; /* only by shell commands: a part of it, perhaps */
	struct fact_name *name;
	size_t nnames;
};

struct fact_shelled { /* a file that a shell command changed by its name */
	uint64_t record;
	int64_t at;
	str path; /* as struct fact_edit has it */
	str how;  /* "sed -i", ">", "git add", ... */
};

struct fact_command {
	uint64_t record, first;
	int64_t at;
	str text;   /* normalised, without what only shapes its output */
	str family; /* program and sub-command */
	str description;
	str tally; /* of a check: its last counts */
	uint32_t count;
	bool failed; /* the newest run; not where 1 only says "nothing found" (grep, diff, test) */
	bool piped; /* it ended in a pipe: its status is that of the last part */
	bool check; /* tests, lints, builds, type-checks */
};

#define FACT_ERROR_LINES 2
#define FACT_ERROR_EDITS 4
struct fact_error {
	uint64_t record;
	int64_t at;
	str command, family;
	str line[FACT_ERROR_LINES];
	size_t nlines;
	str diagnosis[2]; /* the assistant's next sentences about it */
	uint64_t diagnosis_record;
	str edited[FACT_ERROR_EDITS]; /* files edited after it */
	size_t nedited;
	uint64_t fixed; /* record of the next run of that family without an error; 0 */
	bool hard;      /* flagged as an error by the client */
	bool tool;      /* of a client tool, or only its last line is known */
};

struct fact_call { /* a call without a result, or one of the last calls */
	uint64_t record;
	int64_t at;
	str id, name, label,
		description; /* label: of an open shell's call its whole command */
	bool agent;
	bool in_agent; /* it ran in a sub-agent (handoff_agents.c) */
	bool stopped; /* of one with a result: it says that the user refused or stopped it */
};

/* The user stopped the model: what was open then. */
struct fact_interrupt {
	uint64_t record;
	str call;       /* the newest of the calls that it stopped; empty: none */
	uint32_t calls; /* how many */
	str text; /* the end of the answer that it broke off, where no call was open */
};

struct fact_todo {
	uint64_t record;
	str id, subject, status;
};

/* A sentence in which something was settled or given up, see prose_verdict. */
struct fact_verdict {
	uint64_t record;
	int64_t at;
	uint32_t k; /* place among those of its record */
	bool deadend, user;
	str text;
};

/* The uuid of a record that facts come from: prompts, verdicts, answers, refusals, tasks, commits, first edits, plans. */
struct fact_source {
	uint64_t record;
	int64_t at;
	str uuid;
};

struct fact_answer {
	uint64_t record;
	str header, question, answer, note, description;
	bool own; /* none of the options: the user's own words */
};

struct fact_agent {
	uint64_t record;
	str id, description, result;
};

/* Git itself said that nothing is changed: a `git status` or `git diff` that listed nothing. */
struct fact_unchanged {
	uint64_t record;
	int64_t at;
	str path; /* of what: a file as it was named, a folder (absolute); empty: the session's folder */
	str how; /* "git status", "git diff", "git diff HEAD" */
};

struct fact_commit {
	uint64_t record;
	str sha, subject, branch;
};

struct fact_background {
	uint64_t record;
	str id, command, ended, event; /* ended: status, empty while it runs */
};

struct fact_refused {
	uint64_t record;
	str tool, label, words;
};

struct fact_pr {
	uint64_t record;
	str url, action;
};

struct fact_tool {
	str name;
	uint32_t count, failed;
};

struct fact_finding { /* "found 2 issues" in an output */
	uint64_t record;
	str text;
	str subject; /* the commit, path or identifier that it names */
};

enum fact_last {
	FACT_LAST_NONE,
	FACT_LAST_PROMPT,
	FACT_LAST_SLASH,
	FACT_LAST_TEXT,
	FACT_LAST_CALL,
	FACT_LAST_RESULT,
	FACT_LAST_INTERRUPT,
	FACT_LAST_API_ERROR
};

#define FACTS_LIST(type, name)                                                           \
	struct type *name;                                                               \
	size_t n##name

struct facts {
	uint64_t records;
	str session, dir /* first cwd: the worktree */, last_dir, branch, version, title,
		mode;
	int64_t first_at, last_at;
	FACTS_LIST(fact_prompt, prompt);
	FACTS_LIST(fact_sentence, sentence);
	FACTS_LIST(fact_sentence, thought);
	FACTS_LIST(fact_edit, edit); /* by last edit */
	FACTS_LIST(fact_shelled, shelled);
	FACTS_LIST(fact_unchanged, unchanged);
	FACTS_LIST(fact_read, read);    /* by last read */
	FACTS_LIST(fact_name, named);   /* paths in talk, inputs, edits */
	FACTS_LIST(fact_name, ident);   /* identifiers, sorted by text */
	FACTS_LIST(fact_name, tracked); /* paths of the client's file history */
	FACTS_LIST(fact_command, command);
	FACTS_LIST(fact_error, error);
	/* calls without a result since the last typed prompt, live branch, oldest first */
	FACTS_LIST(fact_call, open);
	/* the same from before that prompt, which nothing shows the outcome of (extract_lost.c) */
	FACTS_LIST(fact_call, lost);
	FACTS_LIST(fact_call, recent); /* the last five calls with a result */
	FACTS_LIST(fact_todo, todo);
	FACTS_LIST(fact_verdict, verdict);
	FACTS_LIST(fact_source, source); /* by record */
	FACTS_LIST(fact_answer, answer);
	FACTS_LIST(fact_agent, agent);
	FACTS_LIST(fact_commit, commit);
	FACTS_LIST(fact_commit, push); /* subject holds the line */
	FACTS_LIST(fact_background, background);
	FACTS_LIST(fact_refused, refused);
	FACTS_LIST(fact_interrupt, interrupt);
	FACTS_LIST(fact_pr, pr);
	FACTS_LIST(fact_tool, tool); /* tools that are not the everyday ones */
	FACTS_LIST(fact_sentence, last_thought);
	/* paths that the user ordered to write, and nothing did; record: of the order */
	FACTS_LIST(fact_name, unmet);
	/* findings whose subject is never named again */
	FACTS_LIST(fact_finding, unfollowed);
	int64_t *wait; /* ms between call and result, over a minute */
	size_t nwait;
	str plan;
	uint64_t plan_record;
	str summary; /* of the newest compaction */
	uint64_t summary_record;
	uint32_t compactions;
	str last_text;
	uint64_t last_text_record;
	bool hooked; /* last_text is from a Stop hook's input: the records end before it (handoff_said.c) */
	uint64_t stop_hook_record; /* of the last Stop hook that went on after a text */
	str last_result;
	uint64_t last_edit_record;
	int64_t last_edit_at;
	str git_status; /* output of the last plain `git status`; may be empty */
	uint64_t git_status_record;
	int64_t git_status_at;
	str head_sha, head_subject; /* first line of the last `git log --oneline` */
	uint64_t head_record;
	str api_error;
	enum fact_last last;
	bool agent_file;  /* a sub-agent's own transcript */
	uint64_t dropped; /* facts left out by the bounds */
};

struct extract;

/*
 * What a transcript reader should keep for extract_add: as TRANSCRIPT_CAPS_DOC, but more of
 * inputs, so that the lines of new files can be counted.
 */
extern const struct transcript_caps extract_caps;

struct extract *extract_new(void);
/* Records are counted here, from 1: give every record, in file order, duplicates too. */
void extract_add(struct extract *x, const struct record *r);
/*
 * The facts so far, borrowed until the next call on x. With a finished tree, facts of
 * abandoned branches are left out (and counted in dropped); `since` (CLOCK_NONE: all)
 * leaves out prompts, sentences, errors and commands from before that time.
 */
const struct facts *extract_facts(struct extract *x, const struct tree *t, int64_t since);
/* Have the prompts that were not asked yet tell their `plain` (stated_plain); it is kept with them. */
void extract_mark_prompts(struct extract *x,
			  uint64_t (*plain)(const struct fact_prompt *p));
void extract_free(struct extract *x);

/* One path, however its slashes lean where it begins with a drive. */
bool extract_same_file(str a, str b);
/* The path as it is shown: relative to f->dir where it lies inside, with forward slashes. */
void extract_relative(const struct facts *f, str path, struct buf *out);

/* Append the state; load makes a new extract of it (NULL and HF_EFORMAT when it is damaged or of another version: read the transcript from the start then). */
void extract_save(struct extract *x, struct buf *out);
struct extract *extract_load(str text, struct err *e);
/* Of a saved state without its last 17 bytes, which are this number in hexadecimal and a newline. */
uint64_t extract_checksum(str s);

#endif
