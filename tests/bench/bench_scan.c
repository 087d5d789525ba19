/*
 * bench_scan: how fast the scanner takes a transcript to tokens.
 *
 *   bench_scan [FILE]       else a made-up transcript of 64 MB, the same on every machine
 *
 * Every figure is the best of several passes over the file in the page cache, on one core,
 * and is printed as GB/s and as a ratio of the named baseline's time in the same run:
 * reading alone (256 KB reads), counting lines with memchr, and cJSON on each line (which
 * builds a document and is told nothing about which parts are wanted).
 */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "data/scan.h"

#define MADE_BYTES (64u << 20)
#define READ_BYTES (256u << 10)
#define PASSES     7

static char chunk[READ_BYTES];
static uint64_t sink; /* keeps the work from being optimised away */

static uint64_t rng = 1;

static uint32_t rnd(uint32_t n)
{
	rng = rng * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(rng >> 33) % n;
}

/* Prose and code, as tool results hold them: escapes now and then. */
static void add_text(struct buf *b, size_t n)
{
	static const char *word[] = {"return",   "the",        "struct", "\\n\\t",
				     "value ==", "\\\"ok\\\"", "static", "path/to",
				     "0x1f",     "\\\\n",      "if (x)", "error:",
				     "\\n",      "main.c",     "i++;"};
	size_t end = b->n + n;

	while (b->n < end) {
		buf_add(b, str_of(word[rnd(15)]));
		buf_byte(b, ' ');
	}
}

static void add_base64(struct buf *b, size_t n)
{
	static const char set[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	while (n--)
		buf_byte(b, set[rnd(64)]);
}

/* A record of the kind that makes up most of a transcript. */
static void add_record(struct buf *b, uint32_t i)
{
	bool result = i % 3 == 2;

	buf_printf(
		b,
		"{\"parentUuid\":\"%08x-58cc-4372-a567-0e02b2c3d479\",\"isSidechain\":false,"
		"\"userType\":\"external\",\"cwd\":\"/home/dev/project\",\"sessionId\":"
		"\"2db3997f-6f15-ca04-a2c6-1635551fd8f9\",\"version\":\"2.1.197\",\"gitBranch\":"
		"\"main\",\"type\":\"%s\",\"message\":{\"role\":\"%s\",\"content\":[{\"type\":\"%s\",",
		i, result ? "user" : "assistant", result ? "user" : "assistant",
		result ? "tool_result" : "text");
	buf_add(b, STR("\"text\":\""));
	if (i % 97 == 0)
		add_base64(b, 100000);
	else
		add_text(b, result ? rnd(16000) : rnd(600));
	buf_printf(
		b,
		"\"}],\"usage\":{\"input_tokens\":3,\"output_tokens\":%u}},\"uuid\":"
		"\"%08x-58cc-4372-a567-0e02b2c3d479\",\"timestamp\":\"2026-02-12T18:20:02.%03uZ\"}\n",
		rnd(4000), i + 1, i % 1000);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void read_only(int fd)
{
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		sink += (unsigned char)chunk[0];
}

static void count_lines(int fd)
{
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		const char *p = chunk, *end = chunk + n;

		while ((p = memchr(p, '\n', (size_t)(end - p)))) {
			sink++;
			p++;
		}
	}
}

static void cjson_lines(int fd)
{
	FILE *f = fdopen(dup(fd), "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (!f)
		die("fdopen");
	while ((n = getline(&line, &cap, f)) > 0) {
		cJSON *doc = cJSON_ParseWithLength(line, (size_t)n);

		sink += doc != NULL;
		cJSON_Delete(doc);
	}
	free(line);
	fclose(f);
}

static void scan_all(int fd)
{
	struct source src = {.fd = fd};
	struct scan s;
	enum scan_tok tok;

	scan_init(&s, &src, 0);
	while ((tok = scan_next(&s)) != SCAN_END && tok != SCAN_ERROR)
		sink++;
	scan_release(&s);
}

/* What a listing does: the first bytes of each string. */
static void scan_texts(int fd)
{
	struct source src = {.fd = fd};
	struct buf head = BUF_INIT(4096);
	struct scan s;
	enum scan_tok tok;

	scan_init(&s, &src, 0);
	while ((tok = scan_next(&s)) != SCAN_END && tok != SCAN_ERROR) {
		if (tok != SCAN_STR)
			continue;
		buf_reset(&head);
		scan_text(&s, &head, NULL, 200, 0);
		sink += head.n;
	}
	buf_release(&head);
	scan_release(&s);
}

static double best(void (*fn)(int), int fd, int passes)
{
	double least = 1e9;

	while (passes--) {
		int64_t start;
		double t;

		if (lseek(fd, 0, SEEK_SET) < 0)
			die("lseek");
		start = clock_mono_ns();
		fn(fd);
		t = (double)(clock_mono_ns() - start) / 1e9;
		least = t < least ? t : least;
	}
	return least;
}

static void print(const char *what, double t, double bytes, double lines, double cjson)
{
	printf("%-28s %8.4f s  %6.2f GB/s  %6.2f x memchr lines", what, t,
	       bytes / t / 1e9, t / lines);
	if (cjson > 0)
		printf("  %6.3f x cJSON per line", t / cjson);
	printf("\n");
}

/* The made-up transcript goes to an unlinked file piece by piece, so that memory figures stay true. */
static int make_input(void)
{
	struct buf b = BUF_INIT(1u << 20);
	FILE *f = tmpfile();
	size_t total = 0;
	uint32_t i;
	int fd;

	for (i = 0; f && total < MADE_BYTES; i++) {
		buf_reset(&b);
		add_record(&b, i);
		total += fwrite(b.p, 1, b.n, f);
	}
	if (!f || fflush(f) != 0)
		die("tmpfile");
	buf_release(&b);
	fd = dup(fileno(f));
	fclose(f);
	return fd;
}

static int open_input(const char *path)
{
	int fd = path ? open(path, O_RDONLY) : make_input();

	if (fd < 0)
		die(path ? path : "tmpfile");
	return fd;
}

int main(int argc, char **argv)
{
	static const struct {
		enum scan_kernel k;
		const char *name;
	} kernel[] = {{SCAN_SWAR, "swar"},
		      {SCAN_SSE2, "sse2"},
		      {SCAN_AVX2, "avx2"},
		      {SCAN_NEON, "neon"},
		      {SCAN_AVX512, "avx512"}};
	int fd = open_input(argc > 1 ? argv[1] : NULL);
	double bytes = (double)lseek(fd, 0, SEEK_END), lines, cjson, tokens;
	struct rusage use;
	char name[64];
	size_t i;

	read_only(fd);
	lines = best(count_lines, fd, PASSES);
	print("read, 256 KB at a time", best(read_only, fd, PASSES), bytes, lines, 0);
	print("count lines with memchr", lines, bytes, lines, 0);
	for (i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++) {
		if (!scan_use(kernel[i].k))
			continue;
		snprintf(name, sizeof(name), "scan, strings skipped, %s", kernel[i].name);
		print(name, best(scan_all, fd, PASSES), bytes, lines, 0);
	}
	scan_use(SCAN_AUTO);
	getrusage(RUSAGE_SELF, &use);
	sink = 0;
	scan_all(lseek(fd, 0, SEEK_SET) < 0 ? -1 : fd);
	tokens = (double)sink;
	printf("%.0f tokens, %.0f bytes; peak resident memory so far %ld kB\n", tokens,
	       bytes, use.ru_maxrss);
	cjson = best(cjson_lines, fd, 2);
	print("cJSON per line", cjson, bytes, lines, cjson);
	print("scan, strings skipped", best(scan_all, fd, PASSES), bytes, lines, cjson);
	print("scan, 200 bytes of each", best(scan_texts, fd, PASSES), bytes, lines,
	      cjson);
	close(fd);
	return 0;
}
