/* UserPromptSubmit: the first real prompt claims what was offered. */
#include "hook.h"

int hook_user_prompt(struct lifecycle *l, struct buf *reply, struct err *e)
{
	return lifecycle_user_prompt(l, reply, e);
}
