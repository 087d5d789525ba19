#include "work/hazards.h"

#include <stdlib.h>

#include "base/clock.h"
#include "data/json.h"
#include "work/check.h"
#include "work/redact.h"

/*
 * The lines that hold now, and the document that stands for them. A session that has none of
 * its own and claimed none works on what the newest document says.
 */
static int load(struct carry *c, const struct scope *s, const struct docs_item **it,
		struct err *e)
{
	struct handoff_doc d = {.session = STR_NONE};
	struct scope none = *s;
	char empty[] = "";
	size_t at = 0;
	int ret = carry_load(c, s, e);

	*it = NULL;
	if (ret)
		return ret;
	if (s->session[0])
		*it = carry_current(c, s);
	if (*it)
		return 0;
	none.session = empty;
	*it = carry_current(c, &none);
	if (!*it)
		return 0;
	handoff_read(&d, str_of((*it)->text), NULL);
	c->nhazard = 0;
	while (c->nhazard < CARRY_HAZARDS_MAX &&
	       handoff_next_hazard(d.hazards, &at, &c->hazard[c->nhazard]))
		c->nhazard++;
	return 0;
}

int hazards_show(const struct scope *s, bool json, struct buf *out, struct err *e)
{
	struct buf line = BUF_INIT(4 * HANDOFF_DOC_MAX);
	const struct docs_item *it;
	struct carry c;
	int ret = load(&c, s, &it, e);

	if (ret)
		goto out;
	if (json) {
		buf_add(out, STR("{\"format\":1"));
		json_add_key(out, "document");
		if (it)
			json_add_str(out, str_of(it->name));
		else
			buf_add(out, STR("null"));
		json_add_key(out, "hazards");
		buf_byte(out, '[');
	}
	for (size_t i = 0; i < c.nhazard; i++) {
		buf_reset(&line);
		redact_show(&line, str_from(c.hazard[i], 2), true);
		if (json) {
			json_add_sep(out);
			json_add_str(out, buf_str(&line));
		} else {
			buf_printf(out, "%zu. %s\n", i + 1, buf_cstr(&line));
		}
	}
	if (json)
		buf_add(out, STR("]}"));
out:
	carry_release(&c);
	buf_release(&line);
	return ret;
}

/* ---- retiring ---- */

/* Append text with every line of its Hazards that is this one marked as retired; false when there is none. */
static bool mark(struct buf *out, str text, str key, str reason)
{
	struct buf one = BUF_INIT(HANDOFF_DOC_MAX);
	struct handoff_doc d = {.session = STR_NONE};
	char at[CLOCK_ISO_BYTES];
	const char *from = text.p;
	bool found = false;
	size_t it = 0;
	str line;

	handoff_read(&d, text, NULL);
	clock_iso_s(at, clock_now());
	while (handoff_next_hazard(d.hazards, &it, &line)) {
		buf_reset(&one);
		check_hazard_key(&one, line);
		if (!str_eq(buf_str(&one), key))
			continue;
		found = true;
		buf_add(out, (str){from, (size_t)(line.p - from)});
		buf_printf(out, CHECK_RETIRED "%.10s (%.*s): %.*s", at, STR_ARG(reason),
			   STR_ARG(str_from(line, 2)));
		from = line.p + line.n;
	}
	buf_add(out, (str){from, (size_t)(text.p + text.n - from)});
	buf_release(&one);
	return found;
}

static int retire_in(struct scope *s, const struct docs_item *it, str key, str reason,
		     struct hazards_done *done, struct err *e)
{
	struct buf text = BUF_INIT(2 * HANDOFF_DOC_MAX);
	int ret = 0;

	if (!it->archived && mark(&text, str_of(it->text), key, reason)) {
		ret = docs_save(&s->vault, str_of(s->project), str_of(it->name),
				buf_str(&text), e);
		if (!ret)
			done->documents++;
	}
	buf_release(&text);
	return ret;
}

static int retire_all(struct scope *s, str key, str reason, struct hazards_done *done,
		      struct err *e)
{
	struct docs d;
	int ret = vault_lock(&s->vault, VAULT_LOCK_LONG_MS, e);

	if (ret)
		return ret;
	ret = docs_load(&d, &s->vault, str_of(s->project), false, e);
	for (size_t i = 0; !ret && i < d.n; i++)
		ret = retire_in(s, &d.item[i], key, reason, done, e);
	vault_unlock(&s->vault);
	docs_release(&d);
	return ret;
}

int hazards_retire(struct scope *s, uint64_t number, str reason,
		   struct hazards_done *done, struct err *e)
{
	struct buf key = BUF_INIT(HANDOFF_DOC_MAX), why = BUF_INIT(HANDOFF_DOC_MAX);
	const struct docs_item *it;
	struct carry c = {.nname = 0};
	int ret;

	*done = (struct hazards_done){.line = NULL};
	redact_show(&why, reason, true);
	if (!why.n || why.n > HAZARDS_REASON_MAX)
		ret = err_set(e, HF_EUSAGE, "a reason of 1 to %d bytes is needed",
			      HAZARDS_REASON_MAX);
	else
		ret = load(&c, s, &it, e);
	if (!ret && (number < 1 || number > c.nhazard))
		ret = err_set(e, HF_ENOTFOUND, "there is no hazard %llu; there are %zu",
			      (unsigned long long)number, c.nhazard);
	if (!ret) {
		check_hazard_key(&key, c.hazard[number - 1]);
		done->line = str_dup(str_from(c.hazard[number - 1], 2));
		ret = retire_all(s, buf_str(&key), buf_str(&why), done, e);
	}
	carry_release(&c);
	buf_release(&key);
	buf_release(&why);
	return ret;
}

/* The line of a document that retires this hazard, or none. */
static str retiring(str hazards, str key)
{
	str line;

	while (str_line(&hazards, &line)) {
		line = str_trim_right(line);
		if (check_retires(line, key))
			return line;
	}
	return STR_NONE;
}

/* Append text with the hazards that `old` retires replaced by the lines that do so. */
static void replace_retired(struct buf *out, str text, str old)
{
	struct handoff_doc d = {.session = STR_NONE};
	struct buf key = BUF_INIT(HANDOFF_DOC_MAX);
	const char *from = text.p;
	size_t it = 0;
	str line, retired;

	handoff_read(&d, text, NULL);
	while (handoff_next_hazard(d.hazards, &it, &line)) {
		buf_reset(&key);
		check_hazard_key(&key, line);
		retired = retiring(old, buf_str(&key));
		if (!retired.n)
			continue;
		buf_add(out, (str){from, (size_t)(line.p - from)});
		buf_add(out, retired);
		from = line.p + line.n;
	}
	buf_add(out, (str){from, (size_t)(text.p + text.n - from)});
	buf_release(&key);
}

/* The lines of `old` that retire something and that stand nowhere in hazards. */
static void missing_retired(struct buf *out, str hazards, str old)
{
	str line;

	while (str_line(&old, &line)) {
		line = str_trim_right(line);
		if (str_starts(line, STR(CHECK_RETIRED)) &&
		    str_find(hazards, line) == STR_NPOS)
			buf_printf(out, "%.*s\n", STR_ARG(line));
	}
}

void hazards_keep_retired(struct buf *out, str text, str old)
{
	struct handoff_doc d = {.session = STR_NONE}, was = {.session = STR_NONE};
	struct buf made = BUF_INIT(2 * HANDOFF_DOC_MAX), more = BUF_INIT(HANDOFF_DOC_MAX);
	str now, body;
	size_t end;

	handoff_read(&was, old, NULL);
	replace_retired(&made, text, was.hazards);
	now = buf_str(&made);
	handoff_read(&d, now, NULL);
	missing_retired(&more, d.hazards, was.hazards);
	if (!d.hazards.p || !more.n) {
		buf_add(out, now);
	} else {
		body = str_trim_right(d.hazards);
		end = (size_t)(body.p + body.n - now.p);
		buf_add(out, str_head(now, end));
		if (out->n && out->p[out->n - 1] != '\n')
			buf_byte(out, '\n');
		buf_add(out, buf_str(&more));
		if (end < now.n && now.p[end] == '\n')
			end++;
		buf_add(out, str_from(now, end));
	}
	buf_release(&made);
	buf_release(&more);
}

bool hazards_retires(str old)
{
	struct handoff_doc was = {.session = STR_NONE};
	struct buf b = BUF_INIT(HANDOFF_DOC_MAX);
	bool any;

	handoff_read(&was, old, NULL);
	missing_retired(&b, STR_NONE, was.hazards);
	any = b.n > 0;
	buf_release(&b);
	return any;
}
