/* Stop: the document is kept current. Prints nothing: any word would make the model go on. */
#include "hook.h"

int hook_stop(struct lifecycle *l, struct buf *reply, struct err *e)
{
	return lifecycle_stop(l, reply, e);
}
