/* StopFailure: as Stop, with the reason why the turn ended. */
#include "hook.h"

int hook_stop_failure(struct lifecycle *l, struct buf *reply, struct err *e)
{
	return lifecycle_stop_failure(l, reply, e);
}
