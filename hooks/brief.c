/*
 * SessionStart, second entry: what the store knows. The client caps what each entry may
 * inject, so document and brief are two. A vault without a store has nothing to brief from.
 */
#include "hook.h"

int hook_brief(struct lifecycle *l, struct buf *reply, struct err *e)
{
	(void)l;
	(void)reply;
	(void)e;
	return 0;
}
