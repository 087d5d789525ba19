/*
 * Collect, choose, render.
 *
 * Collect: of each type the best active events, as the index orders them, until more are there
 * than the cap could hold; of the types that come after those which fill it, no more than their
 * reserve; and some to choose from where the best are too large. Choose: first the best of
 * each section, so that no section is silent; then each section up to its reserve; then what is left,
 * in the order of LEFTOVER, files only up to their part. An event that does not fit is passed over, a
 * smaller one behind it may. Related entities and the line that
 * counts what was left out are charged too: they are measured after choosing, and where they do
 * not fit, it is chosen once more with room for them.
 *
 * Costs are exact: a quarter of a token a character, a whole one for each Han, Kana or Hangul
 * character (struct cost), and UTF-16 units beside it.
 */
#include "work/brief.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "work/brief_parts.h"
#include "work/near.h"
#include "work/sessionnote.h"

#define ARENA_BYTES   (8u << 20)
#define ITEMS_MAX     2000 /* of one section */
#define ITEMS_MIN     16   /* that are there to choose from, also under a small cap */
#define LARGE_MAX     200  /* that are looked at though they are larger than the cap */
#define RELATED_MAX   4
#define RELATED_PART  5 /* related entities take at most this part of the cap */
#define TARGETS_MAX   256
#define SUMMARY_CHARS 120
#define JUDGED_MAX    3
#define FOOT_BYTES    160
#define QUARTERS      4

#define STALE " _(possibly stale)_"
#define NONE  "_No prior session state recorded for this project yet._"

static const struct {
	const char *heading;
	unsigned reserve; /* percent of the cap */
	unsigned most;    /* the same: what the section never goes beyond */
} SECTION[EVENT_TYPES] = {
	[EVENT_GOAL] = {"Goal", 15, 100},
	[EVENT_NEXT_STEP] = {"Next step", 15, 100},
	[EVENT_DECISION] = {"Decisions", 30, 100},
	[EVENT_DEADEND] = {"Dead ends (tried & failed)", 15, 100},
	[EVENT_QUESTION] = {"Open questions", 10, 100},
	[EVENT_FILE] = {"Files touched", 0, 15},
};

/* Who gets what the reserves left over: many old goals are worth less than one more decision. */
static const enum event_type LEFTOVER[EVENT_TYPES] = {
	EVENT_NEXT_STEP, EVENT_DECISION, EVENT_DEADEND,
	EVENT_QUESTION,  EVENT_GOAL,     EVENT_FILE,
};

struct cost {
	size_t quarters, units;
};

struct item {
	str line;    /* "- snippet\n", with the marker of a stale one */
	str content; /* for its links */
	str why;     /* explain */
	struct cost cost;
	bool taken;
};

struct section {
	struct item *item;
	size_t n, taken;
	size_t active; /* that could be shown: not imported, not of the session left out */
	size_t imported;
	struct cost head;
};

struct target {
	str name;
	size_t links;
	size_t last; /* number of the event that linked it last */
};

struct brief {
	const struct brief_options *o;
	struct index *ix;
	struct arena arena;
	struct section section[EVENT_TYPES];
	struct cost cap, used;
	str skip[BRIEF_SKIP]; /* tails of the note ids that are left out; "" none */
	enum event_type type; /* being collected */
	struct cost enough;   /* what the section can take at most */
	struct cost seen;     /* of those that could be taken */
	size_t large;         /* the others: larger than the cap */
	struct buf last;      /* the session that began last */
	int64_t last_us, last_but_one_us;
	struct err *e;
};

/* ---- costs ---- */

static struct cost cost_of(str s)
{
	struct cost c = {0, 0};
	uint32_t cp;
	size_t n;

	for (; s.n; s = str_from(s, n)) {
		for (n = 0; n < s.n && (unsigned char)s.p[n] < 0x80;)
			n++;
		c.quarters += n;
		c.units += n;
		if (n)
			continue;
		n = utf8_next(s, &cp);
		if (!n) {
			n = 1;
			cp = 0xFFFD;
		}
		c.quarters += brief_whole(cp) ? QUARTERS : 1;
		c.units += cp > 0xFFFF ? 2 : 1;
	}
	return c;
}

static struct cost plus(struct cost a, struct cost b)
{
	return (struct cost){a.quarters + b.quarters, a.units + b.units};
}

static bool within(struct cost c, struct cost limit)
{
	return c.quarters <= limit.quarters && c.units <= limit.units;
}

static bool fits(const struct brief *b, struct cost limit, struct cost c)
{
	return within(plus(b->used, c), limit);
}

size_t brief_tokens(str text)
{
	return (cost_of(text).quarters + QUARTERS - 1) / QUARTERS;
}

/* ---- collecting ---- */

/* A later session went on after this step was noted, and did not take it up; its own is over. */
static bool stale(struct brief *b, const struct index_item *it)
{
	if (it->type != EVENT_NEXT_STEP || !it->at_us)
		return false;
	if ((str_eq(it->session, buf_str(&b->last)) ? b->last_but_one_us : b->last_us) <=
	    it->at_us)
		return false;
	return !b->o->runs || !b->o->runs(it, b->o->runs_arg);
}

static str why(struct brief *b, const struct index_item *it)
{
	struct buf w = BUF_INIT(1024);
	char iso[CLOCK_ISO_BYTES];
	str s;

	clock_iso_s(iso, it->at_us / 1000);
	buf_printf(&w, " [%.*s, importance %d, %.10s, %s%s%.*s]", STR_ARG(it->id),
		   it->importance, it->at_us ? iso : "no date",
		   it->origin == EVENT_DERIVED ? "derived" : "logged",
		   it->session.n ? ", session " : "", STR_ARG(it->session));
	s = arena_str(&b->arena, buf_str(&w));
	buf_release(&w);
	return s;
}

static void date(struct buf *line, const struct index_item *it)
{
	char iso[CLOCK_ISO_BYTES];

	clock_iso_s(iso, it->at_us / 1000);
	if (it->at_us)
		buf_printf(line, " (%.10s%s)", iso,
			   it->origin == EVENT_DERIVED ? ", derived" : "");
}

static int on_event(const struct index_item *it, void *arg)
{
	struct brief *b = arg;
	struct section *s = &b->section[b->type];
	struct buf line = BUF_INIT(8192);
	struct item *i;

	if (it->origin == EVENT_IMPORTED)
		return 1; /* they come last */
	for (size_t k = 0; k < BRIEF_SKIP; k++)
		if (b->skip[k].n && sessionnote_has_hex(it->session, b->skip[k].p + 1))
			return 0;
	buf_add(&line, STR("- "));
	brief_snippet(&line, it->body, BRIEF_SNIPPET);
	if (stale(b, it))
		buf_add(&line, STR(STALE));
	if (b->o->dated)
		date(&line, it);
	buf_byte(&line, '\n');
	i = &s->item[s->n];
	i->line = arena_str(&b->arena, buf_str(&line));
	i->cost = cost_of(buf_str(&line));
	i->content = str_find(it->body, STR("[[")) == STR_NPOS
			     ? STR_NONE
			     : arena_str(&b->arena, it->body);
	if (b->o->explain)
		i->why = why(b, it);
	buf_release(&line);
	if (!i->line.p)
		return 1;
	s->n++;
	if (within(i->cost, b->cap))
		b->seen = plus(b->seen, i->cost);
	else
		b->large++;
	return s->n == ITEMS_MAX || b->large == LARGE_MAX ||
	       (s->n >= ITEMS_MIN && !within(b->seen, b->enough));
}

static struct cost part(struct cost c, unsigned percent)
{
	return (struct cost){c.quarters * percent / 100, c.units * percent / 100};
}

static int collect(struct brief *b)
{
	struct cost all = {0, 0};
	size_t active[EVENT_TYPES], skipped[BRIEF_SKIP][EVENT_TYPES] = {{0}};
	int ret = index_counts(b->ix, b->o->project, active, b->e);

	if (!ret)
		ret = index_last_session(b->ix, b->o->project, STR_NONE, &b->last_us,
					 &b->last, b->e);
	if (!ret)
		ret = index_last_session(b->ix, b->o->project, buf_str(&b->last),
					 &b->last_but_one_us, NULL, b->e);
	for (size_t k = 0; k < BRIEF_SKIP && !ret; k++)
		if (b->skip[k].n)
			ret = index_session_counts(b->ix, b->o->project, b->skip[k],
						   skipped[k], b->e);
	for (int i = 0; i < EVENT_TYPES && !ret; i++) {
		enum event_type t = LEFTOVER[i];
		struct section *s = &b->section[t];
		struct buf head = BUF_INIT(128);

		buf_printf(&head, "## %s\n\n", SECTION[t].heading);
		s->head = cost_of(buf_str(&head));
		buf_release(&head);
		s->active = active[t];
		for (size_t k = 0; k < BRIEF_SKIP; k++)
			s->active -=
				skipped[k][t] < s->active ? skipped[k][t] : s->active;
		s->item = arena_new(&b->arena, struct item, ITEMS_MAX);
		b->type = t;
		b->enough = part(b->cap, within(all, b->cap) ? SECTION[t].most
							     : SECTION[t].reserve);
		b->seen = (struct cost){0, 0};
		b->large = 0;
		ret = index_active(b->ix, b->o->project, b->type, on_event, b, b->e);
		if (ret > 0)
			ret = 0;
		all = plus(all, b->seen);
		if (s->active < s->n)
			s->active = s->n;
	}
	return ret;
}

/* ---- choosing ---- */

static bool take(struct brief *b, struct section *s, struct item *i, struct cost limit)
{
	struct cost c = i->cost;

	if (i->taken)
		return false;
	if (!s->taken)
		c = plus(c, s->head);
	if (!fits(b, limit, c))
		return false;
	b->used = plus(b->used, c);
	i->taken = true;
	s->taken++;
	return true;
}

/* What fits of a section in its order, until its lines take `percent` of the limit. */
static void take_up_to(struct brief *b, enum event_type t, unsigned percent,
		       struct cost limit)
{
	struct section *s = &b->section[t];
	struct cost own = part(limit, percent), spent = {0, 0};

	for (size_t k = 0; k < s->n; k++)
		if (s->item[k].taken)
			spent = plus(spent, s->item[k].cost);
	for (size_t k = 0; k < s->n; k++) {
		struct item *i = &s->item[k];

		if (within(plus(spent, i->cost), own) && take(b, s, i, limit))
			spent = plus(spent, i->cost);
	}
}

static void choose(struct brief *b, struct cost fixed, struct cost limit)
{
	b->used = fixed;
	for (int t = 0; t < EVENT_TYPES; t++) {
		struct section *s = &b->section[t];

		s->taken = 0;
		for (size_t k = 0; k < s->n; k++)
			s->item[k].taken = false;
	}
	for (int t = 0; t < EVENT_FILE; t++) {
		struct section *s = &b->section[t];

		for (size_t k = 0; k < s->n && !s->taken; k++)
			take(b, s, &s->item[k], limit);
	}
	for (int t = 0; t < EVENT_TYPES; t++)
		take_up_to(b, (enum event_type)t, SECTION[t].reserve, limit);
	for (int t = 0; t < EVENT_TYPES; t++)
		take_up_to(b, LEFTOVER[t], SECTION[LEFTOVER[t]].most, limit);
}

static void totals(const struct brief *b, size_t *kept, size_t *dropped)
{
	*kept = *dropped = 0;
	for (int t = 0; t < EVENT_TYPES; t++) {
		*kept += b->section[t].taken;
		*dropped += b->section[t].active - b->section[t].taken;
	}
}

/* ---- related entities ---- */

static int by_links(const void *pa, const void *pb)
{
	const struct target *a = pa, *b = pb;

	if (a->links != b->links)
		return a->links > b->links ? -1 : 1;
	return str_cmp(a->name, b->name);
}

static void add_links(struct brief *b, const struct item *i, size_t number,
		      struct target *t, size_t *n)
{
	struct buf name = BUF_INIT(EVENT_CONTENT_MAX);
	size_t at = 0, k;

	while (event_link(i->content, &at, &name)) {
		for (k = 0; k < *n && !str_eq(t[k].name, buf_str(&name)); k++)
			;
		if (k == *n && *n < TARGETS_MAX)
			t[(*n)++] = (struct target){arena_str(&b->arena, buf_str(&name)),
						    0, 0};
		if (k < *n && t[k].last != number) {
			t[k].links++;
			t[k].last = number;
		}
	}
	buf_release(&name);
}

static size_t targets(struct brief *b, struct target *t)
{
	size_t n = 0, number = 0;

	for (int s = 0; s < EVENT_TYPES; s++)
		for (size_t k = 0; k < b->section[s].n; k++) {
			const struct item *i = &b->section[s].item[k];

			number++;
			if (i->taken && i->content.n)
				add_links(b, i, number, t, &n);
		}
	qsort(t, n, sizeof(*t), by_links);
	return n < RELATED_MAX ? n : RELATED_MAX;
}

/* "- [[Storage]] — One SQLite file per site.\n" */
static int related_line(struct brief *b, str name, struct buf *line)
{
	struct buf summary = BUF_INIT(VAULT_NOTE_MAX);
	int ret = index_entity_summary(b->ix, b->o->project, name, &summary, NULL);

	buf_add(line, STR("- [["));
	utf8_show(line, name, UTF8_ONELINE);
	buf_add(line, STR("]]"));
	if (!ret && str_trim(buf_str(&summary)).n) {
		buf_add(line, STR(" \xE2\x80\x94 "));
		brief_snippet(line, buf_str(&summary), SUMMARY_CHARS);
	}
	buf_byte(line, '\n');
	buf_release(&summary);
	return ret == HF_ENOTFOUND ? 0 : ret;
}

/* The block as text, within limit; "" where nothing is linked. */
static int related(struct brief *b, struct cost limit, struct buf *out)
{
	struct target t[TARGETS_MAX];
	size_t n = targets(b, t);
	struct cost sum;
	int ret = 0;

	buf_reset(out);
	for (size_t i = 0; i < n && !ret; i++) {
		struct buf line = BUF_INIT(VAULT_NOTE_MAX);
		size_t before = out->n;

		ret = related_line(b, t[i].name, &line);
		buf_add(out, before ? STR("") : STR("## Related knowledge\n"));
		buf_add(out, buf_str(&line));
		buf_release(&line);
		sum = cost_of(buf_str(out));
		if (sum.quarters + 1 > limit.quarters || sum.units + 1 > limit.units) {
			buf_cut(out, before);
			break;
		}
	}
	if (out->n)
		buf_byte(out, '\n');
	return ret;
}

/* ---- records ---- */

struct judged {
	struct buf *out;
	struct cost limit;
	size_t n, from;
};

static int on_judged(str title, str summary, int64_t at_us, void *arg)
{
	struct judged *j = arg;
	size_t before = j->out->n;
	struct cost sum;

	(void)at_us;
	if (!j->n)
		buf_add(j->out, STR("## Records judged last\n"));
	buf_add(j->out, STR("- "));
	brief_snippet(j->out, title, SUMMARY_CHARS);
	buf_printf(j->out, ": %.*s\n", STR_ARG(summary));
	sum = cost_of(str_from(buf_str(j->out), j->from));
	if (sum.quarters + 1 > j->limit.quarters || sum.units + 1 > j->limit.units) {
		buf_cut(j->out, before);
		return 1;
	}
	return ++j->n == JUDGED_MAX;
}

/* Records whose confidence an outcome moved last, of whatever project: they are of none. */
static int judged(struct brief *b, struct cost limit, struct buf *out)
{
	struct judged j = {.out = out, .limit = limit, .from = out->n};
	int ret = index_judged(b->ix, on_judged, &j, b->e);

	if (j.n)
		buf_byte(out, '\n');
	return ret < 0 ? ret : 0;
}

/* ---- the whole ---- */

static void foot(const struct brief *b, size_t dropped, struct buf *out)
{
	buf_printf(
		out,
		"_(%zu lower-priority item(s) omitted to fit the %lld-token budget.)_\n",
		dropped, (long long)b->o->tokens);
}

static struct cost minus(struct cost a, struct cost b)
{
	return (struct cost){a.quarters > b.quarters ? a.quarters - b.quarters : 0,
			     a.units > b.units ? a.units - b.units : 0};
}

/* What stands behind the sections, within limit. */
static int behind(struct brief *b, struct cost limit, struct buf *out)
{
	int ret = related(b, limit, out);

	return ret ? ret : judged(b, minus(limit, cost_of(buf_str(out))), out);
}

/* Choose, and once more where something stands behind the sections that has to fit too. */
static int fill(struct brief *b, struct cost head, struct buf *block)
{
	struct buf line = BUF_INIT(FOOT_BYTES);
	struct cost room = b->cap;
	size_t kept, dropped, all = 0;
	int ret;

	choose(b, head, room);
	totals(b, &kept, &dropped);
	for (int t = 0; t < EVENT_TYPES; t++)
		all += b->section[t].active;
	if (dropped) {
		foot(b, all, &line);
		room = minus(room, cost_of(buf_str(&line)));
	}
	buf_release(&line);
	ret = behind(b,
		     (struct cost){b->cap.quarters / RELATED_PART,
				   b->cap.units / RELATED_PART},
		     block);
	if (ret || (!dropped && fits(b, b->cap, cost_of(buf_str(block)))))
		return ret;
	if (!dropped) { /* now there will be: room for the count of it */
		foot(b, all, &line);
		room = minus(room, cost_of(buf_str(&line)));
		buf_release(&line);
	}
	room = minus(room, cost_of(buf_str(block)));
	choose(b, head, room);
	/* of what is kept now */
	return behind(b, cost_of(buf_str(block)), block);
}

static void sections(const struct brief *b, bool explain, struct buf *out)
{
	for (int t = 0; t < EVENT_TYPES; t++) {
		const struct section *s = &b->section[t];

		if (!s->taken)
			continue;
		buf_printf(out, "## %s\n", SECTION[t].heading);
		for (size_t k = 0; k < s->n; k++) {
			const struct item *i = &s->item[k];

			if (!i->taken)
				continue;
			buf_add(out, str_head(i->line, i->line.n - 1));
			if (explain)
				utf8_show(out, i->why, UTF8_TEXT);
			buf_byte(out, '\n');
		}
		buf_byte(out, '\n');
	}
}

/* What fell out, and why. */
static void left_out(const struct brief *b, struct buf *out)
{
	bool any = false;

	for (int t = 0; t < EVENT_TYPES; t++) {
		const struct section *s = &b->section[t];

		if (s->active == s->taken)
			continue;
		if (!any)
			buf_add(out, STR("## Left out\n"));
		any = true;
		buf_printf(out, "- %s: %zu of %zu did not fit\n", SECTION[t].heading,
			   s->active - s->taken, s->active);
		for (size_t k = 0; k < s->n; k++)
			if (!s->item[k].taken) {
				buf_add(out, STR("  "));
				buf_add(out,
					str_head(s->item[k].line, s->item[k].line.n - 1));
				utf8_show(out, s->item[k].why, UTF8_TEXT);
				buf_byte(out, '\n');
			}
	}
	if (any)
		buf_byte(out, '\n');
}

static void trim_end(struct buf *out, size_t from)
{
	while (out->n > from && str_is_space(out->p[out->n - 1]))
		buf_cut(out, out->n - 1);
}

/* Nothing is known: of this project, maybe of one with a name like it. */
static void nothing(const struct brief *b, struct buf *out)
{
	char *near = NULL;

	buf_add(out, STR(NONE));
	near_projects(b->ix, b->o->project, &near, NULL);
	if (near) {
		buf_add(out, STR("\n\nProjects with a name like this one: "));
		utf8_show(out, str_of(near), UTF8_ONELINE);
		buf_byte(out, '.');
	}
	free(near);
}

static void render(const struct brief *b, str head, str block, bool explain,
		   struct buf *out, struct brief_figures *f)
{
	size_t from = out->n;

	totals(b, &f->kept, &f->dropped);
	if (b->o->quiet && !f->kept)
		return;
	buf_add(out, head);
	if (!f->kept && !f->dropped) {
		nothing(b, out);
		return;
	}
	sections(b, explain, out);
	if (f->kept)
		buf_add(out, block);
	if (f->dropped)
		foot(b, f->dropped, out);
	if (explain) {
		trim_end(out, from);
		buf_add(out, STR("\n\n"));
		left_out(b, out);
	}
	trim_end(out, from);
	buf_byte(out, '\n');
}

/* What it costs is counted on the plain form. */
static void render_both(const struct brief *b, str head, str block, struct buf *out,
			struct brief_figures *f)
{
	struct buf plain = BUF_INIT(BRIEF_OUT_MAX);

	render(b, head, block, false, &plain, f);
	f->tokens = brief_tokens(buf_str(&plain));
	if (b->o->explain)
		render(b, head, block, true, out, f);
	else
		buf_add(out, buf_str(&plain));
	buf_release(&plain);
}

static struct cost cap_of(const struct brief_options *o)
{
	int64_t tokens = o->tokens < 0 ? 0 : o->tokens;

	if (tokens > BRIEF_TOKENS_MAX)
		tokens = BRIEF_TOKENS_MAX;
	return (struct cost){(size_t)tokens * QUARTERS,
			     o->units_max ? o->units_max : SIZE_MAX / 2};
}

int brief_render(struct buf *out, struct index *ix, const struct brief_options *o,
		 struct brief_figures *f, struct err *e)
{
	struct brief b = {
		.o = o, .ix = ix, .e = e, .cap = cap_of(o), .last = BUF_INIT(256)};
	struct buf head = BUF_INIT(4096), block = BUF_INIT(BRIEF_OUT_MAX);
	char skip[BRIEF_SKIP][SESSIONNOTE_HEX + 2];
	struct brief_figures none;
	bool mine;
	int ret;

	arena_init(&b.arena, ARENA_BYTES);
	for (size_t k = 0; k < BRIEF_SKIP; k++)
		if (o->skip_session[k].n) {
			skip[k][0] = '_';
			sessionnote_hex(skip[k] + 1, o->skip_session[k]);
			b.skip[k] = str_of(skip[k]);
		}
	buf_add(&head, STR("# Hand-off brief \xE2\x80\x94 "));
	utf8_show(&head, o->project, UTF8_ONELINE);
	buf_add(&head, STR("\n\n"));
	ret = index_hold(ix, &mine, e);
	if (!ret)
		ret = collect(&b);
	if (!ret)
		ret = fill(&b, cost_of(buf_str(&head)), &block);
	if (!ret)
		render_both(&b, buf_str(&head), buf_str(&block), out, f ? f : &none);
	index_let_go(ix, mine);
	buf_release(&head);
	buf_release(&block);
	buf_release(&b.last);
	arena_release(&b.arena);
	return ret;
}
