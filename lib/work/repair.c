/*
 * The scanner says where whole records stand; their bytes are then read again and mended.
 * mend() sees a window of the record at a time and leaves what might go on in the next one:
 * a character or a pair of escapes, twelve bytes at the most.
 */
#include "work/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/out.h"
#include "base/utf8.h"

#define WINDOW_BYTES (64u << 10)
#define LOOK_BYTES   12 /* of a surrogate pair */
#define TRIES        16 /* names for the temporary file */

struct mender {
	struct out *o;
	bool in_str;
	uint64_t replaced;
};

static bool is_hex4(const char *p, uint32_t *v)
{
	*v = 0;
	for (int i = 0; i < 4; i++) {
		char c = str_lower(p[i]);

		if (!str_is_digit(c) && !(c >= 'a' && c <= 'f'))
			return false;
		*v = *v * 16 + (uint32_t)(str_is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	return true;
}

/* The escape at s, which is whole: how many bytes it takes; mends a lone surrogate. */
static size_t mend_escape(struct mender *m, str s)
{
	uint32_t hi, lo;
	size_t n = 2;

	if (s.n >= 6 && s.p[1] == 'u' && is_hex4(s.p + 2, &hi)) {
		n = 6;
		if (hi >= 0xd800 && hi < 0xdc00 && s.n >= 12 && s.p[6] == '\\' &&
		    s.p[7] == 'u' && is_hex4(s.p + 8, &lo) && lo >= 0xdc00 &&
		    lo < 0xe000) {
			n = 12;
		} else if (hi >= 0xd800 && hi < 0xe000) {
			buf_add(&m->o->b, STR("\\ufffd"));
			m->replaced++;
			return n;
		}
	}
	buf_add(&m->o->b, str_head(s, n));
	return n < s.n ? n : s.n;
}

/* Bytes of the ill-formed part at s (Unicode 3.9: a maximal subpart), at least one. */
static size_t ill_formed(str s)
{
	struct buf one = BUF_INIT(16);
	size_t n = 1;

	/* as long as the repaired prefix is a single U+FFFD, it is one part */
	for (size_t i = 2; i <= s.n && i <= 4; i++) {
		buf_reset(&one);
		utf8_add(&one, str_head(s, i));
		if (one.n != 3)
			break;
		n = i;
	}
	buf_release(&one);
	return n;
}

/* Mend s; returns how much of it was used: all, or all but LOOK_BYTES when there is more. */
static size_t mend(struct mender *m, str s, bool last)
{
	static const char hex[] = "0123456789abcdef";
	struct buf *b = &m->o->b;
	size_t at = 0, from = 0;

	while (at < s.n && (last || s.n - at >= LOOK_BYTES)) {
		unsigned char c = (unsigned char)s.p[at];
		uint32_t cp;
		size_t n;

		if (!m->in_str || (c >= 0x20 && c < 0x80 && c != '\\' && c != '"')) {
			m->in_str |= c == '"';
			at++;
			continue;
		}
		if (c == '"') {
			m->in_str = false;
			at++;
			continue;
		}
		if (c >= 0x80 && (n = utf8_next(str_from(s, at), &cp)) > 0) {
			at += n;
			continue;
		}
		buf_add(b, (str){s.p + from, at - from});
		if (c == '\\') {
			at += mend_escape(m, str_from(s, at));
		} else if (c >= 0x80) {
			at += ill_formed(str_from(s, at));
			buf_add(b, STR("\xef\xbf\xbd"));
			m->replaced++;
		} else {
			char esc[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};

			buf_add(b, (str){esc, sizeof(esc)});
			m->replaced++;
			at++;
		}
		from = at;
		out_step(m->o);
	}
	buf_add(b, (str){s.p + from, at - from});
	out_step(m->o);
	return at;
}

/* The record's bytes [off, off + len), mended, and a line end. */
static int record_copy(struct source *src, uint64_t off, uint64_t len, struct mender *m,
		       struct buf *window, const char *name, struct err *e)
{
	m->in_str = false;
	buf_reset(window);
	while (len || window->n) {
		size_t want = window->max - window->n, used, left;
		long got;

		if (want > len)
			want = (size_t)len;
		if (want) {
			got = fs_read_at(src->fd, off, want, window, e);
			if (got < 0)
				return (int)got;
			if ((size_t)got != want)
				return err_set(e, HF_EIO,
					       "%s: it became shorter while it was read",
					       name);
			off += want;
			len -= want;
		}
		used = mend(m, buf_str(window), len == 0);
		left = window->n - used;
		memmove(window->p, window->p + used, left);
		buf_cut(window, left);
	}
	buf_byte(&m->o->b, '\n');
	out_step(m->o);
	return 0;
}

static int records_copy(struct source *src, const char *name, struct out *o,
			struct repair_done *done, struct err *e)
{
	struct mender m = {.o = o};
	struct buf window = BUF_INIT(WINDOW_BYTES);
	struct scan s;
	enum scan_tok tok;
	int ret = 0;

	scan_init(&s, src, 0);
	while (!ret && !out_failed(o) && (tok = scan_next(&s)) != SCAN_END) {
		if (tok == SCAN_ERROR) {
			ret = err_set(e, s.err.code, "%s: %s", name, s.err.msg);
		} else if (tok == SCAN_RECORD) {
			done->records++;
			ret = record_copy(src, s.rec_off, s.rec_len, &m, &window, name,
					  e);
		} else if (tok == SCAN_LOSS) {
			done->losses++;
			done->lost_bytes += s.loss_len;
		}
	}
	done->replaced = m.replaced;
	scan_release(&s);
	buf_release(&window);
	return ret;
}

/* A new file beside path, open for writing; its name is in temp. */
static int temp_open(const char *path, struct buf *temp, struct err *e)
{
	for (int i = 0; i < TRIES; i++) {
		int fd;

		buf_reset(temp);
		buf_printf(temp, "%s.%ld.%d.part", path, (long)getpid(), i);
		if (temp->full)
			return err_set(e, HF_ELIMIT, "%.200s: the name is too long",
				       path);
		fd = io.open(buf_cstr(temp),
			     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			break;
	}
	buf_reset(temp);
	return err_sys(e, "%s", path);
}

static int to_itself(const char *name, struct err *e)
{
	return err_set(e, HF_EUSAGE,
		       "%s: is the transcript itself: write to another file", name);
}

int repair_write(struct source *src, const char *src_path, int fd, const char *name,
		 struct repair_done *done, struct err *e)
{
	struct stat st;
	struct out o;
	int ret, end;

	*done = (struct repair_done){0};
	if (io.fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && source_is(src, &st))
		return to_itself(name, e);
	out_init(&o, fd, name);
	ret = records_copy(src, src_path, &o, done, e);
	end = out_end(&o, e);
	return ret ? ret : end;
}

int repair_copy(struct source *src, const char *src_path, const char *out_path,
		struct repair_done *done, struct err *e)
{
	struct buf temp = BUF_INIT(8192);
	struct stat st;
	int fd, ret;

	*done = (struct repair_done){0};
	if (io.stat(out_path, &st) == 0 && source_is(src, &st))
		return to_itself(out_path, e);
	ret = fs_replaceable(out_path, e);
	if (ret)
		return ret;
	fd = temp_open(out_path, &temp, e);
	if (fd < 0) {
		ret = fd;
		goto out;
	}
	ret = repair_write(src, src_path, fd, out_path, done, e);
	if (!ret && io.fsync(fd) < 0)
		ret = err_sys(e, "%s", out_path);
	if (io.close(fd) < 0 && !ret)
		ret = err_sys(e, "%s", out_path);
	if (!ret)
		ret = fs_rename(buf_cstr(&temp), out_path, e);
	if (ret)
		io.unlink(buf_cstr(&temp));
out:
	buf_release(&temp);
	return ret;
}
