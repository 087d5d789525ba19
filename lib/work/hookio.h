/*
 * hookio: a hook event in, a hook reply out.
 *
 *   struct hookio h;
 *   if (hookio_read(&h, STDIN_FILENO, deadline, &e) == 0) ...
 *   hookio_context(&reply, HOOK_SESSION_START, buf_str(&text), user_line);
 *   hookio_write(STDOUT_FILENO, &reply);
 *   hookio_release(&h);
 *
 * The input is one JSON object; reading stops when it is complete, so a client that keeps
 * the pipe open is not waited for. Every field is optional and empty when it is absent, of
 * the wrong type, or not fit for use: a session id is one by journal_id_ok, a path is
 * absolute, shorter than PATH_MAX and without control characters. The reply is the
 * documented envelope in one write, or nothing at all.
 */
#ifndef WORK_HOOKIO_H
#define WORK_HOOKIO_H

#include "base/buf.h"
#include "base/err.h"

#define HOOKIO_INPUT_MAX                                                                 \
	(8u << 20) /* bytes; the client sends last messages and prompts whole */
#define HOOKIO_UNITS_MAX                                                                 \
	9500 /* UTF-16 units of injected text; the client replaces more than 10,000 */
#define HOOKIO_WORD_MAX                                                                  \
	256 /* bytes kept of source, reason, trigger and an agent's names */
#define HOOKIO_USER_MAX 500 /* bytes of the line for the user */

enum hook_kind {
	HOOK_UNKNOWN,
	HOOK_SESSION_START,
	HOOK_USER_PROMPT,
	HOOK_PRE_COMPACT,
	HOOK_STOP,
	HOOK_STOP_FAILURE,
	HOOK_SUBAGENT_STOP,
	HOOK_SESSION_END,
	HOOK_KINDS,
};

struct hookio {
	enum hook_kind kind;
	str session, transcript, cwd; /* empty when absent */
	str source, reason, trigger;  /* SessionStart; SessionEnd; PreCompact */
	str prompt;                   /* UserPromptSubmit */
	str last_message, error, error_details;
	str agent_id, agent_type, agent_transcript, custom_instructions;
	bool stop_hook_active;
	struct jsondoc *doc; /* owns all of the above */
};

/* HF_EFORMAT (no JSON object), HF_ELIMIT (too large), HF_ETIME (deadline_ns passed before it was whole; 0 = none), HF_EIO. h is empty then. */
int hookio_read(struct hookio *h, int fd, int64_t deadline_ns, struct err *e);
/* The same from a text that is one JSON object. */
int hookio_parse(struct hookio *h, str text, struct err *e);
void hookio_release(struct hookio *h);
enum hook_kind hookio_kind(str event_name);
/* "SessionStart" and so on, "" for HOOK_UNKNOWN. */
const char *hookio_name(enum hook_kind kind);
/* The longest head of s, in whole lines, of at most `units` UTF-16 units (a single longer line is cut between characters). */
str hookio_fit(str s, size_t units);
/*
 * Append {"hookSpecificOutput":{"hookEventName":...,"additionalContext":text},"systemMessage":user}.
 * Empty text and user: nothing is appended. Either is left out when empty; text over
 * HOOKIO_UNITS_MAX and user over HOOKIO_USER_MAX are cut.
 */
void hookio_context(struct buf *reply, enum hook_kind kind, str text, str user);
/* Whoever reads fd is there. False for a pipe or socket whose other end is closed: the client has ended, and the parent of this process is somebody else. */
bool hookio_heard(int fd);
/* One write of the whole reply (nothing when it is empty); failures are ignored: nobody could be told. */
void hookio_write(int fd, const struct buf *reply);

#endif
