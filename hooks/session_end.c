/* SessionEnd: the document is finished, what was claimed is consumed or returned. */
#include "hook.h"

int hook_session_end(struct lifecycle *l, struct buf *reply, struct err *e)
{
	return lifecycle_session_end(l, reply, e);
}
