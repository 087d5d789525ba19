#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "data/pack.h"
#include "base/fs.h"
#include "base/io.h"
#include "base/log.h"

#define PACK_LEVEL 19
#define SMALL_MAX                                                                        \
	(1u << 20) /* bytes up to which the slow, dense level costs no noticeable time */
#define FAST_LEVEL 9

int pack_current(void);

bool pack_is_packed(str head)
{
	const unsigned char *p = (const unsigned char *)head.p;

	if (head.n < 4)
		return false;
	/* magic numbers are little-endian: 0xFD2FB528, and 0x184D2A50 to 0x184D2A5F */
	if (p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd)
		return true;
	return (p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18;
}

static ZSTD_DCtx *reader(void)
{
	ZSTD_DCtx *z;

	pack_current();
	z = ZSTD_createDCtx();
	if (!z)
		log_oom();
	(void)ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, PACK_WINDOW_LOG_MAX);
	return z;
}

static long read_some(int fd, char *p, size_t n)
{
	ssize_t got;

	do
		got = io.read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return (long)got;
}

/* The input of one decompression, a buffer at a time. */
struct feed {
	ZSTD_inBuffer in;
	char *p;
	size_t max;
	int fd;
};

/* More input: 1, 0 at the end, HF_EIO. */
static int feed_more(struct feed *f, const char *name, struct err *e)
{
	long n;

	if (f->in.pos < f->in.size)
		return 1;
	n = read_some(f->fd, f->p, f->max);
	if (n < 0)
		return err_sys(e, "%s: read", name);
	f->in = (ZSTD_inBuffer){f->p, (size_t)n, 0};
	return n > 0;
}

int pack_unpack(int fd, int out_fd, uint64_t max, const char *name, struct err *e)
{
	ZSTD_DCtx *z = reader();
	size_t out_max = ZSTD_DStreamOutSize(), hint = 1;
	struct feed f = {.max = ZSTD_DStreamInSize(), .fd = fd};
	char *out = malloc(out_max);
	uint64_t total = 0;
	int ret;

	f.p = malloc(f.max);
	if (!f.p || !out)
		log_oom();
	while ((ret = feed_more(&f, name, e)) > 0) {
		ZSTD_outBuffer o = {out, out_max, 0};

		hint = ZSTD_decompressStream(z, &o, &f.in);
		if (ZSTD_isError(hint)) {
			fs_write_all(out_fd, (str){out, o.pos}, fs_temp_place(), NULL);
			ret = err_set(e, HF_EFORMAT, "%s: compressed data: %s", name,
				      ZSTD_getErrorName(hint));
			goto out;
		}
		if (o.pos > max - total) {
			ret = err_set(e, HF_ELIMIT, "%s: over %llu bytes when unpacked",
				      name, (unsigned long long)max);
			goto out;
		}
		total += o.pos;
		ret = fs_write_all(out_fd, (str){out, o.pos}, fs_temp_place(), e);
		if (ret)
			goto out;
	}
	/* hint is 0 exactly at the end of a frame */
	if (ret == 0 && hint)
		ret = err_set(e, HF_EFORMAT, "%s: compressed data ends early", name);
out:
	free(f.p);
	free(out);
	ZSTD_freeDCtx(z);
	return ret;
}

int pack_pack(str s, struct buf *out, struct err *e)
{
	size_t bound = ZSTD_compressBound(s.n), n;
	ZSTD_CCtx *z;
	char *p;

	if (ZSTD_isError(bound))
		return err_set(e, HF_ELIMIT, "too much to compress");
	z = ZSTD_createCCtx();
	p = malloc(bound);
	if (!z || !p)
		log_oom();
	(void)ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel,
				     s.n <= SMALL_MAX ? PACK_LEVEL : FAST_LEVEL);
	(void)ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(z, p, bound, s.p ? s.p : "", s.n);
	/* the room is the bound and the parameters are constants: only memory can be short */
	if (ZSTD_isError(n))
		log_oom();
	buf_add(out, (str){p, n});
	ZSTD_freeCCtx(z);
	free(p);
	if (out->full)
		return err_set(e, HF_ELIMIT, "compressed text over %zu bytes", out->max);
	return 0;
}

int pack_unpack_text(str s, struct buf *out, struct err *e)
{
	ZSTD_DCtx *z = reader();
	size_t max = ZSTD_DStreamOutSize(), hint = 1;
	ZSTD_inBuffer in = {s.p ? s.p : "", s.n, 0};
	size_t before = out->n;
	char *p = malloc(max);
	bool more = true;
	int ret = 0;

	if (!p)
		log_oom();
	/* a full output may mean that more is waiting although the input is used up */
	while (ret == 0 && (in.pos < in.size || more)) {
		ZSTD_outBuffer o = {p, max, 0};

		hint = ZSTD_decompressStream(z, &o, &in);
		more = o.pos == o.size && hint;
		if (ZSTD_isError(hint))
			ret = err_set(e, HF_EFORMAT, "compressed text: %s",
				      ZSTD_getErrorName(hint));
		else
			buf_add(out, (str){p, o.pos});
		if (out->full)
			ret = err_set(e, HF_ELIMIT, "text over %zu bytes when unpacked",
				      out->max);
		else if (o.pos == 0 && in.pos >= in.size)
			break;
	}
	if (ret == 0 && hint)
		ret = err_set(e, HF_EFORMAT, "compressed text ends early");
	if (ret)
		buf_cut(out, before);
	free(p);
	ZSTD_freeDCtx(z);
	return ret;
}
