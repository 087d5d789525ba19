/*
 * bench_crowd [WRITERS WRITES KILLS]: the proof of tests/unit/crowd.h at its full size, 16
 * writers of 500 writes and 1,000 kills unless told, and its figures.
 */
#include "bench.h"

#include <ftw.h>

#include "../unit/crowd.h"

static int drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static unsigned number(char **argv, int argc, int i, unsigned usual)
{
	return argc > i ? (unsigned)strtoul(argv[i], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
	char top[] = "/tmp/handoff-bench-XXXXXX", cache[64];
	struct crowd c = {.writers = number(argv, argc, 1, 16),
			  .writes = number(argv, argc, 2, 500),
			  .kills = number(argv, argc, 3, 1000)};
	bool good;

	if (!mkdtemp(top))
		bench_die("mkdtemp");
	snprintf(cache, sizeof cache, "%s/cache", top);
	setenv("XDG_CACHE_HOME", cache, 1);
	unsetenv("CLAUDE_CODE_SESSION_ID");
	c.dir = top;
	crowd_run(&c);
	printf("%u writers of %u writes, %u killed: %.1f s\n", c.writers, c.writes,
	       c.kills, (double)c.took_ns / 1e9);
	printf("acknowledged %u (%u of them by writers that lived), there %u, twice %u, "
	       "failed calls %u\n",
	       c.acknowledged, c.writers * c.writes, c.there, c.twice, c.failed);
	printf("of a program without the lock: written %u, there %u\n", c.foreign,
	       c.foreign_there);
	printf("events in the vault %u, in the index %u, lines that are no event %u\n",
	       c.active, c.active_indexed, c.torn);
	printf("longest wait for the lock %.1f ms (target <= 200 ms)\n",
	       (double)c.wait_ns / 1e6);
	good = c.acknowledged >= c.writers * c.writes && c.there == c.acknowledged &&
	       c.foreign_there == c.foreign && !c.twice && !c.failed &&
	       c.torn <= crowd_torn_max(&c) && c.active == c.active_indexed;
	nftw(top, drop, 16, FTW_DEPTH | FTW_PHYS);
	return good ? 0 : 1;
}
