/*
 * What sub-agents gave back and the transcript does not hold yet: the result of one that ran in
 * the background stands there only once the conversation comes to it, that of any other once its
 * call is answered, and a session may die before. SubagentStop notes it in the journal, a line
 * each: "TYPE ID: words", or "TYPE: words" where the client gave no id.
 */
#include "work/keep_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/oom.h"

struct told {
	str type, id, words;
};

static struct told parse(const char *line)
{
	str s = str_of(line);
	size_t at = str_find(s, STR(": "));
	struct told t = {.words = s};

	if (at == STR_NPOS)
		return t;
	t.type = str_head(s, at);
	t.words = str_from(s, at + 2);
	for (size_t i = at; i-- > 0;)
		if (s.p[i] == ' ') {
			t.type = str_head(s, i);
			t.id = str_from(str_head(s, at), i + 1);
			break;
		}
	return t;
}

static struct fact_agent *agent_of(struct fact_agent *a, size_t n, str id)
{
	for (size_t i = 0; id.n && i < n; i++)
		if (str_eq(a[i].id, id))
			return &a[i];
	return NULL;
}

static struct fact_background *background_of(struct fact_background *b, size_t n, str id)
{
	for (size_t i = 0; id.n && i < n; i++)
		if (str_eq(b[i].id, id))
			return &b[i];
	return NULL;
}

static void *copy(const void *from, size_t n, size_t more, size_t size)
{
	void *to = calloc(n + more + 1, size);

	if (!to)
		oom();
	if (n)
		memcpy(to, from, n * size);
	return to;
}

const struct facts *keep_agents_add(struct keep_agents *k, const struct facts *f,
				    const struct journal *j)
{
	*k = (struct keep_agents){.facts = *f};
	if (!j->agents[0])
		return f;
	k->facts.agent = k->agent =
		copy(f->agent, f->nagent, JOURNAL_LIST_MAX, sizeof(*f->agent));
	k->facts.background = k->background =
		copy(f->background, f->nbackground, 0, sizeof(*f->background));
	for (size_t i = JOURNAL_LIST_MAX; i-- > 0;) { /* the newest stands first */
		struct told t;
		struct fact_agent *a;
		struct fact_background *b;

		if (!j->agents[i])
			continue;
		t = parse(j->agents[i]);
		a = agent_of(k->agent, k->facts.nagent, t.id);
		if (a && a->result.n)
			continue;
		if (!a) {
			a = &k->agent[k->facts.nagent++];
			*a = (struct fact_agent){.id = t.id, .description = t.type};
		}
		a->record = f->records;
		a->result = t.words;
		b = background_of(k->background, k->facts.nbackground, t.id);
		if (b && !b->ended.n)
			b->ended = STR("completed");
	}
	return &k->facts;
}

void keep_agents_release(struct keep_agents *k)
{
	free(k->agent);
	free(k->background);
	*k = (struct keep_agents){.agent = NULL};
}

void keep_agents_settle(const char *state_dir, struct journal *j)
{
	struct extract *x = j->agents[0] ? keep_facts(state_dir, j) : NULL;
	const struct facts *f = x ? extract_facts(x, NULL, CLOCK_NONE) : NULL;
	char *kept[JOURNAL_LIST_MAX];
	size_t n = 0;

	for (size_t i = 0; i < JOURNAL_LIST_MAX; i++) {
		const struct fact_background *b = NULL;

		if (f && j->agents[i])
			b = background_of(f->background, f->nbackground,
					  parse(j->agents[i]).id);
		if (b && !b->ended.n)
			kept[n++] = j->agents[i];
		else
			free(j->agents[i]);
		j->agents[i] = NULL;
	}
	if (n)
		memcpy(j->agents, kept, n * sizeof(kept[0]));
	extract_free(x);
}
