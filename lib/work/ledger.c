/*
 * State file, one JSON object and a newline:
 *
 *   {"v":1,"id":"...","rounds":3,"tokens":12400,"started":"<ISO>","touched":"<ISO>"}
 *
 * All ledgers share one lock file: a change takes well under a millisecond of work and one
 * fsync, and lock files of their own would have to be swept as well, which cannot be done
 * without a race.
 */
#include "work/ledger.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/io.h"
#include "base/utf8.h"
#include "data/config.h"
#include "data/json.h"

#define LEDGER_FILE_MAX 4096
#define LEDGER_PATH_MAX 4096
#define LEDGER_WAIT_MS  5000
#define LEDGER_VERSION  1
#define LEDGER_DAY_MS   ((int64_t)24 * 60 * 60 * 1000)

/* Counts from a file are taken at their word up to here; anything above is damage. */
#define LEDGER_COUNT_MAX 1000000000ull

static bool id_ok(str id)
{
	if (id.n == 0 || id.n > 64 || id.p[0] == '.')
		return false;
	for (size_t i = 0; i < id.n; i++)
		if (!str_is_alnum(id.p[i]) && !strchr("._-", id.p[i]))
			return false;
	return true;
}

static int folder(struct buf *dir, struct err *e)
{
	config_state_dir(dir);
	if (dir->n == 0)
		return err_set(e, HF_ENOTFOUND,
			       "no state folder: set HOME or XDG_STATE_HOME");
	buf_add(dir, STR("/ledgers"));
	if (dir->full)
		return err_set(e, HF_ELIMIT, "the state folder's path is too long");
	return fs_mkdirs(buf_cstr(dir), 0700, e);
}

static int lock(struct err *e)
{
	struct buf path = BUF_INIT(LEDGER_PATH_MAX);
	int ret = folder(&path, e);

	if (!ret) {
		buf_add(&path, STR("/.lock"));
		ret = path.full ? err_set(e, HF_ELIMIT,
					  "the state folder's path is too long")
				: fs_lock(buf_cstr(&path), LEDGER_WAIT_MS, e);
	}
	buf_release(&path);
	return ret;
}

/* reading and writing; both under the lock */

struct fields {
	uint64_t v, rounds, tokens;
	int64_t started, touched;
	bool id;
	unsigned seen; /* one bit a member */
};

static bool read_member(struct json *j, const char *id, struct fields *f)
{
	static const char *const key[] = {"v",      "id",      "rounds",
					  "tokens", "started", "touched"};
	size_t k = 0;

	while (k < 6 && !json_is(j, key[k]))
		k++;
	if (k == 6)
		return json_skip(j);
	f->seen |= 1u << k;
	enum json_tok tok = json_next(j);
	if (tok == JSON_NUM)
		return k == 0   ? str_u64(j->raw, &f->v)
		       : k == 2 ? str_u64(j->raw, &f->rounds)
		       : k == 3 ? str_u64(j->raw, &f->tokens)
				: false;
	if (tok != JSON_STR)
		return false;
	if (k == 1)
		return f->id = str_eq(j->raw, str_of(id));
	return (k == 4 && clock_parse(j->raw, &f->started)) ||
	       (k == 5 && clock_parse(j->raw, &f->touched));
}

static bool read_fields(str text, const char *id, struct fields *f)
{
	struct json j;
	enum json_tok tok;

	json_init(&j, text);
	if (json_next(&j) != JSON_OBJ)
		return false;
	while ((tok = json_next(&j)) == JSON_KEY)
		if (!read_member(&j, id, f))
			return false;
	return tok == JSON_OBJ_END && json_next(&j) == JSON_END && f->seen == 0x3f &&
	       f->id && f->v == LEDGER_VERSION && f->rounds <= LEDGER_COUNT_MAX &&
	       f->tokens <= LEDGER_COUNT_MAX;
}

static int load(struct ledger *l, struct err *e)
{
	struct buf text = BUF_INIT(LEDGER_FILE_MAX);
	struct err own = ERR_INIT;
	struct fields f = {0};
	int ret = fs_read(l->path, &text, &own);

	if (ret == HF_ENOTFOUND) {
		l->rounds = 0;
		l->tokens = 0;
		l->started = l->touched = clock_now();
		ret = 0;
	} else if (ret == HF_ELIMIT ||
		   (!ret && !read_fields(buf_str(&text), l->id, &f))) {
		ret = err_set(
			e, HF_EFORMAT,
			"%s: damaged, so what was read before is unknown; remove this file "
			"to start again from zero",
			l->path);
	} else if (ret) {
		err_set(e, ret, "%s", own.msg);
	} else {
		l->rounds = (uint32_t)f.rounds;
		l->tokens = f.tokens;
		l->started = f.started;
		l->touched = f.touched;
	}
	buf_release(&text);
	return ret;
}

static void add_state(const struct ledger *l, struct buf *out)
{
	char at[CLOCK_ISO_BYTES];

	buf_printf(out, "\"id\":\"%s\",\"rounds\":%u,\"tokens\":%llu,", l->id, l->rounds,
		   (unsigned long long)l->tokens);
	clock_iso(at, l->started);
	buf_printf(out, "\"started\":\"%s\",", at);
	clock_iso(at, l->touched);
	buf_printf(out, "\"touched\":\"%s\"", at);
}

static int store(const struct ledger *l, struct err *e)
{
	struct buf text = BUF_INIT(LEDGER_FILE_MAX);
	int ret;

	buf_printf(&text, "{\"v\":%d,", LEDGER_VERSION);
	add_state(l, &text);
	buf_add(&text, STR("}\n"));
	ret = fs_write_atomic(l->path, buf_str(&text), 0600, e);
	buf_release(&text);
	return ret;
}

/* Old ledgers go when a new one is begun: nothing else ever runs to tidy up. */
static int sweep_file(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(LEDGER_PATH_MAX);
	const int64_t *now = arg;
	struct stat st;

	fs_join(&path, str_of(dir), str_of(name));
	if (!path.full && str_ends(str_of(name), STR(".json")) &&
	    io.lstat(buf_cstr(&path), &st) == 0 && S_ISREG(st.st_mode) &&
	    *now - (int64_t)st.st_mtime * 1000 > LEDGER_KEEP_DAYS * LEDGER_DAY_MS)
		io.unlink(buf_cstr(&path));
	buf_release(&path);
	return 0;
}

int ledger_open(struct ledger *l, const char *id, struct err *e)
{
	struct buf dir = BUF_INIT(LEDGER_PATH_MAX), path = BUF_INIT(LEDGER_PATH_MAX);
	int ret, fd = -1;

	*l = (struct ledger){0};
	if (!id_ok(str_of(id)))
		return err_set(e, HF_EUSAGE, "%s: not a ledger id", id);
	memcpy(l->id, id, strlen(id) + 1);
	ret = folder(&dir, e);
	if (ret)
		goto out;
	buf_printf(&path, "%s/%s.json", buf_cstr(&dir), id);
	if (path.full) {
		ret = err_set(e, HF_ELIMIT, "the state folder's path is too long");
		goto out;
	}
	l->path = buf_take(&path);
	fd = ret = lock(e);
	if (fd < 0)
		goto out;
	if (!fs_is_file(l->path)) {
		int64_t now = clock_now();
		fs_each(buf_cstr(&dir), sweep_file, &now, NULL);
	}
	ret = load(l, e);
	fs_unlock(fd);
out:
	buf_release(&dir);
	buf_release(&path);
	return ret;
}

/* 12400 as "12,400" */
static void add_count(struct buf *out, uint64_t v)
{
	char digit[24];
	int n = snprintf(digit, sizeof(digit), "%llu", (unsigned long long)v);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf_byte(out, ',');
		buf_byte(out, digit[i]);
	}
}

static int refuse(const struct ledger *l, uint64_t tokens, struct err *e)
{
	struct ledger_left left = ledger_left(l);
	struct buf msg = BUF_INIT(256);
	int ret;

	if (left.rounds == 0) {
		buf_printf(&msg, "all %d rounds of the reading budget are used; ",
			   LEDGER_ROUNDS);
		add_count(&msg, left.tokens);
		buf_add(&msg, STR(" tokens were left"));
	} else {
		buf_add(&msg, STR("this needs "));
		add_count(&msg, tokens);
		buf_add(&msg, STR(" tokens, but the reading budget has "));
		add_count(&msg, left.tokens);
		buf_printf(&msg, " and %u round%s left", left.rounds,
			   left.rounds == 1 ? "" : "s");
	}
	ret = err_set(e, HF_ELIMIT, "%s: %s", l->id, buf_cstr(&msg));
	buf_release(&msg);
	return ret;
}

int ledger_take(struct ledger *l, uint64_t tokens, struct err *e)
{
	struct ledger next;
	int ret, fd = lock(e);

	if (fd < 0)
		return fd;
	ret = load(l, e);
	if (ret)
		goto out;
	if (ledger_left(l).rounds == 0 || tokens > ledger_left(l).tokens) {
		ret = refuse(l, tokens, e);
		goto out;
	}
	next = *l;
	next.rounds++;
	next.tokens += tokens;
	next.touched = clock_now();
	ret = store(&next, e);
	if (!ret)
		*l = next;
out:
	fs_unlock(fd);
	return ret;
}

int ledger_restart(struct ledger *l, struct err *e)
{
	struct ledger next = *l;
	int ret, fd;

	if (!l->path)
		return err_set(e, HF_EUSAGE, "no ledger is open");
	fd = lock(e);
	if (fd < 0)
		return fd;
	next.rounds = 0;
	next.tokens = 0;
	next.started = next.touched = clock_now();
	ret = store(&next, e);
	if (!ret)
		*l = next;
	fs_unlock(fd);
	return ret;
}

struct ledger_left ledger_left(const struct ledger *l)
{
	return (struct ledger_left){
		l->rounds < LEDGER_ROUNDS ? LEDGER_ROUNDS - l->rounds : 0,
		l->tokens < LEDGER_TOKENS ? LEDGER_TOKENS - l->tokens : 0,
	};
}

void ledger_show(const struct ledger *l, struct buf *out)
{
	buf_printf(out, "round %u of %d, ", l->rounds, LEDGER_ROUNDS);
	add_count(out, l->tokens);
	buf_add(out, STR(" of "));
	add_count(out, LEDGER_TOKENS);
	buf_add(out, STR(" tokens read, "));
	add_count(out, ledger_left(l).tokens);
	buf_add(out, STR(" left"));
}

void ledger_json(const struct ledger *l, struct buf *out)
{
	struct ledger_left left = ledger_left(l);

	buf_byte(out, '{');
	add_state(l, out);
	buf_printf(
		out,
		",\"rounds_max\":%d,\"tokens_max\":%d,\"rounds_left\":%u,\"tokens_left\":%llu}",
		LEDGER_ROUNDS, LEDGER_TOKENS, left.rounds,
		(unsigned long long)left.tokens);
}

void ledger_close(struct ledger *l)
{
	free(l->path);
	*l = (struct ledger){0};
}

/* tokens */

/* Scripts in which a character is about a token: Hangul, kana, ideographs, full-width forms, pictographs. */
static bool is_wide(uint32_t cp)
{
	return (cp >= 0x1100 && cp <= 0x115f) || (cp >= 0x2e80 && cp <= 0xa4cf) ||
	       (cp >= 0xac00 && cp <= 0xd7a3) || (cp >= 0xf900 && cp <= 0xfaff) ||
	       (cp >= 0xfe30 && cp <= 0xfe6f) || (cp >= 0xff00 && cp <= 0xff60) ||
	       (cp >= 0xffe0 && cp <= 0xffe6) || (cp >= 0x1f000 && cp <= 0x1faff) ||
	       (cp >= 0x20000 && cp <= 0x3fffd);
}

uint64_t ledger_tokens(str text)
{
	uint64_t narrow = 0, wide = 0; /* bytes, characters */
	size_t i = 0;
	uint32_t cp;

	while (i < text.n) {
		size_t n;

		if (!(text.p[i] & 0x80)) {
			narrow++;
			i++;
			continue;
		}
		n = utf8_next(str_from(text, i), &cp);
		if (n && is_wide(cp))
			wide++;
		else
			narrow += n ? n : 1;
		i += n ? n : 1;
	}
	return wide + (narrow + 3) / 4;
}
