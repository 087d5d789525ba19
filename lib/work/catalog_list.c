/* Sessions for people, as a table, and for programs, as JSON. */
#include "work/catalog_impl.h"

#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/utf8.h"
#include "data/json.h"
#include "work/title.h"

static int by_id(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t catalog_id_chars(const struct catalog *c)
{
	const char **id;
	size_t i, need = CATALOG_ID_CHARS;

	if (c->n < 2)
		return need;
	id = reallocarray(NULL, c->n, sizeof(*id));
	if (!id)
		log_oom();
	for (i = 0; i < c->n; i++)
		id[i] = c->item[i].id;
	qsort(id, c->n, sizeof(*id), by_id);
	for (i = 1; i < c->n; i++) {
		size_t same = 0;

		while (id[i][same] && id[i][same] == id[i - 1][same])
			same++;
		/* equal ones are one session in two folders: no length tells them apart */
		if (id[i][same] != id[i - 1][same] && same + 1 > need)
			need = same + 1;
	}
	free(id);
	return need;
}

enum column {
	COL_WHEN,
	COL_ID,
	COL_SIZE,
	COL_MSGS,
	COL_BRANCH,
	COL_ENDED,
	COL_PLACE,
	COL_TITLE,
	COLUMNS
};

static const struct {
	const char *head;
	size_t max; /* characters */
	bool right;
} columns[COLUMNS] = {
	[COL_WHEN] = {"WHEN (UTC)", 16, false},
	[COL_ID] = {"ID", 64, false},
	[COL_SIZE] = {"SIZE", 8, true},
	[COL_MSGS] = {"MSGS", 8, true},
	[COL_BRANCH] = {"BRANCH", 24, false},
	[COL_ENDED] = {"ENDED", 44, false},
	[COL_PLACE] = {"DIRECTORY", 40, false},
	[COL_TITLE] = {"TITLE", TITLE_CHARS + 1, false},
};

static void size_cell(struct buf *b, uint64_t bytes)
{
	static const char units[] = {'K', 'M', 'G', 'T', 'P'};
	double v = (double)bytes;
	size_t u = 0;

	if (bytes < 1000) {
		buf_u64(b, bytes);
		return;
	}
	for (v /= 1000; v >= 999.5 && u + 1 < sizeof(units); v /= 1000)
		u++;
	buf_printf(b, v < 9.95 ? "%.1f%c" : "%.0f%c", v, units[u]);
}

/* The directory below ~ where it is there; its end counts most. */
static void place_cell(struct buf *b, const char *cwd)
{
	const char *home = getenv("HOME");
	struct buf safe = BUF_INIT(4 * PATH_MAX);
	size_t n = home ? strlen(home) : 0;
	str s;

	if (n > 1 && strncmp(cwd, home, n) == 0 && (cwd[n] == '/' || !cwd[n])) {
		buf_byte(&safe, '~');
		cwd += n;
	}
	utf8_show(&safe, str_of(cwd), UTF8_ONELINE);
	s = utf8_tail(buf_str(&safe), columns[COL_PLACE].max - 1);
	if (s.n < safe.n)
		buf_add(b, STR("…"));
	buf_add(b, s);
	buf_release(&safe);
}

static void cell(const struct catalog_item *it, enum column col, size_t id_chars,
		 struct buf *b)
{
	char at[CLOCK_ISO_BYTES];

	switch (col) {
	case COL_WHEN:
		clock_iso(at, catalog_activity(it));
		buf_printf(b, "%.10s %.5s", at, strlen(at) > 11 ? at + 11 : "");
		break;
	case COL_ID:
		utf8_show(b, str_head(str_of(it->id), id_chars), UTF8_ONELINE);
		break;
	case COL_SIZE:
		size_cell(b, it->size);
		break;
	case COL_MSGS:
		if (it->g.messages >= 0)
			buf_u64(b, (uint64_t)it->g.messages);
		break;
	case COL_BRANCH:
		buf_add(b, str_of(it->g.branch));
		break;
	case COL_ENDED:
		buf_add(b, str_of(it->g.reason));
		break;
	case COL_PLACE:
		place_cell(b, it->g.cwd);
		break;
	case COL_TITLE:
		buf_add(b, str_of(it->g.title));
		break;
	case COLUMNS:
		break;
	}
}

/* The first `max` characters, the last of them an ellipsis if it was cut; returns how many. */
static size_t fit(struct buf *b, size_t max)
{
	size_t at = 0, before = 0, n = 0, len;
	uint32_t cp;

	while (n < max && (len = utf8_next(str_from(buf_str(b), at), &cp)) > 0) {
		before = at;
		at += len;
		n++;
	}
	if (at < b->n) {
		buf_cut(b, before);
		buf_add(b, STR("…"));
	}
	return n;
}

static void put(struct out *o, struct buf *text, enum column col, size_t width)
{
	size_t n = fit(text, columns[col].max), pad = width > n ? width - n : 0;

	if (col != COL_WHEN)
		out_add(o, STR("  "));
	if (columns[col].right)
		buf_fill(&o->b, ' ', pad);
	out_add(o, buf_str(text));
	if (!columns[col].right && col != COL_TITLE)
		buf_fill(&o->b, ' ', pad);
}

void catalog_list(const struct catalog *c, bool places, struct out *o)
{
	struct buf text = BUF_INIT(4 * PATH_MAX);
	size_t width[COLUMNS], i, id_chars = catalog_id_chars(c);
	int col;

	if (!c->n)
		return;
	for (col = 0; col < COLUMNS; col++) {
		width[col] = strlen(columns[col].head);
		for (i = 0; i < c->n && col != COL_TITLE; i++) {
			size_t n;

			buf_reset(&text);
			cell(&c->item[i], (enum column)col, id_chars, &text);
			n = fit(&text, columns[col].max);
			if (n > width[col])
				width[col] = n;
		}
	}
	for (i = 0; i <= c->n; i++) {
		for (col = 0; col < COLUMNS; col++) {
			if (col == COL_PLACE && !places)
				continue;
			buf_reset(&text);
			if (i == 0)
				buf_add(&text, str_of(columns[col].head));
			else
				cell(&c->item[i - 1], (enum column)col, id_chars, &text);
			put(o, &text, (enum column)col, width[col]);
		}
		out_add(o, STR("\n"));
	}
	buf_release(&text);
}

static void json_time(struct buf *out, const char *key, int64_t ms)
{
	char at[CLOCK_ISO_BYTES];

	json_add_key(out, key);
	if (ms == CLOCK_NONE) {
		buf_add(out, STR("null"));
		return;
	}
	clock_iso(at, ms);
	json_add_str(out, str_of(at));
}

static void json_count(struct buf *out, const char *key, int64_t n)
{
	json_add_key(out, key);
	if (n < 0)
		buf_add(out, STR("null"));
	else
		buf_u64(out, (uint64_t)n);
}

static void json_str(struct buf *out, const char *key, const char *s)
{
	json_add_key(out, key);
	json_add_str(out, str_of(s));
}

static void item_json(const struct catalog_item *it, struct buf *out)
{
	buf_byte(out, '{');
	json_str(out, "id", it->id);
	json_str(out, "path", it->path);
	json_str(out, "cwd", it->g.cwd);
	json_str(out, "branch", it->g.branch);
	json_str(out, "title", it->g.title);
	json_str(out, "version", it->g.version);
	json_time(out, "started", it->g.started);
	json_time(out, "ended", catalog_activity(it));
	json_count(out, "bytes", (int64_t)it->size);
	json_count(out, "records", it->g.records);
	json_count(out, "messages", it->g.messages);
	json_count(out, "prompts", it->g.prompts);
	json_str(out, "ending", ending_name(it->g.kind));
	json_add_key(out, "dead");
	buf_add(out, it->g.dead ? STR("true") : STR("false"));
	json_str(out, "reason", it->g.reason);
	json_str(out, "evidence", it->g.evidence);
	json_count(out, "pid", it->running_pid ? it->running_pid : -1);
	buf_byte(out, '}');
}

void catalog_list_json(const struct catalog *c, struct out *o)
{
	size_t i;

	out_add(o, STR("{\"format\":1,\"sessions\":["));
	for (i = 0; i < c->n; i++) {
		if (i)
			out_add(o, STR(","));
		out_add(o, STR("\n"));
		item_json(&c->item[i], &o->b);
		out_step(o);
	}
	out_printf(o, "\n],\"others\":%zu,\"empty\":%zu,\"skipped\":%zu}\n", c->others,
		   c->empty, c->skipped);
}
