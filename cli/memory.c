#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "print.h"
#include "work/redact.h"

#define TEXT_MAX (4u << 20)

int memory_open(struct store *s, const struct args *a, struct err *e)
{
	return store_open(s,
			  &(struct store_options){.project = a->in,
						  .session = a->session,
						  .terminal = true},
			  e);
}

int memory_text(const struct args *a, int first, size_t max, struct buf *out,
		struct err *e)
{
	if (a->nwords == first + 1 && strcmp(a->word[first], "-") == 0)
		return print_read(NULL, max, out, e);
	for (int i = first; i < a->nwords; i++) {
		if (i > first)
			buf_byte(out, ' ');
		buf_add(out, str_of(a->word[i]));
	}
	return out->full ? err_set(e, HF_ELIMIT, "the text is over %zu bytes", out->max)
			 : 0;
}

void memory_json(struct buf *out, const char *key, str value)
{
	struct buf clean = BUF_INIT(TEXT_MAX);

	redact(&clean, value);
	json_add_key(out, key);
	json_add_str(out, buf_str(&clean));
	buf_release(&clean);
}
