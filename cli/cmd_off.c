/*
 * handoff off [--project], handoff on [--project]
 */
#include <limits.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/log.h"
#include "commands.h"
#include "data/json.h"
#include "print.h"
#include "work/offswitch.h"
#include "work/scope.h"

static int say(const struct args *a, const struct scope *s, struct err *e)
{
	str project = a->project ? str_of(s->project) : STR_NONE;
	struct buf out = BUF_INIT(1u << 16);
	bool off = offswitch_is_off(s->state_dir, str_of(s->project));
	int ret;

	if (a->json) {
		buf_add(&out, STR("{\"format\":1"));
		json_add_key(&out, "off");
		buf_add(&out, off ? STR("true") : STR("false"));
		json_add_key(&out, "project");
		if (project.n)
			json_add_str(&out, project);
		else
			buf_add(&out, STR("null"));
		buf_byte(&out, '}');
	} else {
		buf_printf(&out, "The hooks are %s for %s.\n", off ? "off" : "on",
			   project.n ? s->project : "all projects");
	}
	ret = print_text(&out, e);
	buf_release(&out);
	return ret;
}

static int turn(const struct args *a, bool off, struct err *e)
{
	struct scope s = {.vault.lock = -1};
	struct err none = ERR_INIT;
	int ret = scope_open(&s, NULL, NULL, &none);

	/* the switch for all projects needs no vault: it may be what is broken */
	if (ret && !a->project && s.state_dir[0])
		ret = 0;
	else if (ret)
		ret = err_set(e, ret, "%s", none.msg);
	if (!s.project)
		s.project = str_dup(STR_NONE);
	if (!ret)
		ret = offswitch_set(s.state_dir,
				    a->project ? str_of(s.project) : STR_NONE, off, e);
	if (!ret)
		ret = say(a, &s, e);
	if (!ret && !off && offswitch_is_off(s.state_dir, str_of(s.project)))
		log_warn("still off here: %s",
			 offswitch_why(s.state_dir, str_of(s.project)));
	scope_release(&s);
	return ret;
}

static int run_off(const struct args *a, struct err *e)
{
	return turn(a, true, e);
}

static int run_on(const struct args *a, struct err *e)
{
	return turn(a, false, e);
}

const struct command cmd_off = {
	.name = "off",
	.operands = "",
	.summary = "switch the hooks off, everywhere or for this project",
	.text = "Nothing is noted and nothing is told any more; what is stored stays.\n",
	.options = OPT_JSON | OPT_PROJECT,
	.min_words = 0,
	.max_words = 0,
	.run = run_off,
};

const struct command cmd_on = {
	.name = "on",
	.operands = "",
	.summary = "switch them on again",
	.text = "Takes back `handoff off`, or with --project `handoff off --project`.\n",
	.options = OPT_JSON | OPT_PROJECT,
	.min_words = 0,
	.max_words = 0,
	.run = run_on,
};
