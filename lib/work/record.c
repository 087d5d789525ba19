/*
 * Reading. The file's last sealed line holds the state of the record; from its `head` the block
 * of the current version is found. That is taken only when the line stands at the offset that
 * it names, has its own hash, and nothing but blank lines follow it.
 */
#include "work/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/json.h"
#include "work/record_impl.h"

#define TAIL_BYTES 8192
#define LINE_BYTES 65536 /* more than a sealed line has */

const char *record_agent(const struct record_store *s)
{
	return s->agent && *s->agent ? s->agent : "claude-code";
}

void record_release(struct record_view *r)
{
	address_release(&r->address);
	chain_release(&r->chain);
	lineage_release(&r->lineage);
	buf_release(&r->text);
	*r = (struct record_view){.lineage = LINEAGE_INIT};
}

static void record_begin(struct record_view *r, const struct address *a)
{
	*r = (struct record_view){.lineage = LINEAGE_INIT,
				  .text = BUF_INIT(SHELF_FILE_MAX)};
	if (a)
		address_of(&r->address, a->scope, a->key, NULL);
}

/* Read the last bytes of a file until a whole sealed line is in them. 1: found. */
static int read_tail(int fd, uint64_t size, struct lineage *l, struct buf *text,
		     struct err *e)
{
	for (uint64_t want = TAIL_BYTES;; want *= 8) {
		uint64_t from = want < size ? size - want : 0;
		long got;

		buf_reset(text);
		got = fs_read_at(fd, from, (size_t)(size - from), text, e);
		if (got < 0)
			return (int)got;
		if (lineage_tail(l, buf_str(text), from))
			return 1;
		if (!from)
			return 0;
	}
}

static bool is_sound(const struct lineage *tail)
{
	const struct lineage_entry *v = &tail->entry[0];

	return v->placed && v->sealed && v->whole && !tail->lost;
}

static int no_record(const struct address *a, struct err *e)
{
	uint64_t version;
	str name;

	if (address_version(str_of(a->text), &name, &version))
		return err_set(
			e, HF_ENOTFOUND,
			"no record %s; a version of %.*s is asked for by its number, "
			"beside the address",
			a->text, STR_ARG(name));
	return err_set(e, HF_ENOTFOUND, "no record %s", a->text);
}

/* HF_ENOTFOUND for a file that is not there, in words about records. */
static int open_record(const struct record_store *s, const struct address *a,
		       struct stat *st, struct err *e)
{
	struct buf rel = BUF_INIT(SIZE_MAX);
	struct err own = ERR_INIT;
	int fd;

	address_path(&rel, a);
	fd = shelf_open(s->vault, SHELF_RECORDS, buf_str(&rel), st, &own);
	buf_release(&rel);
	if (fd == HF_ENOTFOUND)
		return no_record(a, e);
	return fd < 0 ? err_set(e, fd, "%s", own.msg) : fd;
}

bool record_exists(const struct record_store *s, const struct address *a)
{
	struct stat st;
	int fd = open_record(s, a, &st, NULL);

	if (fd >= 0)
		io.close(fd);
	return fd >= 0;
}

static bool is_corrupt(const struct record_view *r, const struct lineage_entry *v)
{
	char content[65], chain[65];

	if (!v->sealed || !v->whole || !v->value.p ||
	    chain_content(r->address.scope, r->address.key, v->version, v->value,
			  v->agent, v->at, v->tags, content, NULL))
		return true;
	chain_hash(v->content, v->parents, v->nparents, chain);
	return !str_eq(v->content, str_of(content)) || !str_eq(v->chain, str_of(chain));
}

static void pick(struct record_view *r, size_t i)
{
	r->v = &r->lineage.entry[i];
	r->last = r->chain.last;
	r->contested = r->chain.nheads > 1;
	r->gap = r->chain.gone > 0;
	r->current = false;
	for (size_t k = 0; k < r->chain.nheads && k < LINEAGE_PARENTS_MAX; k++)
		r->current |= r->chain.heads[k] == i;
	if (r->current && !r->contested)
		r->state = r->chain.state;
	else
		chain_replay(&r->chain, i, r->lineage.n, &r->state);
}

void record_pick(struct record_view *r, size_t i)
{
	pick(r, i);
	r->corrupt = is_corrupt(r, r->v);
}

/* The lineage is there: all of it. The hashes of the current version are not computed. */
static int take_lineage(struct record_view *r, struct err *e)
{
	chain_of(&r->chain, &r->lineage);
	r->full = true;
	if (!r->chain.nheads)
		return err_set(e, HF_EFORMAT, "%s: no version can be read in its file",
			       r->address.text);
	pick(r, r->chain.heads[0]);
	return 0;
}

static int take_checked(struct record_view *r, struct err *e)
{
	int ret = take_lineage(r, e);

	if (!ret)
		r->corrupt = is_corrupt(r, r->v);
	return ret;
}

int record_load(const struct record_store *s, const struct address *a,
		struct record_view *r, struct err *e)
{
	struct buf rel = BUF_INIT(SIZE_MAX);
	struct err own = ERR_INIT;
	int ret;

	record_begin(r, a);
	address_path(&rel, a);
	ret = shelf_read(s->vault, SHELF_RECORDS, buf_str(&rel), &r->text, &own);
	buf_release(&rel);
	if (ret == HF_ENOTFOUND)
		return no_record(a, e);
	if (ret)
		return err_set(e, ret, "%s", own.msg);
	lineage_parse(&r->lineage, buf_str(&r->text));
	return take_checked(r, e);
}

int record_load_path(const struct record_store *s, str rel, struct record_view *r,
		     struct err *e)
{
	int ret;

	record_begin(r, NULL);
	ret = shelf_read_met(s->vault, SHELF_RECORDS, rel, &r->text, e);
	if (ret)
		return ret;
	lineage_parse(&r->lineage, buf_str(&r->text));
	ret = r->lineage.scope.n && r->lineage.key.n
		      ? address_of(&r->address, r->lineage.scope, r->lineage.key, e)
		      : address_from_path(&r->address, rel, e);
	return ret ? ret : take_checked(r, e);
}

/* The block of the current version, as the file's last line tells. False: look through all. */
static bool read_head(int fd, uint64_t size, const struct record_view *tail,
		      struct record_view *r)
{
	const struct lineage_state *head = &tail->lineage.entry[0].head;
	struct err ignored = ERR_INIT;
	uint64_t from, to;

	if (head->size > head->offset || head->offset > size)
		return false;
	from = head->offset - head->size;
	to = head->offset + LINE_BYTES < size ? head->offset + LINE_BYTES : size;
	if (fs_read_at(fd, from, (size_t)(to - from), &r->text, &ignored) < 0)
		return false;
	lineage_parse(&r->lineage, buf_str(&r->text));
	if (!r->lineage.n || r->lineage.entry[0].type != LINEAGE_VERSION ||
	    !str_eq(r->lineage.entry[0].chain, head->chain))
		return false;
	r->v = &r->lineage.entry[0];
	r->state = *head;
	r->state.chain = r->v->chain;
	r->last = r->v->version;
	r->current = true;
	return true;
}

/* The newest outcome in a lineage; "" none. */
static void take_judged(struct record_view *r, const struct lineage *l)
{
	for (size_t i = l->n; i-- > 0;) {
		const struct lineage_entry *v = &l->entry[i];

		if (v->type == LINEAGE_OUTCOME && v->whole) {
			snprintf(r->judged, sizeof(r->judged), "%.*s", STR_ARG(v->at));
			return;
		}
	}
}

int record_skim(str rel, int fd, uint64_t size, struct record_view *r, struct err *e)
{
	struct record_view tail;
	bool done = false;
	long got;
	int ret;

	record_begin(r, NULL);
	r->lineage.unchecked = true;
	ret = address_from_path(&r->address, rel, e);
	if (!ret && size > TAIL_BYTES) {
		record_begin(&tail, NULL);
		ret = read_tail(fd, size, &tail.lineage, &tail.text, e);
		done = ret == 1 && is_sound(&tail.lineage) &&
		       read_head(fd, size, &tail, r);
		if (done)
			take_judged(r, &tail.lineage);
		record_release(&tail);
		buf_cut(&r->text, done ? r->text.n : 0);
	}
	if (ret < 0 || done)
		return ret < 0 ? ret : 0;
	if (size > SHELF_FILE_MAX)
		return err_set(e, HF_ELIMIT, "%s: over %u MB", r->address.text,
			       SHELF_FILE_MAX >> 20);
	got = fs_read_at(fd, 0, (size_t)size, &r->text, e);
	if (got < 0)
		return (int)got;
	lineage_parse(&r->lineage, buf_str(&r->text));
	ret = take_lineage(r, e);
	take_judged(r, &r->lineage);
	return ret;
}

static int pick_version(struct record_view *r, uint64_t version, str chain, struct err *e)
{
	size_t found = STR_NPOS;

	for (size_t i = 0; i < r->lineage.n; i++) {
		const struct lineage_entry *v = &r->lineage.entry[i];

		if (v->type == LINEAGE_VERSION && v->version == version &&
		    !r->chain.twice[i] && (!chain.n || str_eq(v->chain, chain)))
			found = found == STR_NPOS ? i : found;
	}
	if (found == STR_NPOS)
		return err_set(e, HF_ENOTFOUND,
			       version < r->last
				       ? "%s: version %llu is missing from its file; the "
					 "newest is %llu"
				       : "%s has no version %llu; the newest is %llu",
			       r->address.text, (unsigned long long)version,
			       (unsigned long long)r->last);
	record_pick(r, found);
	return 0;
}

int record_read(const struct record_store *s, const struct address *a, uint64_t version,
		str chain, struct record_view *r, struct err *e)
{
	struct record_view tail;
	struct stat st;
	bool done;
	int fd, ret;

	record_begin(r, a);
	record_begin(&tail, NULL);
	fd = open_record(s, a, &st, e);
	if (fd < 0)
		return fd;
	ret = read_tail(fd, (uint64_t)st.st_size, &tail.lineage, &tail.text, e);
	done = ret == 1 && is_sound(&tail.lineage) &&
	       (!version || version == tail.lineage.entry[0].head.version) &&
	       (!chain.n || str_eq(chain, tail.lineage.entry[0].head.chain)) &&
	       read_head(fd, (uint64_t)st.st_size, &tail, r);
	io.close(fd);
	record_release(&tail);
	if (done)
		r->corrupt = is_corrupt(r, r->v);
	if (ret < 0 || done)
		return ret < 0 ? ret : 0;
	record_release(r);
	ret = record_load(s, a, r, e);
	if (!ret && version)
		ret = pick_version(r, version, chain, e);
	return ret;
}

static void copy_hash(char to[CHAIN_HASH_BYTES], str hash)
{
	size_t n = hash.n < CHAIN_HASH_BYTES - 1 ? hash.n : CHAIN_HASH_BYTES - 1;

	if (n)
		memcpy(to, hash.p, n);
	to[n] = 0;
}

static void end_from_tail(struct record_end *end, const struct lineage_entry *v)
{
	end->last = v->head.version;
	end->nheads = end->ntips = 1;
	copy_hash(end->head[0], v->head.chain);
	copy_hash(end->tip[0], v->seal);
	end->state = v->head;
}

static void end_from_all(struct record_end *end, const struct lineage *l)
{
	struct chain c;

	chain_of(&c, l);
	end->last = c.last;
	end->nheads = c.nheads < LINEAGE_PARENTS_MAX ? c.nheads : LINEAGE_PARENTS_MAX;
	end->ntips = c.ntips < LINEAGE_PARENTS_MAX ? c.ntips : LINEAGE_PARENTS_MAX;
	for (size_t i = 0; i < end->nheads; i++)
		copy_hash(end->head[i], l->entry[c.heads[i]].chain);
	for (size_t i = 0; i < end->ntips; i++)
		copy_hash(end->tip[i], l->entry[c.tips[i]].seal);
	end->state = c.state;
	chain_release(&c);
}

static int look_at_end(int fd, struct record_end *end, struct lineage *l,
		       struct buf *text, struct err *e)
{
	int ret = read_tail(fd, end->size, l, text, e);
	long got;

	if (ret < 0)
		return ret;
	if (ret == 1 && is_sound(l)) {
		end_from_tail(end, &l->entry[0]);
	} else {
		buf_reset(text);
		got = fs_read_at(fd, 0, (size_t)end->size, text, e);
		if (got < 0)
			return (int)got;
		lineage_parse(l, buf_str(text));
		end_from_all(end, l);
		if (!end->nheads && (l->n || l->lost))
			return err_set(
				e, HF_EFORMAT,
				"its file is damaged, no version can be read in it; nothing "
				"was written");
	}
	end->torn = l->torn_tail;
	end->open_fence = l->open_fence;
	end->newline = !text->n || text->p[text->n - 1] == '\n';
	end->state.chain = str_of(end->head[0]);
	return 0;
}

int record_find_end(const struct record_store *s, str rel, struct record_end *end,
		    struct err *e)
{
	struct buf text = BUF_INIT(SHELF_FILE_MAX);
	struct lineage l = LINEAGE_INIT;
	struct err own = ERR_INIT;
	struct stat st;
	int fd, ret;

	*end = (struct record_end){.newline = true};
	fd = shelf_open(s->vault, SHELF_RECORDS, rel, &st, &own);
	if (fd == HF_ENOTFOUND)
		return 0;
	if (fd < 0)
		return err_set(e, fd, "%s", own.msg);
	end->exists = true;
	end->size = (uint64_t)st.st_size;
	ret = look_at_end(fd, end, &l, &text, e);
	io.close(fd);
	lineage_release(&l);
	buf_release(&text);
	return ret;
}

void record_add_start(struct buf *b, const struct record_end *end,
		      const struct address *a)
{
	if (!end->exists || !end->size)
		lineage_add_header(b, a->scope, a->key);
	if (!end->newline)
		buf_byte(b, '\n');
	if (end->torn)
		lineage_add_torn(b, end->open_fence);
}

void record_set_prev(struct lineage_entry *v, const struct record_end *end)
{
	for (size_t i = 0; i < end->ntips; i++)
		v->prev[i] = str_of(end->tip[i]);
	v->nprev = end->ntips;
}
