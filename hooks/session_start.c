/* SessionStart: what an earlier session left, at most one document in full. */
#include "hook.h"

int hook_session_start(struct lifecycle *l, struct buf *reply, struct err *e)
{
	return lifecycle_session_start(l, reply, e);
}
