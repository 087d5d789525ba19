/*
 * handoff trust [OPTION]... [FILE]
 */
#include <limits.h>

#include "base/fs.h"
#include "base/log.h"
#include "commands.h"
#include "data/json.h"
#include "print.h"
#include "work/docs.h"
#include "work/identity.h"
#include "work/redact.h"
#include "work/scope.h"
#include "work/trust.h"

#define SHIPPED "handoff.md"

static int say(const struct args *a, const char *what, const char *name, struct err *e)
{
	struct buf out = BUF_INIT(1u << 20), shown = BUF_INIT(1u << 18);
	int ret;

	redact_show(&shown, str_of(name), true);
	if (a->json) {
		buf_add(&out, STR("{\"format\":1"));
		json_add_key(&out, what);
		json_add_str(&out, buf_str(&shown));
		buf_byte(&out, '}');
	} else {
		buf_printf(&out, "Trusted %s: %s\n", what, buf_cstr(&shown));
	}
	ret = print_text(&out, e);
	buf_release(&out);
	buf_release(&shown);
	return ret;
}

static int name(const struct args *a, const struct scope *s, struct err *e)
{
	struct buf other = BUF_INIT(PATH_MAX);
	struct project p;
	int ret = scope_identify(s, &p, e);

	if (ret)
		return ret;
	if (strcmp(p.id, PROJECT_NONE) == 0)
		ret = err_set(e, HF_EUSAGE,
			      "%s is no project of its own: it cannot be named", s->dir);
	else
		ret = identity_may_take(&s->vault, &p, str_of(s->project),
					str_of(a->name), &other, e);
	if (!ret)
		ret = trust_name(s->state_dir, p.id, str_of(a->name), e);
	if (!ret && other.n)
		log_warn("'%s' is also the name of %s: the two share what is remembered",
			 a->name, buf_cstr(&other));
	project_release(&p);
	buf_release(&other);
	return ret ? ret : say(a, "name", a->name, e);
}

/* The text as it is now: whoever changes it later is not trusted. */
static int file(const struct args *a, const struct scope *s, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(HANDOFF_DOC_MAX);
	struct docs_item it;
	int ret;

	if (a->nwords)
		buf_add(&path, str_of(a->word[0]));
	else
		fs_join(&path, str_of(s->worktree), STR(SHIPPED));
	ret = fs_read(buf_cstr(&path), &text, e);
	if (!ret && !docs_item_of(&it, STR(SHIPPED), buf_str(&text)))
		ret = err_set(e, HF_EUSAGE,
			      "%s: no handoff document (its title is \"# Handoff: ...\")",
			      buf_cstr(&path));
	else if (!ret)
		docs_item_release(&it);
	if (!ret)
		ret = trust_text(s->state_dir, buf_str(&text), e);
	if (!ret)
		ret = say(a, "file", buf_cstr(&path), e);
	buf_release(&path);
	buf_release(&text);
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	struct scope s = {.vault.lock = -1};
	int ret;

	if (a->name && a->nwords)
		return err_set(e, HF_EUSAGE, "trust: either --name NAME or a FILE");
	ret = scope_open(&s, NULL, NULL, e);
	if (!ret)
		ret = a->name ? name(a, &s, e) : file(a, &s, e);
	scope_release(&s);
	return ret;
}

const struct command cmd_trust = {
	.name = "trust",
	.operands = "[FILE]",
	.summary = "accept a handoff.md that came with the project, or name the project",
	.text = "A document that lies in the work tree is read to nobody unless it was written by this\n"
		"program or accepted here, by its content (FILE, else handoff.md of the work tree).\n"
		"--name binds a name to the project of this directory.\n",
	.options = OPT_JSON | OPT_NAME,
	.min_words = 0,
	.max_words = 1,
	.run = run,
};
