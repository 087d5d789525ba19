/*
 * A document is one file; its status is a line in it. Moving to the archive is two steps,
 * each atomic: the status is rewritten in place, then the file is renamed. A crash between
 * them leaves a consumed document in handoffs/, which is offered to nobody and is moved
 * the next time anything is archived.
 */
#include "work/docs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/oom.h"
#include "data/note.h"
#include "data/pack.h"

#define PACKED       ".md.zst"
#define PLAIN        ".md"
#define PACK_MAX     4    /* documents packed at once: a hook has little time */
#define STAMP_BYTES  16   /* 20260715T103000Z */
#define NAMES_MAX    1000 /* of one session and second */
#define SESSION_HEAD 8

static const char *const STATUS[] = {
	[DOCS_LIVE] = "live",
	[DOCS_PENDING] = "pending",
	[DOCS_CLAIMED] = "claimed",
	[DOCS_CONSUMED] = "consumed",
	[DOCS_SUPERSEDED] = "superseded",
};
#define STATUSES (sizeof(STATUS) / sizeof(STATUS[0]))

const char *docs_status_name(enum docs_status s)
{
	return (size_t)s < STATUSES ? STATUS[s] : "odd";
}

static enum docs_status status_of(str name)
{
	if (!name.n)
		return DOCS_PENDING;
	for (size_t i = 0; i < STATUSES; i++)
		if (str_eq(name, str_of(STATUS[i])))
			return (enum docs_status)i;
	return DOCS_ODD;
}

static enum handoff_kind kind_of(str name)
{
	if (str_eq(name, STR("auto")))
		return HANDOFF_AUTO;
	if (str_eq(name, STR("recovered")))
		return HANDOFF_RECOVERED;
	return HANDOFF_MANUAL;
}

/* ---- reading ---- */

static char *value_of(const struct note *n, const char *key)
{
	struct buf b = BUF_INIT(HANDOFF_DOC_MAX);

	note_value(n, key, &b);
	return buf_take(&b);
}

static enum docs_status note_status(const struct note *n)
{
	char *word = value_of(n, "status");
	enum docs_status s = status_of(str_of(word));

	free(word);
	return s;
}

static enum handoff_kind note_kind(const struct note *n)
{
	char *word = value_of(n, "kind");
	enum handoff_kind k = kind_of(str_of(word));

	free(word);
	return k;
}

static bool is_document(const struct note *n)
{
	char *type = value_of(n, "type");
	bool yes = str_eq(str_of(type), STR("handoff"));

	free(type);
	return yes;
}

void docs_item_release(struct docs_item *it)
{
	free(it->session);
	free(it->claimed_by);
	free(it->worktree);
	free(it->branch);
	free(it->head);
	free(it->title);
	free(it->created);
	free(it->text);
	*it = (struct docs_item){0};
}

/* One that was written by hand, with a title and no front matter. */
static bool is_plain(const struct note *n)
{
	return str_starts(n->title, STR("Handoff:"));
}

/* Fill it from text, which it takes. False (nothing taken) when that is no document. */
static bool item_fill(struct docs_item *it, str name, struct buf *text, bool archived,
		      bool plain)
{
	struct note n;
	str title;

	note_parse(&n, buf_str(text));
	if (!is_document(&n) && !(plain && is_plain(&n)))
		return false;
	*it = (struct docs_item){
		.status = note_status(&n),
		.kind = note_kind(&n),
		.session = value_of(&n, "source_session"),
		.claimed_by = value_of(&n, "claimed_by"),
		.worktree = value_of(&n, "worktree"),
		.branch = value_of(&n, "branch"),
		.head = value_of(&n, "head"),
		.created = value_of(&n, "created"),
		.archived = archived,
	};
	title = n.title;
	if (str_starts(title, STR("Handoff:")))
		title = str_trim(str_from(title, 8));
	it->title = str_dup(title);
	snprintf(it->name, sizeof(it->name), "%.*s", STR_ARG(name));
	it->size = text->n;
	it->text = buf_take(text);
	return true;
}

bool docs_item_of(struct docs_item *it, str name, str text)
{
	struct buf copy = BUF_INIT(HANDOFF_DOC_MAX);
	bool ok;

	*it = (struct docs_item){0};
	buf_add(&copy, text);
	ok = !copy.full && item_fill(it, name, &copy, false, true);
	buf_release(&copy);
	return ok;
}

struct names {
	char (*name)[DOCS_NAME_MAX];
	size_t n, cap, odd;
	bool ours_only; /* leave out names that docs_name would not give */
};

static bool name_is_ours(str s)
{
	static const char SHAPE[] = "ddddddddTddddddZ_";

	if (s.n < sizeof(SHAPE))
		return false;
	for (size_t i = 0; i + 1 < sizeof(SHAPE); i++)
		if (SHAPE[i] == 'd' ? !str_is_digit(s.p[i]) : s.p[i] != SHAPE[i])
			return false;
	return true;
}

static int add_name(const char *name, void *arg)
{
	struct names *l = arg;

	if (l->ours_only && !name_is_ours(str_of(name)))
		return 0;
	if (strlen(name) >= DOCS_NAME_MAX) {
		l->odd++;
		return 0;
	}
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 32;
		l->name = realloc(l->name, l->cap * sizeof(l->name[0]));
		if (!l->name)
			oom();
	}
	snprintf(l->name[l->n++], DOCS_NAME_MAX, "%s", name);
	return 0;
}

static int unpack_name(str name, struct buf *raw, struct buf *text, struct err *e)
{
	if (!str_ends(name, STR(PACKED))) {
		buf_add(text, buf_str(raw));
		return 0;
	}
	return pack_unpack_text(buf_str(raw), text, e);
}

/* One file into text; a reason to leave it out is no failure of the whole. */
static bool read_text(const struct vault *v, enum vault_folder f, str project, str name,
		      struct buf *text)
{
	struct buf raw = BUF_INIT(HANDOFF_DOC_MAX);
	bool ok = vault_read(v, f, project, name, &raw, NULL) == 0 &&
		  unpack_name(name, &raw, text, NULL) == 0 && !text->full;

	buf_release(&raw);
	return ok;
}

/* The newest `max` documents of a folder are added to d. */
static int load_folder(struct docs *d, const struct vault *v, str project,
		       enum vault_folder f, const char *suffix, size_t max, size_t *bytes,
		       struct err *e)
{
	struct names l = {.ours_only = f == VAULT_ARCHIVE};
	int ret = vault_each(v, f, project, suffix, add_name, &l, e);
	size_t first = l.n > max ? l.n - max : 0;

	d->odd += l.odd;
	if (l.n > first) {
		d->item = realloc(d->item, (d->n + l.n - first) * sizeof(d->item[0]));
		if (!d->item)
			oom();
	}
	for (size_t i = l.n; i-- > first;) {
		struct buf text = BUF_INIT(HANDOFF_DOC_MAX);
		str name = str_of(l.name[i]);

		if (*bytes < DOCS_BYTES_MAX && read_text(v, f, project, name, &text) &&
		    item_fill(&d->item[d->n], name, &text, f == VAULT_ARCHIVE, false))
			*bytes += d->item[d->n++].size;
		else
			d->odd++;
		buf_release(&text);
	}
	free(l.name);
	return ret;
}

static int newest_first(const void *a, const void *b)
{
	const struct docs_item *x = a, *y = b;
	int c = strcmp(y->name, x->name);

	return c ? c : (int)x->archived - (int)y->archived;
}

int docs_load_newest(struct docs *d, const struct vault *v, str project, size_t max,
		     struct err *e)
{
	size_t bytes = 0;
	int ret;

	*d = (struct docs){0};
	ret = load_folder(d, v, project, VAULT_HANDOFFS, PLAIN, max, &bytes, e);
	if (ret)
		docs_release(d);
	return ret;
}

int docs_load(struct docs *d, const struct vault *v, str project, bool archived,
	      struct err *e)
{
	size_t bytes = 0;
	int ret;

	*d = (struct docs){0};
	ret = load_folder(d, v, project, VAULT_HANDOFFS, PLAIN, DOCS_MAX, &bytes, e);
	if (archived && !ret)
		ret = load_folder(d, v, project, VAULT_ARCHIVE, PLAIN, DOCS_MAX, &bytes,
				  e);
	if (archived && !ret)
		ret = load_folder(d, v, project, VAULT_ARCHIVE, PACKED, DOCS_MAX, &bytes,
				  e);
	if (ret) {
		docs_release(d);
		return ret;
	}
	if (d->n)
		qsort(d->item, d->n, sizeof(d->item[0]), newest_first);
	return 0;
}

void docs_release(struct docs *d)
{
	for (size_t i = 0; i < d->n; i++)
		docs_item_release(&d->item[i]);
	free(d->item);
	*d = (struct docs){0};
}

const struct docs_item *docs_of_session(const struct docs *d, str session)
{
	for (size_t i = 0; i < d->n; i++)
		if (!d->item[i].archived && str_eq(str_of(d->item[i].session), session))
			return &d->item[i];
	return NULL;
}

const struct docs_item *docs_named(const struct docs *d, str name)
{
	for (size_t i = 0; i < d->n; i++)
		if (str_eq(str_of(d->item[i].name), name))
			return &d->item[i];
	return NULL;
}

/* When it was made: its `created`, else the time in its name; CLOCK_NONE. */
static int64_t made_at(const struct docs_item *it)
{
	char iso[CLOCK_ISO_BYTES];
	const char *s = it->name;
	int64_t at;

	if (clock_parse(str_of(it->created), &at) || !name_is_ours(str_of(it->name)))
		return at;
	snprintf(iso, sizeof(iso), "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", s, s + 4, s + 6,
		 s + 9, s + 11, s + 13);
	clock_parse(str_of(iso), &at);
	return at;
}

const struct docs_item *docs_offer(const struct docs *d, str worktree)
{
	return docs_offer_to(d, worktree, STR_NONE);
}

const struct docs_item *docs_offer_to(const struct docs *d, str worktree, str session)
{
	const struct docs_item *best = NULL;

	for (size_t i = 0; i < d->n; i++) {
		const struct docs_item *it = &d->item[i];

		if (it->archived || it->status != DOCS_PENDING ||
		    (session.n && str_eq(str_of(it->session), session)) ||
		    (it->worktree[0] && !str_eq(str_of(it->worktree), worktree)))
			continue;
		if (!best || made_at(it) > made_at(best))
			best = it;
	}
	return best;
}

int docs_read(const struct vault *v, str project, str name, struct buf *text,
	      struct err *e)
{
	struct buf packed = BUF_INIT(DOCS_NAME_MAX + 8);
	int ret = HF_ENOTFOUND;

	buf_add(&packed, name);
	buf_add(&packed, STR(".zst"));
	if (!read_text(v, VAULT_HANDOFFS, project, name, text) &&
	    !read_text(v, VAULT_ARCHIVE, project, name, text) &&
	    !read_text(v, VAULT_ARCHIVE, project, buf_str(&packed), text))
		err_set(e, ret, "%.*s: no such document in %.*s", STR_ARG(name),
			STR_ARG(project));
	else
		ret = 0;
	buf_release(&packed);
	return ret;
}

int docs_get(const struct vault *v, str project, str name, struct docs_item *it,
	     struct err *e)
{
	struct buf file = BUF_INIT(DOCS_NAME_MAX), text = BUF_INIT(HANDOFF_DOC_MAX);
	int ret = HF_ENOTFOUND;

	*it = (struct docs_item){0};
	buf_add(&file, name);
	if (!str_ends(name, STR(PLAIN)))
		buf_add(&file, STR(PLAIN));
	if (file.full || docs_read(v, project, buf_str(&file), &text, NULL) ||
	    !item_fill(it, buf_str(&file), &text, false, false))
		err_set(e, ret, "%.*s: no such document in %.*s", STR_ARG(name),
			STR_ARG(project));
	else
		ret = 0;
	buf_release(&file);
	buf_release(&text);
	return ret;
}

static int name_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

int docs_names(const struct vault *v, str project, bool archived,
	       int (*fn)(const char *name, void *arg), void *arg, struct err *e)
{
	enum vault_folder f = archived ? VAULT_ARCHIVE : VAULT_HANDOFFS;
	struct names l = {.ours_only = archived};
	int ret = vault_each(v, f, project, PLAIN, add_name, &l, e);

	if (!ret && archived)
		ret = vault_each(v, f, project, PACKED, add_name, &l, e);
	for (size_t i = 0; i < l.n; i++)
		if (str_ends(str_of(l.name[i]), STR(PACKED)))
			l.name[i][strlen(l.name[i]) - strlen(PACKED) + strlen(PLAIN)] = 0;
	if (l.n)
		qsort(l.name, l.n, sizeof(l.name[0]), name_order);
	for (size_t i = 0; i < l.n && !ret; i++)
		if (!i || strcmp(l.name[i], l.name[i - 1]))
			ret = fn(l.name[i], arg);
	free(l.name);
	return ret;
}

/* ---- writing ---- */

static bool is_taken(const struct vault *v, str project, str name)
{
	static const struct {
		enum vault_folder folder;
		const char *end;
	} PLACE[] = {{VAULT_HANDOFFS, ""}, {VAULT_ARCHIVE, ""}, {VAULT_ARCHIVE, ".zst"}};
	bool taken = false;

	for (size_t i = 0; i < sizeof(PLACE) / sizeof(*PLACE) && !taken; i++) {
		struct buf file = BUF_INIT(DOCS_NAME_MAX + 8), path = BUF_INIT(PATH_MAX);
		struct stat st;

		buf_add(&file, name);
		buf_add(&file, str_of(PLACE[i].end));
		taken = vault_path(v, PLACE[i].folder, project, buf_str(&file), &path) &&
			io.lstat(buf_cstr(&path), &st) == 0;
		buf_release(&file);
		buf_release(&path);
	}
	return taken;
}

void docs_name(struct buf *b, const struct vault *v, str project, int64_t at, str session)
{
	size_t from = b->n, stem;
	char iso[CLOCK_ISO_BYTES];

	clock_iso_s(iso, at); /* 2026-07-15T10:30:00Z */
	for (const char *p = iso; *p; p++)
		if (*p != '-' && *p != ':')
			buf_byte(b, *p);
	buf_byte(b, '_');
	buf_add(b, str_head(session, SESSION_HEAD));
	stem = b->n;
	buf_add(b, STR(PLAIN));
	for (unsigned i = 2;
	     i <= NAMES_MAX && is_taken(v, project, str_from(buf_str(b), from)); i++) {
		buf_cut(b, stem);
		buf_printf(b, "_%u%s", i, PLAIN);
	}
}

/* Whether line is `key: ...`. */
static bool is_field(str line, str key)
{
	line = str_trim_right(line);
	return str_starts(line, key) && line.n > key.n && line.p[key.n] == ':';
}

static void put_field(struct buf *out, const char *key, str value, str end)
{
	buf_printf(out, "%s: %.*s%.*s", key, STR_ARG(value), STR_ARG(end));
}

void docs_with_status(struct buf *out, str text, enum docs_status s, str claimed_by)
{
	str rest = text, line, status = str_of(docs_status_name(s)), end = STR("\n");
	bool had_status = false, had_claim = false, first = true;
	str owner = claimed_by.n ? claimed_by : STR("null");
	struct note n;

	note_parse(&n, text);
	if (!n.nfields) {
		buf_add(out, text);
		return;
	}
	for (;;) {
		const char *at = rest.p;

		if (!str_line(&rest, &line))
			break;
		if (rest.p - at >= 2 && rest.p[-1] == '\n')
			end = rest.p[-2] == '\r' ? STR("\r\n") : STR("\n");
		if (!first && str_eq(str_trim_right(line), STR("---"))) {
			if (!had_status)
				put_field(out, "status", status, end);
			if (!had_claim)
				put_field(out, "claimed_by", owner, end);
			buf_add(out, (str){at, (size_t)(text.p + text.n - at)});
			return;
		}
		if (!first && is_field(line, STR("status")) && !had_status) {
			put_field(out, "status", status, end);
			had_status = true;
		} else if (!first && is_field(line, STR("claimed_by")) && !had_claim) {
			put_field(out, "claimed_by", owner, end);
			had_claim = true;
		} else {
			buf_add(out, (str){at, (size_t)(rest.p - at)});
		}
		first = false;
	}
}

void docs_with_field(struct buf *out, str text, const char *key, str value)
{
	str rest = text, line;
	struct note n;
	bool first = true, put = false;

	note_parse(&n, text);
	while (str_line(&rest, &line)) {
		str whole = {line.p, (size_t)(rest.p - line.p)};

		if (!put && !first && line.p < n.body.p && is_field(line, str_of(key))) {
			note_add_field(out, key, value);
			put = true;
		} else {
			buf_add(out, whole);
		}
		first = false;
	}
}

/* The lock, unless the caller has it; *mine says whether to give it back. */
static int take_lock(struct vault *v, bool *mine, struct err *e)
{
	*mine = v->lock < 0;
	return *mine ? vault_lock(v, VAULT_LOCK_WAIT_MS, e) : 0;
}

int docs_save(struct vault *v, str project, str name, str text, struct err *e)
{
	struct buf old = BUF_INIT(HANDOFF_DOC_MAX);
	struct note n, now;
	bool mine;
	int ret;

	ret = take_lock(v, &mine, e);
	if (ret)
		return ret;
	note_parse(&now, text);
	if (note_kind(&now) != HANDOFF_MANUAL &&
	    vault_read(v, VAULT_HANDOFFS, project, name, &old, NULL) == 0) {
		note_parse(&n, buf_str(&old));
		if (is_document(&n) && note_kind(&n) == HANDOFF_MANUAL)
			ret = err_set(
				e, HF_EUSAGE,
				"%.*s: written by hand, not replaced by an automatic one",
				STR_ARG(name));
	}
	/* a live automatic one is made again from the transcript, should a power cut take it */
	if (!ret && note_kind(&now) != HANDOFF_MANUAL && note_status(&now) == DOCS_LIVE)
		ret = vault_write_quick(v, VAULT_HANDOFFS, project, name, text, e);
	else if (!ret)
		ret = vault_write(v, VAULT_HANDOFFS, project, name, text, e);
	if (mine)
		vault_unlock(v);
	buf_release(&old);
	return ret;
}

static int pack_one(struct vault *v, str project, str name, struct err *e)
{
	struct buf text = BUF_INIT(HANDOFF_DOC_MAX),
		   packed = BUF_INIT(2 * HANDOFF_DOC_MAX),
		   target = BUF_INIT(DOCS_NAME_MAX + 8);
	int ret = vault_read(v, VAULT_ARCHIVE, project, name, &text, e);

	if (!ret)
		ret = pack_pack(buf_str(&text), &packed, e);
	buf_add(&target, name);
	buf_add(&target, STR(".zst"));
	if (!ret)
		ret = vault_write(v, VAULT_ARCHIVE, project, buf_str(&target),
				  buf_str(&packed), e);
	if (!ret)
		ret = vault_remove(v, VAULT_ARCHIVE, project, name, e);
	buf_release(&text);
	buf_release(&packed);
	buf_release(&target);
	return ret;
}

/* All but the newest plain ones are packed, the oldest first, a few at a time. */
static int pack_old(struct vault *v, str project, struct err *e)
{
	struct names l = {.ours_only = true};
	int ret = vault_each(v, VAULT_ARCHIVE, project, PLAIN, add_name, &l, e);
	size_t todo = l.n > DOCS_ARCHIVE_PLAIN ? l.n - DOCS_ARCHIVE_PLAIN : 0;

	for (size_t i = 0; !ret && i < todo && i < PACK_MAX; i++)
		ret = pack_one(v, project, str_of(l.name[i]), e);
	free(l.name);
	return ret;
}

/* What a crash left behind: a document in handoffs/ that is over. */
static int archive_left(struct vault *v, str project, struct err *e)
{
	struct docs d;
	int ret = docs_load_newest(&d, v, project, DOCS_MAX, e);

	for (size_t i = 0; !ret && i < d.n; i++)
		if (d.item[i].status == DOCS_CONSUMED ||
		    d.item[i].status == DOCS_SUPERSEDED)
			ret = vault_move(v, project, VAULT_HANDOFFS, VAULT_ARCHIVE,
					 str_of(d.item[i].name), e);
	docs_release(&d);
	return ret;
}

/* The text's own state against what the caller saw. */
static int check_state(str name, str text, enum docs_status from, str session,
		       struct err *e)
{
	enum docs_status now;
	struct note n;
	char *owner;
	int ret = 0;

	note_parse(&n, text);
	if (!is_document(&n))
		return err_set(e, HF_EFORMAT, "%.*s: not a handoff document",
			       STR_ARG(name));
	now = note_status(&n);
	owner = value_of(&n, "claimed_by");
	if (now == DOCS_CLAIMED &&
	    (from != now || (session.n && !str_eq(str_of(owner), session))))
		ret = err_set(e, HF_EAMBIGUOUS, "%.*s: claimed by %s", STR_ARG(name),
			      owner[0] ? owner : "another session");
	else if (now != from)
		ret = err_set(e, HF_EAMBIGUOUS, "%.*s: is %s, not %s", STR_ARG(name),
			      docs_status_name(now), docs_status_name(from));
	free(owner);
	return ret;
}

static int move_locked(struct vault *v, str project, str name, enum docs_status from,
		       enum docs_status to, str session, struct err *e)
{
	struct buf old = BUF_INIT(HANDOFF_DOC_MAX), new = BUF_INIT(2 * HANDOFF_DOC_MAX);
	int ret = vault_read(v, VAULT_HANDOFFS, project, name, &old, e);

	if (!ret)
		ret = check_state(name, buf_str(&old), from, session, e);
	if (ret)
		goto out;
	if (to == DOCS_CONSUMED || to == DOCS_SUPERSEDED) {
		struct note n;
		char *owner;

		note_parse(&n, buf_str(&old));
		owner = value_of(&n, "claimed_by");
		docs_with_status(&new, buf_str(&old), to, str_of(owner));
		free(owner);
	} else {
		docs_with_status(&new, buf_str(&old), to,
				 to == DOCS_CLAIMED ? session : STR_NONE);
	}
	ret = vault_write(v, VAULT_HANDOFFS, project, name, buf_str(&new), e);
	if (!ret && (to == DOCS_CONSUMED || to == DOCS_SUPERSEDED)) {
		ret = archive_left(v, project, e);
		if (!ret)
			ret = pack_old(v, project, e);
	}
out:
	buf_release(&old);
	buf_release(&new);
	return ret;
}

int docs_move(struct vault *v, str project, str name, enum docs_status from,
	      enum docs_status to, str session, struct err *e)
{
	bool mine;
	int ret = take_lock(v, &mine, e);

	if (ret)
		return ret;
	ret = move_locked(v, project, name, from, to, session, e);
	if (mine)
		vault_unlock(v);
	return ret;
}
