#include "print.h"

#include <errno.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/io.h"
#include "base/log.h"
#include "base/out.h"

#define STEP (64u << 10)

int print_text(const struct buf *text, struct err *e)
{
	struct out o;

	if (text->full)
		return err_set(e, HF_ELIMIT, "the answer is over %zu bytes", text->max);
	out_init(&o, STDOUT_FILENO, "standard output");
	out_add(&o, buf_str(text));
	if (text->n && text->p[text->n - 1] != '\n')
		out_add(&o, STR("\n"));
	return out_end(&o, e);
}

int print_recalled(const struct recall *r, bool json, struct buf *text, struct err *e)
{
	struct buf note = BUF_INIT(RECALL_NOTE_MAX);

	recall_note(r, &note);
	if (json && note.n) {
		log_warn("%.*s", STR_ARG(str_trim(buf_str(&note))));
	} else if (note.n) {
		if (text->n && text->p[text->n - 1] != '\n')
			buf_add(text, STR("\n\n"));
		buf_add(text, buf_str(&note));
	}
	buf_release(&note);
	return print_text(text, e);
}

static int from_input(size_t max, struct buf *out, struct err *e)
{
	for (;;) {
		char *p = buf_room(out, STEP);
		ssize_t n;

		if (!p)
			return err_set(e, HF_ELIMIT, "standard input: over %zu bytes",
				       max);
		n = io.read(STDIN_FILENO, p, STEP);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "standard input");
		if (n == 0)
			return 0;
		out->n += (size_t)n;
		if (out->n > max)
			return err_set(e, HF_ELIMIT, "standard input: over %zu bytes",
				       max);
	}
}

int print_read(const char *name, size_t max, struct buf *out, struct err *e)
{
	if (name && strcmp(name, "-") != 0)
		return fs_read(name, out, e);
	return from_input(max, out, e);
}
