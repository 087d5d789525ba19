/*
 * Messages name paths and words from outside, so they are made safe for a terminal here,
 * once: every character that utf8_show would escape, and every ill-formed byte, becomes '?'.
 */
#include "base/err.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Clean text into out (at most max bytes and a NUL), cut between characters. */
static void err_clean(char *out, size_t max, str text)
{
	size_t at = 0, len;
	uint32_t cp;

	while (text.n) {
		len = utf8_next(text, &cp);
		if (at + (len ? len : 1) > max)
			break;
		if (len == 0 || utf8_unsafe(cp)) {
			out[at++] = '?';
		} else {
			memcpy(out + at, text.p, len);
			at += len;
		}
		text = str_from(text, len ? len : 1);
	}
	out[at] = 0;
}

static void __attribute__((format(printf, 4, 0)))
err_store(struct err *e, int code, const char *reason, const char *fmt, va_list ap)
{
	char raw[ERR_MSG_BYTES *
		 2]; /* cleaning only shortens, and what is longer is cut anyway */
	size_t keep = sizeof e->msg - 1 - strlen(reason);

	if (vsnprintf(raw, sizeof raw, fmt, ap) < 0)
		raw[0] = 0;
	e->code = code;
	err_clean(e->msg, keep, utf8_head(str_of(raw), sizeof raw - 4));
	memcpy(e->msg + strlen(e->msg), reason, strlen(reason) + 1);
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e || e->code)
		return code;
	va_start(ap, fmt);
	err_store(e, code, "", fmt, ap);
	va_end(ap);
	return code;
}

int err_sys(struct err *e, const char *fmt, ...)
{
	int code = errno == EPIPE ? HF_EPIPE : HF_EIO;
	char reason[96];
	va_list ap;

	if (!e || e->code)
		return code;
	snprintf(reason, sizeof reason, ": %s", strerror(errno));
	va_start(ap, fmt);
	err_store(e, code, reason, fmt, ap);
	va_end(ap);
	return code;
}
