#include "input.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "work/history.h"

#define PROGRESS_AFTER_NS INT64_C(1000000000)
#define PROGRESS_EVERY_NS INT64_C(200000000)

void progress_init(struct progress *p, const struct args *a)
{
	*p = (struct progress){.on = !a->quiet && isatty(STDERR_FILENO)};
	p->started = p->on ? clock_mono_ns() : 0;
}

void progress_tell(void *arg, uint64_t done, uint64_t size)
{
	struct progress *p = arg;
	int64_t now;

	if (!p->on || !size)
		return;
	now = clock_mono_ns();
	if (now - p->started < PROGRESS_AFTER_NS || now - p->last < PROGRESS_EVERY_NS)
		return;
	p->last = now;
	p->shown = true;
	fprintf(stderr, "\rreading ... %3.0f %%",
		100.0 * (double)(done < size ? done : size) / (double)size);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->on = p->shown = false;
}

int input_options(const struct args *a, struct buf *cwd, struct catalog_options *o,
		  struct err *e)
{
	char here[PATH_MAX];

	*o = (struct catalog_options){
		.claude_dir = a->claude_dir,
		.project = a->project,
		.current = getenv("CLAUDE_CODE_SESSION_ID"),
		.exact = a->exact,
		.dead_only = a->dead,
		.limit = (size_t)a->limit,
	};
	if (a->all || a->project)
		return 0;
	if (!getcwd(here, sizeof(here)))
		return err_sys(e, "the current directory");
	buf_add(cwd, str_of(here));
	o->project = buf_cstr(cwd);
	return 0;
}

static int choose(struct input *in, const struct args *a, const char *name, struct err *e)
{
	struct buf cwd = BUF_INIT(PATH_MAX);
	struct catalog_options o;
	int ret;

	/* a session that is named needs no project, not even a current directory */
	if (name) {
		o = (struct catalog_options){.claude_dir = a->claude_dir};
		return catalog_find(&o, name, &in->pick, e);
	}
	ret = input_options(a, &cwd, &o, e);
	if (!ret) {
		o.progress = progress_tell;
		o.progress_arg = &in->progress;
		ret = catalog_dead(&o, &in->pick, e);
	}
	buf_release(&cwd);
	return ret;
}

/* What was typed, where a transcript of that name is not to be had. */
static bool open_history(struct input *in, const struct args *a, const char *id)
{
	uint64_t prompts;

	if (!a->claude_dir ||
	    history_open(&in->src, a->claude_dir, str_of(id), &prompts, NULL) < 0)
		return false;
	in->open = true;
	in->pick.path = str_dup(str_of(id));
	in->pick.id = str_dup(str_of(id));
	log_warn("the transcript of %s is gone: what was typed in it, from history.jsonl",
		 id);
	return true;
}

int input_open(struct input *in, const struct args *a, const char *name, bool or_history,
	       struct err *e)
{
	struct err gone = ERR_INIT;
	int ret;

	*in = (struct input){0};
	progress_init(&in->progress, a);
	ret = choose(in, a, name, &gone);
	if (ret == HF_ENOTFOUND && name && or_history && open_history(in, a, name))
		return 0;
	if (ret)
		return err_set(e, ret, "%s", gone.msg);
	ret = source_open(&in->src, in->pick.path, e);
	in->open = ret == 0;
	in->src.ahead = in->open;
	return ret;
}

int input_phase(const struct args *a, input_phase_fn *phase, bool or_history,
		struct err *e)
{
	struct input in;
	struct out o;
	int ret, end;

	ret = input_open(&in, a, a->nwords ? a->word[0] : NULL, or_history, e);
	if (!ret)
		ret = glance_check(&in.src, in.pick.path, e);
	if (!ret) {
		struct phases_options opt = {
			.json = a->json,
			.ends = (size_t)a->ends,
			.first = a->first,
			.last = a->last,
			.since = a->since,
			.running_pid = in.pick.running_pid,
			.claude_dir = a->claude_dir,
			.progress = progress_tell,
			.progress_arg = &in.progress,
		};

		/* entries are written as they are read: on a terminal they are the progress */
		if (isatty(STDOUT_FILENO))
			progress_end(&in.progress);
		out_init(&o, STDOUT_FILENO, "standard output");
		ret = phase(&in.src, in.pick.path, &opt, &o, e);
		progress_end(&in.progress);
		end = out_end(&o, e);
		ret = ret ? ret : end;
	}
	input_release(&in);
	return ret;
}

int input_spares(const struct input *in, const struct args *a, struct err *e)
{
	struct catalog_options o = {.claude_dir = a->claude_dir};

	return a->output ? catalog_spared(&o, &in->src, a->output, e) : 0;
}

void input_release(struct input *in)
{
	progress_end(&in->progress);
	if (in->open)
		source_release(&in->src);
	catalog_pick_release(&in->pick);
	in->open = false;
}
