#include "work/frame.h"

#include "base/utf8.h"

/* Beginnings of the names of tags that mean something to the client, and of all of ours. */
static const char *const TAG[] = {
	"handoff-",
	"system-reminder",
	"command-",
	"local-command-",
	"task-notification",
	"user-prompt-submit",
	"user-memory",
	"ide_",
	"bash-",
	"function_results",
	"function_calls",
	"antml:",
};

static str skip(str s)
{
	while (s.n && (str_is_space(s.p[0]) || s.p[0] == '/'))
		s = str_from(s, 1);
	return s;
}

static bool tag_at(str s, size_t i)
{
	str rest = skip(str_from(s, i + 1));

	for (size_t k = 0; k < sizeof(TAG) / sizeof(TAG[0]); k++)
		if (str_istarts(rest, str_of(TAG[k])))
			return true;
	return false;
}

void frame_defuse(struct buf *out, str s)
{
	size_t from = 0;

	for (size_t i = str_chr(s, '<'); i < s.n;) {
		size_t next = str_chr(str_from(s, i + 1), '<');

		if (tag_at(s, i)) {
			buf_add(out, (str){s.p + from, i - from});
			buf_add(out, STR("&lt;"));
			from = i + 1;
		}
		i = next == STR_NPOS ? s.n : i + 1 + next;
	}
	buf_add(out, str_from(s, from));
}

void frame_line(struct buf *out, str s)
{
	struct buf line = BUF_INIT(SIZE_MAX);

	utf8_show(&line, s, UTF8_ONELINE);
	frame_defuse(out, buf_str(&line));
	buf_release(&line);
}
