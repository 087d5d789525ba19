#include "work/skipped.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "data/json.h"
#include "work/recall.h"
#include "work/redact.h"

#define SHOWN   5 /* files in the text */
#define BUSY_MS 2000

static const struct {
	unsigned bit;
	const char *word, *text;
} WHY[] = {
	{INDEX_ODD_LINE, "line", "lines that begin as an event and are none"},
	{INDEX_ODD_LONG, "long", "a line over 256 KB"},
	{INDEX_ODD_BIG, "big", "more than is read of one note"},
	{INDEX_ODD_TYPE, "type", "no regular file"},
	{INDEX_ODD_READ, "unreadable", "cannot be read"},
	{INDEX_ODD_PACKED, "damaged", "compressed, and damaged"},
};
#define WHYS (sizeof(WHY) / sizeof(WHY[0]))

static int add_file(const struct index_file *f, void *arg)
{
	struct skipped *s = arg;
	struct buf place = BUF_INIT(16384);

	s->files++;
	s->lines += f->skipped;
	if (s->n == SKIPPED_FILES_MAX)
		return 0;
	if (!s->file)
		s->file = calloc(SKIPPED_FILES_MAX, sizeof(*s->file));
	if (!s->file)
		log_oom();
	recall_place(f, &place);
	s->file[s->n++] = (struct skipped_file){
		.place = buf_take(&place), .odd = f->odd, .lines = f->skipped};
	return 0;
}

static void forget(struct skipped *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->file[i].place);
	s->n = s->files = 0;
	s->lines = 0;
}

void skipped_find(struct skipped *s, const struct vault *v, str project)
{
	struct err e = ERR_INIT;
	struct recall r = {0};
	int ret = 0;

	*s = (struct skipped){.note = BUF_INIT(RECALL_NOTE_MAX * 4)};
	if (vault_exists(v))
		ret = recall_open(
			&r, v,
			&(struct recall_options){.project = project, .busy_ms = BUSY_MS},
			&e);
	if (!ret && r.index)
		do {
			forget(s);
			ret = index_odd(r.index, project, INDEX_ODD_LACKS, add_file, s,
					&e);
		} while (recall_again(&r, v, &ret, &e));
	if (ret)
		buf_printf(&s->note, "(The index of the notes cannot be asked: %s.)\n",
			   e.msg);
	else if (r.index)
		recall_note(&r, &s->note);
	recall_release(&r);
}

void skipped_release(struct skipped *s)
{
	forget(s);
	free(s->file);
	buf_release(&s->note);
	*s = (struct skipped){0};
}

static void add_place(const struct skipped_file *f, struct buf *out)
{
	redact_show(out, str_of(f->place), true);
}

static void add_why(const struct skipped_file *f, struct buf *out)
{
	bool any = false;

	if (f->lines)
		buf_printf(out, "%" PRIu64 " line%s passed over (", f->lines,
			   f->lines == 1 ? "" : "s");
	for (size_t i = 0; i < WHYS; i++)
		if (f->odd & WHY[i].bit) {
			buf_printf(out, "%s%s", any ? "; " : "", WHY[i].text);
			any = true;
		}
	if (f->lines)
		buf_byte(out, ')');
}

void skipped_text(const struct skipped *s, struct buf *out)
{
	if (s->files)
		buf_printf(out, "Notes: %zu %s not in memory as a whole\n", s->files,
			   s->files == 1 ? "is" : "are");
	for (size_t i = 0; i < s->n && i < SHOWN; i++) {
		buf_add(out, STR("  "));
		add_place(&s->file[i], out);
		buf_add(out, STR(": "));
		add_why(&s->file[i], out);
		buf_byte(out, '\n');
	}
	if (s->files > SHOWN)
		buf_printf(out, "  and %zu more; %" PRIu64 " lines in all\n",
			   s->files - SHOWN, s->lines);
	redact_show(out, buf_str(&s->note), false);
}

static void file_json(const struct skipped_file *f, struct buf *out)
{
	struct buf place = BUF_INIT(65536);

	json_add_sep(out);
	buf_byte(out, '{');
	add_place(f, &place);
	json_add_key(out, "file");
	json_add_str(out, buf_str(&place));
	json_add_key(out, "lines");
	buf_u64(out, f->lines);
	json_add_key(out, "why");
	buf_byte(out, '[');
	for (size_t i = 0; i < WHYS; i++)
		if (f->odd & WHY[i].bit) {
			json_add_sep(out);
			json_add_str(out, str_of(WHY[i].word));
		}
	buf_add(out, STR("]}"));
	buf_release(&place);
}

void skipped_json(const struct skipped *s, struct buf *out)
{
	struct buf note = BUF_INIT(65536);

	buf_byte(out, '{');
	json_add_key(out, "files");
	buf_u64(out, s->files);
	json_add_key(out, "lines");
	buf_u64(out, s->lines);
	json_add_key(out, "first");
	buf_byte(out, '[');
	for (size_t i = 0; i < s->n; i++)
		file_json(&s->file[i], out);
	buf_byte(out, ']');
	json_add_key(out, "note");
	redact_show(&note, str_trim_right(buf_str(&s->note)), false);
	if (note.n)
		json_add_str(out, buf_str(&note));
	else
		buf_add(out, STR("null"));
	buf_byte(out, '}');
	buf_release(&note);
}
