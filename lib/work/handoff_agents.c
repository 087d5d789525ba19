/*
 * What a sub-agent was doing when its session died. The session's main records hold the
 * dispatch alone; the call that was running in the agent stands in SESSION/subagents/agent-ID.jsonl,
 * up to 2.0 in agent-ID.jsonl beside the transcript, where those of all sessions of the folder
 * lie, and before that in the transcript itself, as side-chain records. Only looked at while
 * a dispatch has no result; of the agents those of that time that end in a call count.
 */
#include "work/handoff_impl.h"

#include <limits.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/oom.h"
#include "data/source.h"

#define FILES_MAX  16
#define FILE_BYTES ((off_t)4 << 20)
#define SLACK_MS   60000       /* the two files need not agree on the time */
#define HEAD_BYTES (16u << 10) /* its first record is looked for the session in */
#define ROWS_MAX   64          /* calls and reads that are added, each */

struct handoff_agents {
	struct extract *x[FILES_MAX];
	size_t n;
	struct fact_call *open; /* rows of f, with room for those that are added */
	struct fact_read *read;
	size_t nopen_max, nread_max;
	uint64_t record; /* of the dispatch */
	int64_t at;
	bool beside; /* looking where the files of other sessions lie too */
	struct facts *f;
};

/* Of a session's own transcript (inlined) the side chains that began after the dispatch. */
static struct extract *extract_of(const char *path, bool inlined, int64_t since)
{
	struct extract *x;
	struct transcript *t;
	const struct record *r;
	enum transcript_got got;
	struct source src;

	if (source_open(&src, path, NULL))
		return NULL;
	x = extract_new();
	t = transcript_new(&src, 0, &extract_caps);
	while ((got = transcript_next(t, &r)) == TRANSCRIPT_RECORD ||
	       got == TRANSCRIPT_LOSS)
		if (got == TRANSCRIPT_RECORD &&
		    (!inlined || (r->sidechain && r->at != CLOCK_NONE && r->at >= since)))
			extract_add(x, r);
	transcript_free(t);
	source_release(&src);
	return x;
}

static void take(struct handoff_agents *a, const struct facts *of)
{
	struct facts *f = a->f;

	for (size_t i = 0; i < of->nopen && f->nopen < a->nopen_max; i++) {
		a->open[f->nopen] = of->open[i];
		a->open[f->nopen].record = a->record;
		a->open[f->nopen++].in_agent = true;
	}
	for (size_t i = 0; i < of->nread && f->nread < a->nread_max; i++) {
		a->read[f->nread] = of->read[i];
		a->read[f->nread++].record = a->record;
	}
}

static void take_file(struct handoff_agents *a, const char *path, bool inlined)
{
	struct extract *x = extract_of(path, inlined, a->at - SLACK_MS);
	const struct facts *of;

	if (!x)
		return;
	of = extract_facts(x, NULL, CLOCK_NONE);
	if (of->agent_file && of->nopen && of->last_at != CLOCK_NONE &&
	    of->last_at + SLACK_MS >= a->at &&
	    (!of->session.n || !a->beside || str_eq(of->session, a->f->session))) {
		a->x[a->n++] = x;
		take(a, of);
	} else {
		extract_free(x);
	}
}

/* Not written since the dispatch, or its first record is of another session: not looked into. */
static bool may_be_ours(const struct handoff_agents *a, const char *path,
			const struct stat *st)
{
	struct buf head = BUF_INIT(HEAD_BYTES);
	bool ours = (int64_t)st->st_mtime * 1000 + SLACK_MS >= a->at;
	int fd = ours ? fs_open(path, NULL, NULL) : -1;

	if (fd < 0)
		return false;
	ours = fs_read_at(fd, 0, HEAD_BYTES, &head, NULL) > 0 &&
	       str_find(buf_str(&head), a->f->session) != STR_NPOS;
	io.close(fd);
	buf_release(&head);
	return ours;
}

static int one_file(const char *dir, const char *name, void *arg)
{
	struct handoff_agents *a = arg;
	struct buf path = BUF_INIT(PATH_MAX);
	struct stat st;

	fs_join(&path, str_of(dir), str_of(name));
	if (a->n < FILES_MAX && str_starts(str_of(name), STR("agent-")) &&
	    str_ends(str_of(name), STR(".jsonl")) && !path.full &&
	    io.lstat(buf_cstr(&path), &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size <= FILE_BYTES &&
	    (!a->beside || may_be_ours(a, buf_cstr(&path), &st)))
		take_file(a, buf_cstr(&path), false);
	buf_release(&path);
	return 0;
}

/* Each place that the client has used, the newest first, until one has the agent. */
static void look(struct handoff_agents *a, const char *transcript)
{
	str path = str_of(transcript), name = str_basename(path);
	struct buf dir = BUF_INIT(PATH_MAX);
	struct stat st;

	buf_add(&dir, str_head(path, path.n - 6));
	buf_add(&dir, STR("/subagents"));
	if (!dir.full && fs_is_dir(buf_cstr(&dir)))
		fs_each(buf_cstr(&dir), one_file, a, NULL);
	a->beside = true;
	buf_reset(&dir);
	buf_add(&dir, path.n > name.n ? str_head(path, path.n - name.n) : STR("."));
	if (!a->n && a->f->session.n && !dir.full)
		fs_each(buf_cstr(&dir), one_file, a, NULL);
	if (!a->n && io.lstat(transcript, &st) == 0 && st.st_size <= FILE_BYTES)
		take_file(a, transcript, true);
	buf_release(&dir);
}

static void *grown(const void *rows, size_t n, size_t more, size_t size)
{
	void *p = calloc(n + more, size);

	if (!p)
		oom();
	if (n)
		memcpy(p, rows, n * size);
	return p;
}

struct handoff_agents *handoff_agents_of(const char *transcript, struct facts *f)
{
	struct handoff_agents *a;
	size_t i;

	for (i = 0; i < f->nopen && !f->open[i].agent; i++)
		;
	if (i == f->nopen || !str_ends(str_of(transcript), STR(".jsonl")))
		return NULL;
	a = calloc(1, sizeof(*a));
	if (!a)
		oom();
	a->f = f;
	a->record = f->open[i].record;
	a->at = f->open[i].at;
	a->nopen_max = f->nopen + ROWS_MAX;
	a->nread_max = f->nread + ROWS_MAX;
	f->open = a->open = grown(f->open, f->nopen, ROWS_MAX, sizeof(*a->open));
	f->read = a->read = grown(f->read, f->nread, ROWS_MAX, sizeof(*a->read));
	if (a->at != CLOCK_NONE)
		look(a, transcript);
	return a;
}

void handoff_agents_free(struct handoff_agents *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		extract_free(a->x[i]);
	free(a->open);
	free(a->read);
	free(a);
}
