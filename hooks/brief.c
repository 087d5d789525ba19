/*
 * SessionStart, second entry: what the store knows. The client caps what each entry may
 * inject, so document and brief are two.
 */
#include "hook.h"

int hook_brief(struct lifecycle *l, struct buf *reply, struct err *e)
{
	return lifecycle_brief(l, reply, e);
}
