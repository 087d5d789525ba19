/* SubagentStop: what the agent gave back is noted. */
#include "hook.h"

int hook_subagent_stop(struct lifecycle *l, struct buf *reply, struct err *e)
{
	return lifecycle_subagent_stop(l, reply, e);
}
