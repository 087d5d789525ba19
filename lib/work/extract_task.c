/*
 * What runs beside the conversation: agents, background tasks, lists of things to do. Each
 * has an id under which later records speak of it.
 */
#include "work/extract_impl.h"
#include "base/utf8.h"

#include <stdio.h>

static struct fact_background *find_background(struct extract *x, str id)
{
	for (size_t i = 0; i < x->f.nbackground; i++) {
		if (str_eq(x->f.background[i].id, id))
			return &x->f.background[i];
	}
	return NULL;
}

/* The background task, added if it is new; when there are too many, the first one that has ended goes. */
struct fact_background *extract_background(struct extract *x, str id, str command)
{
	struct fact_background *b = find_background(x, id);
	size_t old = 0;

	if (b)
		return b;
	if (x->f.nbackground == BACKGROUND_MAX) {
		while (old < x->f.nbackground && x->f.background[old].ended.n == 0)
			old++;
		table_drop(&extract_table[T_BACKGROUND], x,
			   old < x->f.nbackground ? old : 0);
		x->f.dropped++;
	}
	b = table_push(&extract_table[T_BACKGROUND], x);
	b->record = x->f.records;
	b->id = extract_keep(x, id, ID_BYTES);
	b->command = extract_keep(x, command, LABEL_BYTES);
	return b;
}

static struct fact_agent *find_agent(struct extract *x, str id)
{
	for (size_t i = 0; i < x->f.nagent; i++) {
		if (str_eq(x->f.agent[i].id, id))
			return &x->f.agent[i];
	}
	return NULL;
}

static struct fact_agent *agent(struct extract *x, str id, str description)
{
	struct fact_agent *a = find_agent(x, id);

	if (!a) {
		a = extract_push_newest(x, &extract_table[T_AGENT]);
		a->record = x->f.records;
		a->id = extract_keep(x, id, ID_BYTES);
	}
	if (a->description.n == 0)
		a->description = extract_keep(x, description, LABEL_BYTES);
	return a;
}

/* Without the lines that the client appends for itself. */
static str agent_words(struct extract *x, str s)
{
	static const str own[] = {
		STR("agentId:"),  STR("<usage"),      STR("subagent_tokens"),
		STR("tool_uses"), STR("duration_ms"), STR("total_tokens"),
	};
	bool client;
	str line;

	buf_reset(&x->text);
	while (str_split(&s, '\n', &line)) {
		client = false;
		for (size_t i = 0; i < COUNT(own); i++)
			client |= str_starts(line, own[i]);
		if (client)
			continue;
		if (x->text.n)
			buf_byte(&x->text, '\n');
		buf_add(&x->text, line);
	}
	return extract_scratch(x, buf_str(&x->text));
}

static void agent_result(struct extract *x, struct fact_agent *a, str result)
{
	result = agent_words(x, result);
	extract_note_finding(x, result);
	a->result = extract_keep(x, result, AGENT_BYTES);
	a->record = x->f.records;
}

void extract_on_notification(struct extract *x, str s)
{
	str id = record_tag(s, "task-id"), status = record_tag(s, "status");
	str summary = record_tag(s, "summary"), result = record_tag(s, "result");
	str event = record_tag(s, "event");

	if (id.n == 0)
		return;
	if (status.n)
		extract_background(x, id, summary)->ended =
			extract_keep(x, status, ID_BYTES);
	if (event.n)
		extract_background(x, id, summary)->event =
			extract_keep(x, extract_squeezed(x, event), LINE_BYTES);
	if (str_starts(str_trim(event), STR("[Monitor timed out")))
		extract_background(x, id, summary)->ended =
			extract_keep(x, STR("timed out"), ID_BYTES);
	if (result.n)
		agent_result(x, agent(x, id, summary), result);
}

void extract_on_agent_result(struct extract *x, const struct call *c,
			     const struct val *result, str text)
{
	str id = extract_door_get(x, result, "agentId");
	struct fact_agent *a = agent(x, id.n ? id : c->id, c->description);
	struct buf b = BUF_INIT(DOOR_BYTES);

	if (val_bool(val_get(result, "isAsync")) ||
	    str_eq(val_get_str(result, "status"), STR("async_launched"))) {
		buf_add(&b, STR("agent: "));
		buf_add(&b, a->description);
		extract_background(x, id.n ? id : c->id, extract_scratch(x, buf_str(&b)));
	} else {
		agent_result(x, a, text);
	}
	buf_release(&b);
}

static void add_todo(struct extract *x, str id, str subject, str status)
{
	struct fact_todo *t = extract_push_newest(x, &extract_table[T_TODO]);

	t->record = x->f.records;
	x->source = true;
	t->id = extract_keep(x, id, ID_BYTES);
	t->subject = extract_keep(x, subject, LINE_BYTES);
	t->status = extract_keep(x, status, ID_BYTES);
}

void extract_on_todo_list(struct extract *x, str payload)
{
	str rest = payload, key, text, subject = STR_NONE;
	char id[24];
	size_t n = 0;

	x->f.ntodo = 0;
	x->source = true;
	while (str_split(&rest, 0, &key) && str_split(&rest, 0, &text)) {
		if (str_eq(key, STR("todo"))) {
			subject = text;
			continue;
		}
		id[0] = 0;
		(void)snprintf(id, sizeof id, "%zu", n++);
		add_todo(x, str_of(id), subject, text);
	}
}

static str task_key(struct extract *x, str id)
{
	struct buf b = BUF_INIT(ID_BYTES);
	str key;

	buf_byte(&b, '#');
	buf_add(&b, id);
	key = extract_scratch(x, buf_str(&b));
	buf_release(&b);
	return key;
}

/* "Task #3 created successfully: subject", where the client kept no more than that. */
static str task_number(str text)
{
	size_t n = 0;

	if (!str_starts(text, STR("Task #")))
		return STR_NONE;
	text = str_from(text, 6);
	while (n < text.n && str_is_digit(text.p[n]))
		n++;
	return str_head(text, n);
}

void extract_on_task_create(struct extract *x, const struct call *c,
			    const struct val *result, str text)
{
	const struct val *task = val_get(result, "task");
	str subject = extract_packed(c->payload, "subject");
	str id = task ? extract_door_get(x, task, "id") : task_number(text);

	if (id.n == 0)
		return;
	if (subject.n == 0)
		subject = extract_door_get(x, task, "subject");
	add_todo(x, task_key(x, id), subject, STR("pending"));
}

void extract_on_task_update(struct extract *x, const struct call *c)
{
	str id = task_key(x, extract_packed(c->payload, "taskId"));
	str status = extract_packed(c->payload, "status"),
	    subject = extract_packed(c->payload, "subject");

	for (size_t i = 0; i < x->f.ntodo; i++) {
		struct fact_todo *t = &x->f.todo[i];

		if (!str_eq(t->id, id))
			continue;
		if (status.n)
			t->status = extract_keep(x, status, ID_BYTES);
		if (subject.n)
			t->subject = extract_keep(x, subject, LINE_BYTES);
		t->record = x->f.records;
		x->source = true;
	}
}

/* What became of a background task. */
void extract_on_task_output(struct extract *x, const struct call *c, str text)
{
	static const char *const keys[] = {"task_id", "agentId", "bash_id", "shell_id"};
	str id = STR_NONE, status = record_tag(text, "status"), output;
	struct fact_background *b;
	struct fact_agent *a;

	for (size_t i = 0; i < COUNT(keys) && id.n == 0; i++)
		id = extract_packed(c->payload, keys[i]);
	if (str_eq(c->name, STR("TaskStop")) || str_eq(c->name, STR("KillShell")) ||
	    str_eq(c->name, STR("KillBash")))
		status = STR("stopped");
	if (id.n == 0 || status.n == 0 || str_eq(status, STR("running")) ||
	    str_eq(status, STR("pending")))
		return;
	b = find_background(x, id);
	if (b)
		b->ended = extract_keep(x, status, ID_BYTES);
	a = find_agent(x, id);
	output = record_tag(text, "output");
	if (a && output.n)
		agent_result(x, a, output);
}

bool extract_is_task_output(str name)
{
	static const str tools[] = {STR("TaskOutput"), STR("AgentOutputTool"),
				    STR("BashOutput"), STR("TaskStop"),
				    STR("KillShell"),  STR("KillBash")};

	return extract_in_list(name, tools, COUNT(tools));
}
