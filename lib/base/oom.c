/* Nothing here may allocate. */
#include "base/oom.h"
#include "base/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int oom_status = 1;
static const char *oom_program = "handoff";

void oom_name(const char *name)
{
	oom_program = name;
}

void oom(void)
{
	char line[96];
	ssize_t n;

	snprintf(line, sizeof line, "%.60s: out of memory\n", oom_program);
	do
		n = io.write(STDERR_FILENO, line, strlen(line));
	while (n < 0 && errno == EINTR);
	_exit(oom_status);
}
