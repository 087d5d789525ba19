/*
 * What a killed session left behind. The client drops a call without a result when it
 * resumes a session, without a word, and does not kill what was running: the model would
 * not know. Both are looked up here: the calls in the last records of the transcript, the
 * processes by CLAUDE_CODE_SESSION_ID in their environment (proc_pid_environ(5)), those of
 * the client that runs now apart.
 */
#include "work/lifecycle_parts.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/proc.h"
#include "base/utf8.h"
#include "data/source.h"
#include "work/ending.h"
#include "work/frame.h"
#include "work/redact.h"

#define TAIL_BYTES    (512u << 10)
#define ENVIRON_MAX   (256u << 10)
#define COMMAND_MAX   160
#define PROCESSES_MAX 4096
#define SHOWN_MAX     3
#define PARENTS_MAX   64
#define SCAN_MAX      (8u << 20) /* bytes of a transcript searched for a compaction */

/* ---- records ---- */

/* The ending that the last records tell. */
static bool ending_of(const char *path, struct ending *end)
{
	const struct record *rec;
	enum transcript_got got;
	struct ending_facts facts;
	struct ending_state *s;
	struct transcript *t;
	struct source src;
	uint64_t at;

	if (source_open(&src, path, NULL))
		return false;
	at = src.size > TAIL_BYTES ? src.size - TAIL_BYTES : 0;
	if (source_seek(&src, at)) {
		source_release(&src);
		return false;
	}
	s = ending_new();
	t = transcript_new(&src, at, &TRANSCRIPT_CAPS_INDEX);
	while ((got = transcript_next(t, &rec)) == TRANSCRIPT_RECORD ||
	       got == TRANSCRIPT_LOSS)
		if (got == TRANSCRIPT_RECORD)
			ending_add(s, rec);
	ending_facts_of(&facts, t);
	ending_finish(s, &facts, end);
	transcript_free(t);
	ending_free(s);
	source_release(&src);
	return got == TRANSCRIPT_END;
}

bool lifecycle_compacted(const char *path, uint64_t offset)
{
	const struct record *rec;
	enum transcript_got got;
	struct transcript *t;
	struct source src;
	bool found = false;

	if (source_open(&src, path, NULL))
		return false;
	if (src.size > offset && src.size - offset > SCAN_MAX)
		offset = src.size - SCAN_MAX;
	if (source_seek(&src, offset) == 0) {
		t = transcript_new(&src, offset, &TRANSCRIPT_CAPS_INDEX);
		while (!found && ((got = transcript_next(t, &rec)) == TRANSCRIPT_RECORD ||
				  got == TRANSCRIPT_LOSS))
			found = got == TRANSCRIPT_RECORD &&
				(rec->compact_boundary || rec->compact_summary);
		transcript_free(t);
	}
	source_release(&src);
	return found;
}

/* ---- processes ---- */

struct process {
	int64_t pid, parent;
};

static int64_t parent_of(int64_t pid)
{
	struct proc p;

	return proc_stat(pid, &p) ? p.parent : 0;
}

static bool in_environment(int64_t pid, str entry)
{
	struct buf b = BUF_INIT(ENVIRON_MAX);
	str rest, one;
	bool found = false;

	proc_read(pid, "environ", &b);
	rest = buf_str(&b);
	while (!found && str_split(&rest, '\0', &one))
		found = str_eq(one, entry);
	buf_release(&b);
	return found;
}

/* Below the client, or the client, or this hook itself. */
static bool belongs_to(int64_t pid, int64_t client)
{
	for (int i = 0; pid > 1 && i < PARENTS_MAX; i++) {
		if (pid == client || pid == getpid())
			return true;
		pid = parent_of(pid);
	}
	return false;
}

static size_t find_processes(str session, int64_t client, struct process *found,
			     size_t max)
{
	struct buf entry = BUF_INIT(128);
	DIR *d = io.opendir("/proc");
	struct dirent *de;
	size_t n = 0, looked = 0;

	buf_printf(&entry, "CLAUDE_CODE_SESSION_ID=%.*s", STR_ARG(session));
	while (d && n < max && looked < PROCESSES_MAX && (de = io.readdir(d))) {
		char path[64];
		struct stat st;
		int64_t pid;

		if (!str_i64(str_of(de->d_name), &pid))
			continue;
		looked++;
		snprintf(path, sizeof(path), "/proc/%lld", (long long)pid);
		if (io.stat(path, &st) < 0 || st.st_uid != getuid() ||
		    !in_environment(pid, buf_str(&entry)) || belongs_to(pid, client))
			continue;
		found[n++] = (struct process){pid, parent_of(pid)};
	}
	if (d)
		io.closedir(d);
	buf_release(&entry);
	return n;
}

/* Append the first word of s as a shell reads it: quotes of both kinds, backslashes. */
static void shell_word(str s, struct buf *b)
{
	char quote = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
		} else if (c == '\\' && quote != '\'' && i + 1 < s.n) {
			buf_byte(b, s.p[++i]);
		} else if (!quote && str_is_space(c)) {
			return;
		} else {
			buf_byte(b, c);
		}
	}
}

/* Of the client's shell, `source SNAPSHOT ... && eval COMMAND < /dev/null && pwd ...`, the command alone (measured on 2.1.197). */
static str unwrapped(str line, struct buf *b)
{
	static const char eval[] = "&& eval ";
	size_t at = str_find(line, STR(eval));

	if (at != STR_NPOS)
		shell_word(str_from(line, at + STR(eval).n), b);
	return b->n ? buf_str(b) : line;
}

static void add_command(struct buf *b, int64_t pid)
{
	struct buf raw = BUF_INIT(ENVIRON_MAX), own = BUF_INIT(ENVIRON_MAX),
		   shown = BUF_INIT(ENVIRON_MAX * 8);

	proc_read(pid, "cmdline", &raw);
	for (size_t i = 0; i < raw.n; i++)
		if (!raw.p[i])
			raw.p[i] = ' ';
	redact_show(&shown, unwrapped(str_trim(buf_str(&raw)), &own), true);
	buf_printf(b, "%lld (`", (long long)pid);
	frame_defuse(b, utf8_head(buf_str(&shown), COMMAND_MAX));
	buf_add(b, STR("`)"));
	buf_release(&raw);
	buf_release(&own);
	buf_release(&shown);
}

size_t lifecycle_orphans(str session, int64_t client, struct buf *b)
{
	struct process found[64];
	size_t n = find_processes(session, client, found, 64), shown = 0, tops = 0;

	for (size_t i = 0; i < n; i++) {
		bool top = true;

		for (size_t k = 0; k < n; k++)
			top = top && found[k].pid != found[i].parent;
		if (!top)
			continue;
		tops++;
		if (shown == SHOWN_MAX)
			continue;
		if (shown++)
			buf_add(b, STR(", "));
		add_command(b, found[i].pid);
	}
	if (tops > shown)
		buf_printf(b, " and %zu more", tops - shown);
	return tops;
}

/* ---- words ---- */

static void add_call(struct buf *text, const struct ending_call *c)
{
	struct buf what = BUF_INIT(SIZE_MAX);

	buf_add(text, STR("- When it ended, "));
	frame_line(text, str_of(c->name));
	if (c->what[0]) {
		buf_add(text, STR(" `"));
		redact_show(&what, str_of(c->what), true);
		frame_defuse(text, buf_str(&what));
		buf_byte(text, '`');
	}
	buf_add(text, STR(" was running"));
	if (c->at != CLOCK_NONE) {
		buf_add(text, STR(" (since "));
		lifecycle_time(text, c->at);
		buf_byte(text, ')');
	}
	buf_add(text,
		STR(". Its result is not in the history and its outcome is unknown.\n"));
	buf_release(&what);
}

static void add_agents(struct buf *text, char *const agents[JOURNAL_LIST_MAX])
{
	for (size_t i = 0; i < JOURNAL_LIST_MAX && agents[i]; i++) {
		buf_add(text, STR("- A sub-agent had given back, after the last turn: "));
		frame_line(text, str_of(agents[i]));
		buf_byte(text, '\n');
	}
}

static bool was_killed(const struct ending *end)
{
	switch (end->kind) {
	case ENDING_KILLED_TOOL:
	case ENDING_KILLED_AGENT:
	case ENDING_KILLED_TURN:
	case ENDING_COMPACTING:
	case ENDING_TORN:
		return true;
	case ENDING_TERMINATED:
		return end->nopen > 0;
	default:
		return false;
	}
}

void lifecycle_left(struct lifecycle *l, struct buf *text)
{
	struct buf orphans = BUF_INIT(64u << 10);
	struct ending end;
	bool killed;

	if (!l->j->transcript || !ending_of(l->j->transcript, &end))
		return;
	killed = was_killed(&end) || (l->was == JOURNAL_OPEN && end.nopen > 0);
	/* another terminal runs it: what is open there is at work, not lost */
	if (!killed || (l->was == JOURNAL_OPEN && l->before.pid != l->process.pid &&
			journal_alive(&l->before) == JOURNAL_ALIVE))
		return;
	buf_add(text,
		STR("Note from handoff: before it was resumed, this session ended at "));
	lifecycle_time(text, end.at);
	buf_printf(text, ": %s.\n", ending_words(end.kind));
	for (size_t i = 0; i < end.nopen; i++)
		add_call(text, &end.open[i]);
	add_agents(text, l->j->agents);
	if (lifecycle_orphans(str_of(l->j->session), l->process.pid, &orphans))
		buf_printf(text, "- Still running of that session: process %s.\n",
			   buf_cstr(&orphans));
	else if (end.nopen)
		buf_add(text, STR("- No process of that session is left.\n"));
	buf_release(&orphans);
}
