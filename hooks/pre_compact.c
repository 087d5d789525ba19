/* PreCompact: plain text that becomes a part of the summarizer's instructions. */
#include "hook.h"

int hook_pre_compact(struct lifecycle *l, struct buf *reply, struct err *e)
{
	return lifecycle_pre_compact(l, reply, e);
}
