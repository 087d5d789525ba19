/*
 * prose: what can be told from a text without a model: tokens, sentences, error lines,
 * test tallies, commands, constraints. Hand-written matchers over bytes; no allocation but
 * into the caller's arena and buffers; linear time. The rules and word lists stand in
 * docs/extraction.md, where they come from in its last section.
 *
 *   struct prose_token t; size_t it = 0; bool tick = false;
 *   while (prose_token(text, &it, &tick, &t)) ...
 */
#ifndef WORK_PROSE_H
#define WORK_PROSE_H

#include "base/arena.h"
#include "base/buf.h"

enum prose_kind { PROSE_PATH, PROSE_IDENT, PROSE_TICKED, PROSE_NUMBER };

struct prose_token {
	str text;
	enum prose_kind kind;
};

/* Next path, compound identifier, backticked word or number from *it; *tick is the state "inside backticks". */
bool prose_token(str text, size_t *it, bool *tick, struct prose_token *out);
bool prose_is_path(str s);
bool prose_is_compound(str s);
/* The name that a line of source code defines, or STR_NONE. */
str prose_defines(str line);

/* At most n bytes, cut at a sentence border in the last 40 %, else at a blank, " …" added; appended to out. */
void prose_cut(struct buf *out, str s, size_t n);
/* The last n bytes, from a border, "… " before. */
void prose_tail(struct buf *out, str s, size_t n);
/* White space runs to one blank, ends trimmed. */
void prose_squeeze(struct buf *out, str s);
/* Without ANSI sequences. */
void prose_plain(struct buf *out, str s);

/*
 * Sentences of a markdown text, in order; returns how many (at most max, and fewer when the
 * arena is full). Each borrows from text or, where it had to be put together, stands in the
 * arena. lower: a small letter may begin one (prompts).
 */
size_t prose_sentences(struct arena *a, str text, bool lower, str *out, size_t max);
/*
 * The same, and where something of the text is in no sentence: hole[i] before out[i], hole[n] after
 * the last one. hole has max + 1 places.
 */
size_t prose_sentences_holes(struct arena *a, str text, bool lower, str *out, bool *hole,
			     size_t max);
/* More closing brackets than opening ones: the middle of something pasted. */
bool prose_is_torn(str s);
/*
 * Append text with the lines joined by a blank that a wrap had parted inside a sentence; lists,
 * code, logs, quotes, and orders on lines of their own stay as they are. For words of a person.
 */
void prose_unwrap(struct buf *out, str text);
/* It ends in a question mark, of any script. */
bool prose_asks(str sentence);
/* How much a sentence tells: cause, decision, result; 0 and up. */
float prose_value(str sentence);
/* The later sentence turns away from the earlier one: "actually, ...", of the same things. */
bool prose_takes_back(str later, str earlier);
/* 0: no constraint; 1 weak ("for now"), 2 inside, 3 at the head of the clause ("never ..."). */
int prose_constraint(str clause);
/*
 * A sentence in which somebody settles on something, or finds that something is no way; user:
 * it is a person's. Strict: what is asked, offered, supposed or only described is none, nor
 * is a sentence of more than 300 bytes. An intent is a decision unless its text asks for leave.
 */
enum prose_verdict {
	PROSE_VERDICT_NONE,
	PROSE_VERDICT_DECISION,
	PROSE_VERDICT_INTENT,
	PROSE_VERDICT_DEADEND,
};
enum prose_verdict prose_verdict(str sentence, bool user);
/* The beginning of a model's text that gives in to the user: "You're right", "Good point". */
bool prose_concedes(str sentence);
/* What it says behind that: what it does otherwise now is a choice, though it sounds like a step. */
enum prose_verdict prose_verdict_conceded(str sentence);
/* "Should I ...", "want me to ...": what its text intends is only offered. */
bool prose_asks_leave(str sentence);
/*
 * A person's words, first sentence by sentence, that tell how something went ("migrate.sh ran
 * through", "it did not run"); IT: of what was spoken of last. Questions and orders are none.
 */
enum prose_report { PROSE_REPORT_NONE, PROSE_REPORT, PROSE_REPORT_IT };
enum prose_report prose_reports(str text);
/* Nothing but "yes, go on, thanks" in at most six words. */
bool prose_is_filler(str s);

/* One line: `cd X &&` and comments dropped, here-documents cut. */
void prose_command(struct buf *out, str raw);
/*
 * At most about max bytes of a normalised command: its longest quoted texts (scripts, messages) are
 * cut first, each from where it tells something, so that what comes after them stays; " …" where it
 * was cut.
 */
void prose_command_short(struct buf *out, str command, size_t max);
/* Without trailing `2>&1`, `| head -20` and the like; borrowed. */
str prose_command_core(str command);
/* Program and sub-command; appended. */
void prose_family(struct buf *out, str command);
bool prose_is_check(str command);
/*
 * Next command of a list ("a && b; c") from *it, outside quotes; a pipe is one, unless pipes says that its
 * parts are wanted. Without "do", "sudo" and the like before it.
 */
bool prose_command_part(str command, bool pipes, size_t *it, str *part);
/* The verb of `git [options] verb ...`, or STR_NONE. */
str prose_git_verb(str part);
/* No part of it changes anything, as far as its words tell (git log, ls, a search). */
bool prose_only_reads(str command);
/* A command that only looks (ls, cat, grep, ...). */
bool prose_is_explore(str command);
/* Its last program says "nothing found" or "they differ" with status 1 (grep, diff, test, ...). */
bool prose_shrugs(str command);
/* It has a pipe, so that its status is that of the last part alone. */
bool prose_is_piped(str command);
/* A command that changes things (git commit, rm, npm install, ...). */
bool prose_is_act(str command);

/* How much a line reads like the error itself; hard: the output is known to be one. */
int prose_error_score(str line, bool hard);
/* The best one or two error lines of an output, squeezed and cut, in order; text that the command itself holds, or that its `echo` prints with variables filled in, is none. Into the arena; returns 0 to 2. */
size_t prose_error_lines(struct arena *a, str output, str command, bool hard, str out[2]);
/* The counts near the end of a check's output, e.g. "1216 pass, 0 fail"; appended (nothing when there are none). */
void prose_tally(struct buf *out, str output, str command);
bool prose_tally_fails(str tally);

/*
 * The next clause from *it of an output that counts findings ("found 2 potential issues"), and
 * what it is about: the commit named after it, else the path or identifier next to it.
 */
bool prose_finding(str output, size_t *it, str *clause, str *subject);
/* The next order of a clause to write something, from *it: "add ...", "please log ...", "keep appending ..."; what comes after its verb. */
bool prose_orders_write(str clause, size_t *it, str *what);

/* Name of the tag the text begins with, or STR_NONE. */
str prose_tag(str s);

#endif
