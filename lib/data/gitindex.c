/*
 * gitindex: the format is git's Documentation/gitformat-index.txt. All numbers are big-endian.
 *
 *   "DIRC" version count, then per entry
 *     0 ctime s, ns   8 mtime s, ns   16 dev   20 ino   24 mode   28 uid   32 gid   36 size
 *     40 id (20)      60 flags        62 more flags when flags has 0x4000 (version 3 and 4)
 *   then the path: to a NUL and padded to a multiple of eight (2, 3), or as the number of
 *   bytes to drop from the last path, the rest and a NUL (4). Extensions follow: four
 *   letters, size, data; a small first letter means "must be understood". SHA-1 at the end.
 *
 * Tree extension, depth first: name NUL entries SP subtrees LF, id unless entries is -1.
 */
#include <stdlib.h>

#include "base/log.h"
#include "data/gitindex.h"

#define HEADER_BYTES  12
#define FIXED_BYTES   62
#define TRAILER_BYTES GITINDEX_ID_BYTES
#define FLAG_VALID    0x8000u
#define FLAG_EXTENDED 0x4000u
#define XFLAG_SKIP    0x4000u
#define XFLAG_INTENT  0x2000u
#define MODE_FOLDER   0040000u /* of a whole folder outside a sparse checkout */
#define SMALLEST_BYTES                                                                   \
	64 /* of one entry: used to check the count before memory is taken */

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t be16(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

void gitindex_stat(const struct gitindex_entry *en, struct gitindex_stat *st)
{
	const unsigned char *p = en->raw;

	st->ctime_s = be32(p);
	st->ctime_ns = be32(p + 4);
	st->mtime_s = be32(p + 8);
	st->mtime_ns = be32(p + 12);
	st->ino = be32(p + 20);
	st->mode = be32(p + 24);
	st->uid = be32(p + 28);
	st->gid = be32(p + 32);
	st->size = be32(p + 36);
}

uint32_t gitindex_mode(const struct gitindex_entry *en)
{
	return be32(en->raw + 24);
}

const unsigned char *gitindex_id(const struct gitindex_entry *en)
{
	return en->raw + 40;
}

static int bad(struct err *e, size_t at, const char *what)
{
	return err_set(e, HF_EFORMAT, "git index is damaged at byte %zu: %s", at, what);
}

/* As git's verify_path: what could lead out of the work tree, or into .git, is refused. */
static bool path_is_safe(str path)
{
	str part;

	if (path.n == 0 || path.n > GITINDEX_PATH_MAX || path.p[path.n - 1] == '/')
		return false;
	while (str_split(&path, '/', &part)) {
		if (part.n == 0 || str_eq(part, STR(".")) || str_eq(part, STR("..")) ||
		    str_ieq(part, STR(".git")))
			return false;
	}
	return true;
}

/* The number in front of a version 4 path: seven bits a byte, plus one for each further byte. */
static size_t strip_length(str in, size_t *used)
{
	size_t v, i = 0;

	if (in.n == 0)
		return STR_NPOS;
	v = (unsigned char)in.p[i] & 0x7f;
	while ((unsigned char)in.p[i] & 0x80) {
		if (++i >= in.n || v > GITINDEX_PATH_MAX)
			return STR_NPOS;
		v = ((v + 1) << 7) | ((unsigned char)in.p[i] & 0x7f);
	}
	*used = i + 1;
	return v;
}

/*
 * The path of a version 4 entry is written into x->paths. That buffer may move while it
 * grows, so entries hold offsets until all are read.
 */
static int path_v4(struct gitindex *x, str rest, size_t last_at, size_t last_n, str *path,
		   size_t *used)
{
	size_t strip, digits = 0, nul, at = x->paths.n;
	char *room;

	strip = strip_length(rest, &digits);
	if (strip == STR_NPOS || strip > last_n)
		return HF_EFORMAT;
	rest = str_from(rest, digits);
	nul = str_chr(rest, '\0');
	if (nul == STR_NPOS || last_n - strip + nul > GITINDEX_PATH_MAX)
		return HF_EFORMAT;
	room = buf_room(&x->paths, last_n - strip + nul + 1);
	if (!room)
		return HF_ELIMIT;
	memcpy(room, x->paths.p + last_at, last_n - strip);
	memcpy(room + last_n - strip, rest.p, nul + 1);
	x->paths.n += last_n - strip + nul + 1;
	*path = (str){x->paths.p + at, last_n - strip + nul};
	*used = digits + nul + 1;
	return 0;
}

static int in_order(str last, uint8_t last_stage, str path, uint8_t stage)
{
	int cmp = str_cmp(last, path);

	return cmp < 0 || (cmp == 0 && last_stage != 0 && last_stage < stage);
}

static int parse_entries(struct gitindex *x, str in, uint32_t version, size_t count,
			 size_t *end, struct err *e)
{
	size_t at = HEADER_BYTES, i, last_at = 0;
	str last = STR_NONE, path = STR_NONE;

	for (i = 0; i < count; i++) {
		struct gitindex_entry *en = &x->entry[i];
		size_t fixed = FIXED_BYTES, used = 0;
		uint32_t flags, more = 0;

		if (in.n - at < FIXED_BYTES + 2)
			return bad(e, at, "it ends inside an entry");
		en->raw = (const unsigned char *)in.p + at;
		flags = be16(en->raw + 60);
		if (flags & FLAG_EXTENDED) {
			if (version < 3)
				return bad(e, at, "extended flags in version 2");
			more = be16(en->raw + 62);
			fixed += 2;
		}
		if (version == 4) {
			size_t here = x->paths.n;
			int ret = path_v4(x, str_from(in, at + fixed), last_at, last.n,
					  &path, &used);

			if (ret == HF_ELIMIT)
				return err_set(e, HF_ELIMIT,
					       "git index: paths over %u bytes",
					       GITINDEX_PATHS_MAX);
			if (ret)
				return bad(e, at, "a path makes no sense");
			last = (str){x->paths.p + last_at, last.n};
			last_at = here;
		} else {
			path = str_from(in, at + fixed);
			path.n = str_chr(path, '\0');
			if (path.n == STR_NPOS)
				return bad(e, at, "it ends inside a path");
			used = ((fixed + path.n + 8) & ~(size_t)7) - fixed;
		}
		if (path.n == 0) /* as in the upper part of a split index */
			return err_set(e, HF_ENOTFOUND, "git index: it is a split one");
		if (path.p[path.n - 1] == '/' && gitindex_mode(en) == MODE_FOLDER)
			return err_set(e, HF_ENOTFOUND, "git index: it is a sparse one");
		en->path_n = (uint32_t)path.n;
		en->path = path.p;
		en->stage = (flags >> 12) & 3;
		en->assume_valid = (flags & FLAG_VALID) != 0;
		en->skip_worktree = (more & XFLAG_SKIP) != 0;
		en->intent_to_add = (more & XFLAG_INTENT) != 0;
		if (!path_is_safe(path))
			return bad(e, at, "a path leads out of the work tree");
		if (i > 0 && !in_order(last, x->entry[i - 1].stage, path, en->stage))
			return bad(e, at, "entries are not in order");
		if (in.n - at - fixed < used)
			return bad(e, at, "it ends inside an entry");
		at += fixed + used;
		last = path;
	}
	*end = at;
	return 0;
}

/* Version 4: now that the buffer stands still, turn lengths back into pointers. */
static void settle_paths(struct gitindex *x)
{
	const char *p = x->paths.p;
	size_t i;

	for (i = 0; i < x->n; i++) {
		x->entry[i].path = p;
		p += x->entry[i].path_n + 1;
	}
}

/* A decimal number or -1 up to `stop`; false on anything else. */
static bool take_number(str *in, char stop, int64_t *v)
{
	size_t n = str_chr(*in, stop);

	if (n == STR_NPOS || n > 11 || !str_i64(str_head(*in, n), v) || *v < -1 ||
	    *v > INT32_MAX)
		return false;
	*in = str_from(*in, n + 1);
	return true;
}

static int by_parent_then_name(const void *a, const void *b)
{
	const struct gitindex_tree *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return str_cmp(x->name, y->name);
}

/* One tree off *in; -1 when it is damaged. *subtrees says how many follow below it. */
static int take_tree(str *in, struct gitindex_tree *t, size_t *subtrees)
{
	size_t n = str_chr(*in, '\0');
	int64_t entries, below;

	if (n == STR_NPOS)
		return -1;
	t->name = str_head(*in, n);
	*in = str_from(*in, n + 1);
	if (!take_number(in, ' ', &entries) || !take_number(in, '\n', &below) ||
	    below < 0)
		return -1;
	*subtrees = (size_t)below;
	t->id = NULL;
	t->entries = 0;
	if (entries >= 0) {
		if (in->n < GITINDEX_ID_BYTES)
			return -1;
		t->id = (const unsigned char *)in->p;
		t->entries = (uint32_t)entries;
		*in = str_from(*in, GITINDEX_ID_BYTES);
	}
	return 0;
}

/*
 * The cached trees only save work, so a damaged list is dropped as a whole. Each tree takes
 * at least five bytes ("\0" "0 0\n"), which bounds the table.
 */
static void parse_trees(struct gitindex *x, str in)
{
	size_t max = in.n / 5, n = 0, *left, up = 0;
	bool whole = false;

	if (max == 0 || max >= UINT32_MAX || x->tree)
		return;
	x->tree = calloc(max, sizeof(*x->tree));
	left = calloc(max, sizeof(*left)); /* subtrees still to come, by number */
	if (!x->tree || !left)
		log_oom();
	while (!whole && n < max) {
		struct gitindex_tree *t = &x->tree[n];

		if (take_tree(&in, t, &left[n]) < 0 || (t->name.n == 0) != (n == 0))
			goto damaged;
		t->self = (uint32_t)n;
		t->parent = (uint32_t)up;
		up = n++;
		while (left[up] == 0 && up != 0)
			up = x->tree[up].parent;
		whole = left[up] == 0;
		left[up] -= !whole;
	}
	if (!whole || in.n != 0)
		goto damaged;
	free(left);
	x->ntrees = n;
	qsort(x->tree, n, sizeof(*x->tree), by_parent_then_name);
	return;
damaged:
	free(left);
	free(x->tree);
	x->tree = NULL;
}

static int parse_extensions(struct gitindex *x, str in, size_t at, struct err *e)
{
	while (in.n - at > TRAILER_BYTES) {
		const char *p = in.p + at;
		size_t size;

		if (in.n - at < 8 + TRAILER_BYTES)
			return bad(e, at, "it ends inside an extension");
		size = be32((const unsigned char *)p + 4);
		if (size > in.n - at - 8 - TRAILER_BYTES)
			return bad(e, at, "it ends inside an extension");
		if (memcmp(p, "TREE", 4) == 0)
			parse_trees(x, (str){p + 8, size});
		else if (p[0] < 'A' || p[0] > 'Z')
			return err_set(e, HF_ENOTFOUND,
				       "git index: extension %.4s is not known", p);
		at += 8 + size;
	}
	return 0;
}

int gitindex_parse(struct gitindex *x, str bytes, struct err *e)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	uint32_t version, count;
	size_t at = HEADER_BYTES;
	int ret;

	*x = (struct gitindex){.paths = BUF_INIT(GITINDEX_PATHS_MAX)};
	if (bytes.n == 0)
		return 0;
	if (bytes.n < HEADER_BYTES + TRAILER_BYTES || memcmp(p, "DIRC", 4) != 0)
		return bad(e, 0, "it does not begin like an index");
	version = be32(p + 4);
	count = be32(p + 8);
	if (version < 2 || version > 4)
		return err_set(e, HF_ENOTFOUND, "git index: version %u is not known",
			       version);
	/* the trailer is no entry, but an entry may not reach into it either */
	if (count > (bytes.n - HEADER_BYTES - TRAILER_BYTES) / SMALLEST_BYTES)
		return bad(e, 8, "it is too short for its entries");
	x->n = count;
	x->entry = calloc(count ? count : 1, sizeof(*x->entry));
	if (!x->entry)
		log_oom();
	ret = parse_entries(x, str_head(bytes, bytes.n - TRAILER_BYTES), version, count,
			    &at, e);
	if (ret)
		goto fail;
	if (version == 4)
		settle_paths(x);
	ret = parse_extensions(x, bytes, at, e);
	if (ret)
		goto fail;
	return 0;
fail:
	gitindex_release(x);
	return ret;
}

void gitindex_release(struct gitindex *x)
{
	free(x->entry);
	free(x->tree);
	buf_release(&x->paths);
	*x = (struct gitindex){0};
}

static str path_of(const struct gitindex *x, size_t i)
{
	return (str){x->entry[i].path, x->entry[i].path_n};
}

size_t gitindex_lower(const struct gitindex *x, size_t from, size_t to, str path)
{
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (str_cmp(path_of(x, mid), path) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

size_t gitindex_prefix_end(const struct gitindex *x, size_t from, size_t to, str prefix)
{
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (str_starts(path_of(x, mid), prefix))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

const struct gitindex_tree *gitindex_child(const struct gitindex *x, uint32_t parent,
					   str name)
{
	struct gitindex_tree want = {.parent = parent, .name = name};

	if (!x->ntrees)
		return NULL;
	return bsearch(&want, x->tree, x->ntrees, sizeof(*x->tree), by_parent_then_name);
}
