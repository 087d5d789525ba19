/*
 * transcript: a made-up session for benchmarks, the same bytes on every machine.
 *
 * Proportions are those of real ones: most bytes are tool output, which stands twice in a
 * record (block and toolUseResult); a prompt now and then; the last call has no result.
 */
#ifndef BENCH_TRANSCRIPT_H
#define BENCH_TRANSCRIPT_H

#include "bench.h"

struct bench_session {
	FILE *f;
	uint64_t rng, bytes;
	const char *id, *cwd;
	unsigned n, day;
};

static inline void bench_put(struct bench_session *s, const char *p, size_t n)
{
	if (fwrite(p, 1, n, s->f) != n)
		bench_die("write");
	s->bytes += n;
}

static inline void bench_puts(struct bench_session *s, const char *text)
{
	bench_put(s, text, strlen(text));
}

/* Prose and code as they stand in a JSON string. */
static inline void bench_output(struct bench_session *s, uint64_t seed, size_t n)
{
	static const char *const word[] = {
		"return ", "the ",     "struct ", "\\n\\t",   "value == ", "\\\"ok\\\" ",
		"static ", "path/to ", "0x1f ",   "\\\\n ",   "if (x) ",   "error: ",
		"\\n",     "main.c ",  "i++; ",   "warning: "};
	size_t end = (size_t)s->bytes + n;

	while (s->bytes < end)
		bench_puts(s, word[bench_rnd(&seed, 16)]);
}

static inline void bench_head(struct bench_session *s, const char *type)
{
	char head[512];
	int n;

	s->n++;
	n = snprintf(
		head, sizeof(head),
		"{\"parentUuid\":\"%.8s-58cc-4372-a567-%012u\",\"isSidechain\":false,\"userType\":\"external\","
		"\"cwd\":\"%s\",\"sessionId\":\"%s\",\"version\":\"2.1.197\",\"gitBranch\":\"main\","
		"\"uuid\":\"%.8s-58cc-4372-a567-%012u\",\"timestamp\":\"2026-03-%02uT%02u:%02u:%02u.%03uZ\","
		"\"type\":\"%s\",",
		s->id, s->n - 1, s->cwd, s->id, s->id, s->n, s->day % 28 + 1,
		s->n / 3600 % 24, s->n / 60 % 60, s->n % 60, s->n % 1000, type);
	bench_put(s, head, (size_t)n);
}

static inline void bench_tool(struct bench_session *s, bool answered)
{
	size_t size = 200 + bench_rnd(&s->rng, 30000);
	uint64_t seed = s->rng;
	char text[256];

	bench_head(s, "assistant");
	snprintf(
		text, sizeof(text),
		"\"message\":{\"id\":\"msg_%u\",\"role\":\"assistant\",\"model\":\"claude\",\"content\":[{\"type\":"
		"\"tool_use\",\"id\":\"toolu_%u\",\"name\":\"Bash\",\"input\":{\"command\":\"cat src/file%u.c\"}}],",
		s->n, s->n, s->n % 40);
	bench_puts(s, text);
	bench_puts(
		s,
		"\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":3,\"output_tokens\":100}}}\n");
	if (!answered)
		return;
	snprintf(
		text, sizeof(text),
		"\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"toolu_%u\",\"type\":\"tool_result\","
		"\"content\":\"",
		s->n);
	bench_head(s, "user");
	bench_puts(s, text);
	bench_output(s, seed, size);
	bench_puts(s, "\"}]},\"toolUseResult\":{\"stdout\":\"");
	bench_output(s, seed, size);
	bench_puts(s, "\",\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}}\n");
}

static inline void bench_session(const char *path, const char *id, const char *cwd,
				 unsigned day, uint64_t bytes)
{
	struct bench_session s = {.rng = 1 + day, .id = id, .cwd = cwd, .day = day};
	unsigned calls;

	s.f = fopen(path, "w");
	if (!s.f)
		bench_die(path);
	while (s.bytes < bytes) {
		bench_head(&s, "user");
		bench_puts(
			&s,
			"\"message\":{\"role\":\"user\",\"content\":\"Please look at the parser and fix the failing "
			"test. Don't touch config/prod.yaml.\"}}\n");
		for (calls = 3 + bench_rnd(&s.rng, 9); calls && s.bytes < bytes; calls--)
			bench_tool(&s, true);
		bench_head(&s, "assistant");
		bench_puts(
			&s,
			"\"message\":{\"id\":\"msg_t\",\"role\":\"assistant\",\"model\":\"claude\",\"content\":[{"
			"\"type\":\"text\",\"text\":\"Done: the parser now handles it. Tests pass 12/12.\"}],"
			"\"stop_reason\":\"end_turn\"}}\n");
	}
	if (day % 3 == 0)
		bench_tool(&s, false);
	if (fclose(s.f) != 0)
		bench_die(path);
}

#endif
