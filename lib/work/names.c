#include "work/names.h"

#include "base/utf8.h"
#include "data/address.h"
#include "data/config.h"
#include "data/shelf.h"
#include "work/redact.h"

#define SUFFIX         ".md"
#define NAME_MAX_BYTES (4u << 10)

static const char *const WORD[NAMES_KINDS] = {
	[NAMES_PROJECTS] = "projects",   [NAMES_ENTITIES] = "entities",
	[NAMES_DOCUMENTS] = "documents", [NAMES_RECORDS] = "records",
	[NAMES_PACKETS] = "packets",     [NAMES_SETTINGS] = "settings",
};

const char *names_word(enum names_kind k)
{
	return WORD[k];
}

bool names_kind_of(str word, enum names_kind *k)
{
	for (int i = 0; i < NAMES_KINDS; i++) {
		*k = (enum names_kind)i;
		if (str_eq(word, str_of(WORD[i])))
			return true;
	}
	return false;
}

struct each {
	int (*fn)(str name, void *arg);
	void *arg;
	size_t n;
};

/* Whether it is shown as it is. */
static bool plain(str name)
{
	struct buf b = BUF_INIT(NAME_MAX_BYTES);
	bool ok;

	redact_show(&b, name, true);
	ok = !b.full && str_eq(buf_str(&b), name);
	buf_release(&b);
	return ok;
}

static int give(struct each *x, str name)
{
	if (x->n >= NAMES_MAX)
		return 1;
	if (!name.n || !plain(name))
		return 0;
	x->n++;
	return x->fn(name, x->arg);
}

static str stem(const char *file)
{
	str s = str_of(file);

	return str_ends(s, STR(SUFFIX)) ? str_head(s, s.n - (sizeof(SUFFIX) - 1)) : s;
}

static int on_name(const char *name, void *arg)
{
	return give(arg, stem(name));
}

static int on_project(const char *name, void *arg)
{
	return give(arg, str_of(name));
}

static int on_record(const char *rel, const struct stat *st, void *arg)
{
	struct address a;
	int ret = 0;

	(void)st;
	if (address_from_path(&a, str_of(rel), NULL) == 0)
		ret = give(arg, str_of(a.text));
	address_release(&a);
	return ret;
}

static int on_packet(const char *rel, const struct stat *st, void *arg)
{
	(void)st;
	return give(arg, stem(rel));
}

static int settings(struct each *x)
{
	struct config c;
	int ret = 0;

	config_load(&c, NULL); /* the table is there whatever the file says */
	for (const struct config_item *it = c.item; it->key && !ret; it++)
		ret = give(x, str_of(it->key));
	config_release(&c);
	return ret;
}

int names_each(enum names_kind k, const struct scope *s, int (*fn)(str name, void *arg),
	       void *arg, struct err *e)
{
	struct each x = {.fn = fn, .arg = arg};
	str project = str_of(s->project);
	int ret = 0;

	switch (k) {
	case NAMES_PROJECTS:
		ret = vault_projects(&s->vault, on_project, &x, e);
		break;
	case NAMES_ENTITIES:
		ret = vault_each(&s->vault, VAULT_ENTITIES, project, SUFFIX, on_name, &x,
				 e);
		break;
	case NAMES_DOCUMENTS:
		ret = vault_each(&s->vault, VAULT_HANDOFFS, project, SUFFIX, on_name, &x,
				 e);
		break;
	case NAMES_RECORDS:
		ret = shelf_walk(&s->vault, SHELF_RECORDS, STR_NONE, on_record, &x, e);
		break;
	case NAMES_PACKETS:
		ret = shelf_walk(&s->vault, SHELF_PACKETS, STR_NONE, on_packet, &x, e);
		break;
	case NAMES_SETTINGS:
		ret = settings(&x);
		break;
	case NAMES_KINDS:
		break;
	}
	return x.n >= NAMES_MAX && ret > 0 ? 0 : ret;
}
