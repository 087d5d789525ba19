/*
 * session: what tests of transcripts share: a text as a source, a walk over many files.
 */
#ifndef UNIT_SESSION_H
#define UNIT_SESSION_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "base/buf.h"
#include "data/transcript.h"

/* A source with this text; the file is "session.jsonl" in the test's folder. */
static inline struct source session_of(str text)
{
	struct source src;
	struct err e = ERR_INIT;

	test_write("session.jsonl", text);
	if (source_open(&src, test_path("session.jsonl"), &e) < 0)
		fail_msg("%s", e.msg);
	return src;
}

static inline struct source session_open(const char *path)
{
	struct source src;
	struct err e = ERR_INIT;

	if (source_open(&src, path, &e) < 0)
		fail_msg("%s", e.msg);
	return src;
}

/* The whole of a file of the repository. */
static inline str session_read(const char *path)
{
	char *abs = realpath(path, NULL);
	str text;

	if (!abs)
		fail_msg("%s: no such file", path);
	text = test_read(abs);
	free(abs);
	return text;
}

static inline int session_name(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), STR(".jsonl"));
}

/* Call fn for every .jsonl file of a folder, in order; returns how many. */
static inline int session_each(const char *dir, void (*fn)(const char *path))
{
	struct dirent **names;
	int n = scandir(dir, &names, session_name, alphasort);

	for (int i = 0; i < n; i++) {
		struct buf path = BUF_INIT(8192);

		buf_printf(&path, "%s/%s", dir, names[i]->d_name);
		fn(buf_cstr(&path));
		buf_release(&path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n < 0 ? 0 : n;
}

/* Read before main: test_dir() unsets it. */
static const char *session_corpus_env;
__attribute__((constructor)) static void session_start(void)
{
	session_corpus_env = getenv("HANDOFF_CORPUS");
}

/* The folder of a larger corpus, or NULL: $HANDOFF_CORPUS. */
static inline const char *session_corpus(void)
{
	const char *dir = session_corpus_env;

	return dir && access(dir, R_OK) == 0 ? dir : NULL;
}

/* Our own transcripts and, where there is one, the corpus; returns how many. */
static inline int session_all(void (*fn)(const char *path))
{
	static const char *const parts[] = {"generated", "public"};
	const char *corpus = session_corpus();
	int n = session_each("fixtures/transcripts", fn);

	for (size_t i = 0; corpus && i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct buf dir = BUF_INIT(8192);

		buf_printf(&dir, "%s/%s", corpus, parts[i]);
		n += session_each(buf_cstr(&dir), fn);
		buf_release(&dir);
	}
	return n;
}

#endif
