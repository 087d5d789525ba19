/*
 * redact over any bytes: a second pass changes nothing, nothing but markers is put in, and
 * what is shown is valid UTF-8. The first byte picks the entry: a text, or a file's name.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "work/redact.h"

#define OUT_MAX (16u << 20)

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Without its markers the output is what is left of the input, in order. */
static void check_kept(str in, str out)
{
	size_t i = 0, j = 0;

	while (j < out.n) {
		str rest = str_from(out, j);
		size_t end = str_starts(rest, STR("[redacted:")) ? str_chr(rest, ']')
								 : STR_NPOS;

		if (end != STR_NPOS &&
		    !str_starts(str_from(in, i), str_head(rest, end + 1))) {
			j += end + 1;
			continue;
		}
		while (i < in.n && in.p[i] != out.p[j])
			i++;
		check(i < in.n);
		i++;
		j++;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const path[] = {"main.c", "a/.env", ".netrc", ".pgpass",
					   ".git-credentials"};
	struct buf once = BUF_INIT(OUT_MAX), twice = BUF_INIT(OUT_MAX);
	struct buf shown = BUF_INIT(OUT_MAX);
	size_t which = size ? data[0] % (sizeof(path) / sizeof(*path)) : 0;
	str in = {(const char *)data + (size ? 1 : 0), size ? size - 1 : 0};

	if (which == 0) {
		redact(&once, in);
		check_kept(in, buf_str(&once));
		check(redact(&twice, buf_str(&once)) == 0);
		redact_show(&shown, in, data && size % 2);
		check(utf8_valid(buf_str(&shown)));
	} else {
		redact_file(&once, str_of(path[which]), in);
		redact_file(&twice, str_of(path[which]), buf_str(&once));
	}
	check(!once.full && !twice.full);
	check(str_eq(buf_str(&once), buf_str(&twice)));
	buf_release(&once);
	buf_release(&twice);
	buf_release(&shown);
	return 0;
}
