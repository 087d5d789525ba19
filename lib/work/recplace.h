/*
 * recplace: where records are kept, and who writes them: what the environment says.
 *
 *   struct recplace p;
 *   ret = recplace_open(&p, NULL, NULL, &e);
 *   if (p.notice) log_warn("%s", p.notice);
 *   rectool_read(&p.store, ...);
 *   recplace_release(&p);
 *
 * The vault is that of all programs (data/config). An SQLite file at the place that MEMORY_DB names is
 * another program's and left alone, which `notice` says. AGENT_ID is the writer's name, else "claude-code"; the session is the one given,
 * else CLAUDE_CODE_SESSION_ID.
 */
#ifndef WORK_RECPLACE_H
#define WORK_RECPLACE_H

#include "work/record.h"

struct recplace {
	struct vault vault;
	struct record_store store; /* points into this struct: it may not be moved */
	char *agent, *session;
	char *notice; /* one line, or NULL */
};

/* agent and session NULL: from the environment. p is to be released whatever comes back. */
int recplace_open(struct recplace *p, const char *agent, const char *session,
		  struct err *e);
void recplace_release(struct recplace *p);
/* That line, to be freed; NULL: there is nothing to say. */
char *recplace_notice(void);
/* Records or packets exist. */
bool recplace_in_use(const struct vault *v);

#endif
