#include "work/history.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "data/claude.h"
#include "data/json.h"

#define LINE_MAX_BYTES (4u << 20)

struct writer {
	int fd;
	str session;
	struct buf line;
	uint64_t n, bytes;
	struct err *e;
};

static int write_prompt(int64_t at, str project, str display, void *arg)
{
	struct writer *w = arg;
	struct buf *b = &w->line;
	char iso[CLOCK_ISO_BYTES];

	buf_reset(b);
	buf_add(b, STR("{\"type\":\"user\",\"isSidechain\":false,\"parentUuid\":"));
	if (w->n)
		buf_printf(b, "\"history-%" PRIu64 "\"", w->n);
	else
		buf_add(b, STR("null"));
	w->n++;
	buf_printf(b, ",\"uuid\":\"history-%" PRIu64 "\"", w->n);
	if (at != CLOCK_NONE) {
		clock_iso(iso, at);
		json_add_key(b, "timestamp");
		json_add_str(b, str_of(iso));
	}
	json_add_key(b, "sessionId");
	json_add_str(b, w->session);
	json_add_key(b, "cwd");
	json_add_str(b, project);
	buf_add(b, STR(",\"message\":{\"role\":\"user\",\"content\":"));
	json_add_str(b, display);
	buf_add(b, STR("}}\n"));
	if (b->full) /* no prompt is that long: a damaged line is passed over */
		return 0;
	w->bytes += b->n;
	return fs_write_all(w->fd, buf_str(b), fs_temp_place(), w->e);
}

int history_open(struct source *src, const char *claude_dir, str session,
		 uint64_t *prompts, struct err *e)
{
	struct writer w = {
		.fd = -1, .session = session, .line = BUF_INIT(LINE_MAX_BYTES), .e = e};
	int ret;

	*src = (struct source){.fd = -1};
	ret = w.fd = fs_temp(e);
	if (ret < 0)
		goto out;
	ret = claude_history(claude_dir, session, write_prompt, &w, e);
	if (!ret && !w.n)
		ret = err_set(e, HF_ENOTFOUND,
			      "%.*s: neither a transcript nor a prompt in history.jsonl",
			      STR_ARG(session));
	if (!ret && io.lseek(w.fd, 0, SEEK_SET) < 0)
		ret = err_sys(e, "%s", fs_temp_place());
	if (ret)
		goto out;
	*src = (struct source){.fd = w.fd, .size = w.bytes, .mtime_ms = CLOCK_NONE};
	*prompts = w.n;
	w.fd = -1;
out:
	if (w.fd >= 0)
		io.close(w.fd);
	buf_release(&w.line);
	return ret;
}
