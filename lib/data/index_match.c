/*
 * Ranked matching, in two passes.
 *
 * The first walks the rows in which any word of the question occurs (the project is a word
 * like the others, ANDed, so the cost follows the rows of the project that match) and gives each
 * a rough score: inverse document frequency times saturated term frequency, no length. It runs
 * inside FTS5 as an auxiliary function and keeps 16 bytes a row.
 *
 * The second (index_rank.c) reads the best of them and what stands beside them in their notes.
 *
 * How common a word is, is counted where it has few rows and estimated from windows over the
 * row numbers where it has many. Where all words together promise more than MATCH_ROWS rows,
 * the rare ones lead: rows with common words alone are passed over, and the count is a lower
 * bound (stats.cut).
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/oom.h"
#include "data/index_impl.h"

#define MATCH_ROWS 150000 /* rows of the first pass that may be expected */
#define MATCH_OVER 3      /* times that it ends at, whatever was expected */
#define PROBE_HITS 1000   /* up to so many rows a word is counted, not estimated */
#define NEARLY_ALL                                                                       \
	0.9 /* of all rows: a word that stands in so many tells nothing of one */
#define PROBE_WINDOW 8
#define PROBE_EACH   150
#define EXPR_MAX     (16u << 10)
#define EXTRA_WEIGHT 0.5
#define ID_MIN                                                                           \
	7 /* bytes of a beginning of an id that is looked up: "ev_" and four more */

/* ---- the first pass ---- */

struct match_run {
	struct index_match *m;
	bool ready;
};

static void add_row(struct index_match *m, int64_t row, float score)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 1024;
		m->row = realloc(m->row, m->cap * sizeof(*m->row));
		if (!m->row)
			oom();
	}
	m->row[m->n++] = (struct index_match_row){row, score};
}

/* How much an occurrence says: less where the word stands in many rows. */
static double weigh(double rows, double df)
{
	if (df > rows)
		df = rows;
	return log(1 + (rows - df + 0.5) / (df + 0.5));
}

static void make_ready(struct match_run *r, const Fts5ExtensionApi *api, Fts5Context *fts)
{
	struct index_match *m = r->m;
	sqlite3_int64 rows = 0, total = 0;

	r->ready = true;
	if (api->xRowCount(fts, &rows) || api->xColumnTotalSize(fts, 0, &total) ||
	    rows < 1)
		rows = 1;
	m->average = (double)total / (double)rows;
	if (m->average < 1)
		m->average = 1;
	for (size_t i = 0; i < m->t.n; i++)
		m->idf[i] = m->t.term[i].weight * weigh((double)rows, m->df[i]);
}

/* handoff_match(words, pointer): the score of the current row goes into the run. */
static void on_row(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *ctx,
		   int n, sqlite3_value **value)
{
	struct match_run *r =
		n == 1 ? sqlite3_value_pointer(value[0], "handoff_run") : NULL;
	struct index_match *m;
	double tf[INDEX_TERMS_MAX], score = 0;
	uint32_t there = 0;

	if (!r) {
		sqlite3_result_error(ctx, "handoff_match is not for you", -1);
		return;
	}
	if (!r->ready)
		make_ready(r, api, fts);
	m = r->m;
	m->matched++;
	if (!index_range_has(&m->range, api->xRowid(fts)))
		return;
	for (size_t k = 0; k < m->nlead; k++) {
		Fts5PhraseIter it;
		int col, off;

		tf[k] = 0;
		api->xPhraseFirst(fts, (int)k, &it, &col, &off);
		for (; col >= 0; api->xPhraseNext(fts, &it, &col, &off))
			tf[k] += col == 0 ? 1 : EXTRA_WEIGHT;
		if (tf[k] > 0)
			there |= UINT32_C(1) << m->lead[k];
	}
	for (size_t k = 0; k < m->nlead; k++)
		if (tf[k] > 0)
			score += index_apart(&m->t.term[m->lead[k]], there) *
				 m->idf[m->lead[k]] * tf[k] * (INDEX_RANK_K1 + 1) /
				 (tf[k] + INDEX_RANK_K1);
	if (m->t.name >= 0 && there >> m->t.name & 1)
		score += INDEX_NAME_BONUS;
	add_row(m, api->xRowid(fts), (float)score);
}

int index_match_register(fts5_api *api)
{
	return api->xCreateFunction(api, "handoff_match", NULL, on_row, NULL);
}

/* ---- expressions ---- */

static void add_project(struct buf *b, const char *op, int64_t project)
{
	if (project)
		buf_printf(b, " %s proj : \"%lld\"", op, (long long)project);
}

static void expression(const struct index_match *m, const char *op, struct buf *b)
{
	buf_byte(b, '(');
	for (size_t k = 0; k < m->nlead; k++) {
		if (k)
			buf_add(b, STR(" OR "));
		index_terms_word(b, &m->t.term[m->lead[k]]);
	}
	buf_byte(b, ')');
	add_project(b, op, m->project);
}

/* ---- how common the words are ---- */

struct span {
	int64_t first, last;
};

int index_last_row(struct index *ix, int64_t *last, struct err *e)
{
	static const char sql[] = "SELECT max(id) FROM item";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	*last = 0;
	if (ret)
		return ret;
	ret = index_step(ix, st, e);
	if (ret > 0)
		*last = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return ret < 0 ? ret : 0;
}

static int row_span(struct index *ix, struct span *s, struct err *e)
{
	static const char sql[] =
		"SELECT (SELECT min(id) FROM item), (SELECT max(id) FROM item)";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	*s = (struct span){0, -1};
	if (ret)
		return ret;
	ret = index_step(ix, st, e);
	if (ret > 0 && sqlite3_column_type(st, 0) != SQLITE_NULL)
		*s = (struct span){sqlite3_column_int64(st, 0),
				   sqlite3_column_int64(st, 1)};
	sqlite3_reset(st);
	return ret < 0 ? ret : 0;
}

static int estimate(struct index *ix, str match, struct span s, double *df, struct err *e)
{
	int64_t width = (s.last - s.first) / PROBE_WINDOW + 1, last;
	int hits, ret = index_probe(ix, match, s.first, s.last, PROBE_HITS, &hits, &last,
				    e);

	*df = hits;
	if (ret || hits < PROBE_HITS)
		return ret;
	*df = 0;
	for (int i = 0; i < PROBE_WINDOW && !ret; i++) {
		struct span w = {s.first + i * width, s.first + (i + 1) * width - 1};

		ret = index_probe(ix, match, w.first, w.last, PROBE_EACH, &hits, &last,
				  e);
		*df += (double)hits * (double)width / (double)(last - w.first + 1);
	}
	if (*df < PROBE_HITS)
		*df = PROBE_HITS;
	return ret;
}

static int frequencies(struct index *ix, struct index_match *m, struct span s,
		       struct err *e)
{
	struct buf b = BUF_INIT(EXPR_MAX);
	int ret = 0;

	for (size_t i = 0; i < m->t.n && !ret; i++) {
		buf_reset(&b);
		index_terms_word(&b, &m->t.term[i]);
		ret = estimate(ix, buf_str(&b), s, &m->df[i], e);
	}
	buf_release(&b);
	return ret;
}

/* The share of all rows that is the project's. */
static int share(struct index *ix, const struct index_match *m, struct span s,
		 double *part, struct err *e)
{
	struct buf b = BUF_INIT(64);
	double rows;
	int ret;

	*part = 1;
	if (!m->project)
		return 0;
	buf_printf(&b, "proj : \"%lld\"", (long long)m->project);
	ret = estimate(ix, buf_str(&b), s, &rows, e);
	*part = rows / (double)(s.last - s.first + 1);
	buf_release(&b);
	return ret;
}

static int by_df(const struct index_match *m, unsigned char a, unsigned char b)
{
	return m->df[a] < m->df[b] ? -1 : m->df[a] > m->df[b];
}

/* Rows in which the words stand, all together. */
static double all_rows(const struct index_match *m)
{
	double rows = 0;

	for (size_t i = 0; i < m->t.n; i++)
		rows += m->df[i];
	return rows;
}

/*
 * The words that lead: all of them, or the rarest ones whose rows are few enough. Once rarer ones
 * promise plenty, rows that have nothing but words of nearly every row are not worth a look.
 */
static void choose(struct index_match *m, double part, double all)
{
	double rows = 0, nearly = NEARLY_ALL * all;

	for (size_t i = 0; i < m->t.n; i++) {
		size_t k = i;

		for (; k && by_df(m, (unsigned char)i, m->lead[k - 1]) < 0; k--)
			m->lead[k] = m->lead[k - 1];
		m->lead[k] = (unsigned char)i;
	}
	for (m->nlead = 0; m->nlead < m->t.n; m->nlead++) {
		double df = m->df[m->lead[m->nlead]];

		if (rows >= PROBE_HITS && df > nearly &&
		    m->df[m->lead[m->nlead - 1]] <= nearly)
			break;
		rows += df * part;
		if (m->nlead && rows > m->rows_max)
			break;
	}
	m->cut = m->nlead < m->t.n;
}

/* ---- running ---- */

static int walk(struct index *ix, struct index_match *m, struct err *e)
{
	static const char sql[] =
		"SELECT handoff_match(words, ?2) FROM words WHERE words MATCH ?1";
	struct match_run run = {.m = m};
	struct buf b = BUF_INIT(EXPR_MAX);
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (!ret) {
		expression(m, "AND", &b);
		assert(!b.full);
		index_bind(st, 1, buf_str(&b));
		sqlite3_bind_pointer(st, 2, &run, "handoff_run", NULL);
		while (m->matched < m->rows_max * MATCH_OVER &&
		       (ret = index_step(ix, st, e)) > 0)
			;
		m->cut = m->cut || ret > 0;
		ret = ret < 0 ? ret : 0;
		sqlite3_reset(st);
		sqlite3_bind_null(st, 2);
	}
	buf_release(&b);
	return ret;
}

static void init(struct index_match *m, const struct index_query *q)
{
	*m = (struct index_match){
		.q = q, .t.name = -1, .rows_max = q->rows_max ? q->rows_max : MATCH_ROWS};
}

static void release(struct index_match *m)
{
	free(m->row);
	index_range_release(&m->range);
}

/* Whether no other project has anything here: then its rows need not be told from others. */
static int is_alone(struct index *ix, int64_t project, bool *alone, struct err *e)
{
	static const char sql[] = "SELECT (SELECT min(project) FROM file) = ?1 AND "
				  "(SELECT max(project) FROM file) = ?1";
	sqlite3_stmt *st;
	int ret = index_stmt(ix, sql, &st, e);

	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, project);
	ret = index_step(ix, st, e);
	*alone = ret > 0 && sqlite3_column_int(st, 0);
	sqlite3_reset(st);
	return ret < 0 ? ret : 0;
}

/* ---- ids in the question ---- */

struct named {
	struct index_match *m;
	str outside; /* count those that are not of this project, instead of keeping them */
	size_t n;
};

static int on_named(const struct index_item *it, enum vault_folder folder, str file,
		    void *arg)
{
	struct named *n = arg;
	struct index_match *m = n->m;

	(void)folder;
	(void)file;
	for (size_t i = 0; i < m->nnamed; i++)
		if (m->named[i] == it->row)
			return 0;
	n->n += !str_eq(it->project, n->outside);
	m->named[m->nnamed++] = it->row;
	return 0;
}

/* Without the quotes, brackets and full stops around it. */
static str bare_id(str word)
{
	while (word.n && !str_is_alnum(word.p[0]))
		word = str_from(word, 1);
	while (word.n && !str_is_alnum(word.p[word.n - 1]))
		word.n--;
	return word;
}

/* The events whose ids stand in the question: whoever gives one means it. */
static int find_named(struct index *ix, struct named *n, str text, struct err *e)
{
	str rest = str_head(text, INDEX_TEXT_MAX), word;
	int ret = 0;

	while (!ret && n->m->nnamed < INDEX_NAMED_MAX && str_word(&rest, &word)) {
		word = bare_id(word);
		if (!str_starts(word, STR("ev_")) || word.n < ID_MIN ||
		    !event_id_ok(word))
			continue;
		ret = index_event(ix, word, on_named, n, NULL);
		if (ret == HF_ENOTFOUND || ret == HF_EAMBIGUOUS)
			ret = 0;
	}
	return ret ? err_set(e, ret, "the index cannot be asked for an event") : 0;
}

/* What is not known as a name here is no name: its parts say what they say. */
static void forget_names(struct index_match *m)
{
	uint32_t there = 0;

	for (size_t i = 0; i < m->t.n; i++)
		if (m->df[i] > 0)
			there |= UINT32_C(1) << i;
	for (size_t i = 0; i < m->t.n; i++)
		m->t.term[i].wholes &= there;
	if (m->t.name >= 0 && !(there >> m->t.name & 1))
		m->t.name = -1;
}

/* The rows of the first pass. */
static int collect(struct index *ix, struct index_match *m, struct err *e)
{
	struct span s;
	double part = 1;
	bool alone;
	int ret;

	if (m->q->project.n) {
		ret = index_project_id(ix, m->q->project, false, &m->project, e);
		if (ret || !m->project)
			return ret;
		ret = is_alone(ix, m->project, &alone, e);
		if (ret)
			return ret;
		if (alone)
			m->project = 0;
	}
	ret = row_span(ix, &s, e);
	if (ret || s.last < s.first)
		return ret;
	ret = index_terms_of(ix, m->q->text, false, m->project, &m->t, e);
	if (ret || !m->t.n)
		return ret;
	ret = index_range_of(&m->range, ix, m->q, e);
	if (!ret)
		ret = frequencies(ix, m, s, e);
	if (!ret && all_rows(m) > m->rows_max)
		ret = share(ix, m, s, &part, e);
	if (ret)
		return ret;
	forget_names(m);
	choose(m, part, (double)(s.last - s.first + 1));
	return walk(ix, m, e);
}

int index_match(struct index *ix, const struct index_query *q,
		int (*fn)(const struct index_item *it, double score, void *arg),
		void *arg, struct index_stats *stats, struct err *e)
{
	struct index_match m;
	struct named named = {.m = &m};
	bool mine;
	int ret = index_hold(ix, &mine, e);

	init(&m, q);
	if (!ret)
		ret = find_named(ix, &named, q->text, e);
	if (!ret)
		ret = collect(ix, &m, e);
	if (!ret && (m.n || m.nnamed))
		ret = index_rank(ix, &m, fn, arg, e);
	index_let_go(ix, mine);
	if (stats)
		*stats = (struct index_stats){.matched = m.matched,
					      .cut = m.cut,
					      .asked = m.t.asked,
					      .used = m.t.n};
	release(&m);
	return ret;
}

int index_elsewhere(struct index *ix, str text, str project, size_t max, size_t *hits,
		    struct err *e)
{
	struct index_query q = {.text = text, .type = -1};
	struct buf b = BUF_INIT(EXPR_MAX);
	struct index_match m;
	struct named named = {.m = &m, .outside = project};
	struct span s;
	int ret, n = 0;
	int64_t last;

	*hits = 0;
	init(&m, &q);
	ret = row_span(ix, &s, e);
	if (!ret && project.n)
		ret = index_project_id(ix, project, false, &m.project, e);
	if (!ret)
		ret = find_named(ix, &named, text, e);
	if (!ret)
		ret = index_terms_of(ix, text, false, 0, &m.t, e);
	if (!ret && m.t.n && s.last >= s.first) {
		for (m.nlead = 0; m.nlead < m.t.n; m.nlead++)
			m.lead[m.nlead] = (unsigned char)m.nlead;
		expression(&m, "NOT", &b);
		ret = index_probe(ix, buf_str(&b), s.first, s.last, (int)max, &n, &last,
				  e);
	}
	*hits = (size_t)n + named.n < max ? (size_t)n + named.n : max;
	buf_release(&b);
	release(&m);
	return ret;
}
