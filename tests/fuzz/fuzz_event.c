/*
 * fuzz_event: read anything as a session note; every event found lies inside it, and what is
 * written of it reads back the same.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "data/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_inside(str s, str text)
{
	assert(s.n == 0 || (s.p >= text.p && s.p + s.n <= text.p + text.n));
}

static void write_and_read(struct event *ev)
{
	struct buf content = BUF_INIT(1 << 22), line = BUF_INIT(1 << 22);
	struct event back;
	str rest, cut;

	event_normalise(&content, ev->content);
	assert(utf8_valid(buf_str(&content)));
	if (content.n && event_id_ok(ev->id)) {
		ev->content = buf_str(&content);
		ev->at = ev->supersedes = ev->from = STR_NONE;
		event_render(&line, ev);
		rest = buf_str(&line);
		assert(event_cut(&rest, &cut) && rest.n == 0);
		assert(event_parse(cut, &back));
		assert(back.type == ev->type && back.origin == ev->origin);
		assert(back.importance == ev->importance && str_eq(back.id, ev->id));
	}
	buf_release(&content);
	buf_release(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str text = {(const char *)data, size}, rest, line, id, list;
	struct buf b = BUF_INIT(1 << 22);
	struct event_note n;
	struct event ev;
	size_t it = 0, cut = 0;

	event_note_read(&n, text);
	assert_inside(n.body, text);
	assert_inside(n.id, text);
	assert_inside(n.summary, text);
	for (rest = n.body; event_cut(&rest, &line);) {
		assert_inside(line, n.body);
		assert(line.n == 0 || !memchr(line.p, '\n', line.n));
		cut++;
		if (!event_parse(line, &ev))
			continue;
		assert_inside(ev.content, line);
		assert(ev.content.n && ev.id.n && ev.importance >= 1 &&
		       ev.importance <= 5);
		for (list = ev.supersedes; event_superseded(&list, &id);)
			assert(id.n);
		write_and_read(&ev);
	}
	assert(cut <= size + 1);
	while (event_link(text, &it, &b))
		assert(b.n && it <= size);
	buf_reset(&b);
	if (size < 4096) {
		event_entity_file(&b, text);
		assert(b.n && b.n <= EVENT_FILE_MAX && !memchr(b.p, '/', b.n));
	}
	buf_release(&b);
	return 0;
}
