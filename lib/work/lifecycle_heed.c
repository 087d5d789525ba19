/*
 * What earlier documents hand on to this session: the stated hazards of the document that it
 * claimed, of the session that /clear or a fork left, and those that stand in its own. Its
 * own document says all of them once it has been made anew; until then it may be older than
 * the claim.
 */
#include "work/lifecycle_parts.h"

#include <stdlib.h>

#include "base/oom.h"
#include "work/check.h"

struct lifecycle_heed {
	struct inject_heed heed;
	struct buf text[3], retired;
	str line[LIFECYCLE_HEED_MAX];
	uint64_t key[LIFECYCLE_HEED_MAX];
};

static void add_line(struct lifecycle_heed *h, str line)
{
	struct buf key = BUF_INIT(HANDOFF_DOC_MAX);
	uint64_t hash;

	check_hazard_key(&key, line);
	hash = str_hash(buf_str(&key));
	buf_release(&key);
	for (size_t i = 0; i < h->heed.n; i++)
		if (h->key[i] == hash)
			return;
	h->key[h->heed.n] = hash;
	h->line[h->heed.n++] = line;
}

static void add_document(struct lifecycle_heed *h, const struct lifecycle *l,
			 struct buf *text, const char *name)
{
	struct handoff_doc d = {.session = STR_NONE};
	size_t at = 0;
	str line;

	if (!name ||
	    docs_read(&l->vault, str_of(l->j->project), str_of(name), text, NULL))
		return;
	handoff_read(&d, buf_str(text), NULL);
	buf_add(&h->retired, d.hazards);
	buf_byte(&h->retired, '\n');
	while (h->heed.n < LIFECYCLE_HEED_MAX &&
	       handoff_next_hazard(d.hazards, &at, &line))
		add_line(h, str_trim(line));
}

struct lifecycle_heed *lifecycle_heed(const struct lifecycle *l)
{
	struct lifecycle_heed *h = calloc(1, sizeof(*h));
	struct journal *left = NULL;

	if (!h)
		oom();
	for (size_t i = 0; i < sizeof(h->text) / sizeof(h->text[0]); i++)
		h->text[i] = BUF_INIT(HANDOFF_DOC_MAX);
	h->retired = BUF_INIT(4 * HANDOFF_DOC_MAX);
	if (l->vault_ok && vault_exists(&l->vault)) {
		if (l->j->previous)
			left = journal_open(l->state_dir, str_of(l->j->previous), NULL);
		if (left)
			add_document(h, l, &h->text[0], left->document);
		add_document(h, l, &h->text[1], l->j->claimed);
		add_document(h, l, &h->text[2], l->j->document);
		journal_free(left);
	}
	h->heed.line = h->line;
	h->heed.retired = buf_str(&h->retired);
	return h;
}

const struct inject_heed *lifecycle_heeds(const struct lifecycle_heed *h)
{
	return &h->heed;
}

void lifecycle_heed_free(struct lifecycle_heed *h)
{
	for (size_t i = 0; i < sizeof(h->text) / sizeof(h->text[0]); i++)
		buf_release(&h->text[i]);
	buf_release(&h->retired);
	free(h);
}
