/*
 * replay: run a fuzz target over saved inputs, without a fuzzer.
 *
 *   fuzz_scan                      all files of fixtures/corpus/scan
 *   fuzz_scan FOLDER|FILE...       these
 *
 * Every input is copied into memory of exactly its size, so that a sanitizer sees a read
 * past its end. The empty input always runs. Prints TAP; a folder without inputs fails.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPLAY_PATH_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_fail(const char *path)
{
	printf("1..1\nnot ok 1 - %s: %s\n", path, strerror(errno));
	return -1;
}

static int replay_file(const char *path, size_t size)
{
	uint8_t *data = malloc(size ? size : 1);
	FILE *f = fopen(path, "rb");
	int ret = 0;

	if (!data || !f || fread(data, 1, size, f) != size)
		ret = replay_fail(path);
	else if (LLVMFuzzerTestOneInput(data, size) != 0)
		ret = replay_fail(path);
	if (f)
		fclose(f);
	free(data);
	return ret;
}

/* Runs a file, or the files of a folder; returns how many, or -1. */
static int replay_path(const char *path)
{
	struct dirent **names;
	struct stat st;
	char file[REPLAY_PATH_BYTES];
	int n, ran = 0;

	if (stat(path, &st) < 0)
		return replay_fail(path);
	if (S_ISREG(st.st_mode))
		return replay_file(path, (size_t)st.st_size) < 0 ? -1 : 1;
	n = scandir(path, &names, NULL, alphasort);
	if (n < 0)
		return replay_fail(path);
	for (int i = 0; i < n; i++) {
		int len = snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);

		free(names[i]);
		if (ran < 0 || len >= (int)sizeof file || stat(file, &st) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		ran = replay_file(file, (size_t)st.st_size) < 0 ? -1 : ran + 1;
	}
	free(names);
	return ran;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	char corpus[REPLAY_PATH_BYTES];
	int total = 0, n;

	name = name ? name + 1 : argv[0];
	if (strncmp(name, "fuzz_", 5) == 0)
		name += 5;
	snprintf(corpus, sizeof corpus, "fixtures/corpus/%s", name);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc || i == 1; i++) {
		n = replay_path(i < argc ? argv[i] : corpus);
		if (n < 0)
			return 1;
		total += n;
	}
	printf("1..1\n%s 1 - %d inputs\n", total ? "ok" : "not ok", total);
	return total ? 0 : 1;
}
