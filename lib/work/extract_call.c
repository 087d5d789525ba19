/*
 * Calls and results. Tools are known by name where the client has named them so; a dispatch
 * of an agent by the shape of its input.
 */
#include "work/extract_impl.h"
#include "base/utf8.h"
#include "work/prose.h"

#include <stdio.h>

bool extract_is_shell(str name)
{
	return str_eq(name, STR("Bash")) || str_eq(name, STR("PowerShell"));
}

static bool is_editor(str name)
{
	return str_eq(name, STR("Edit")) || str_eq(name, STR("Write")) ||
	       str_eq(name, STR("MultiEdit")) || str_eq(name, STR("NotebookEdit")) ||
	       str_eq(name, STR("Update"));
}

bool extract_in_list(str s, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(s, list[i]))
			return true;
	}
	return false;
}

/* Tools whose use needs no mention. */
static bool is_everyday(str name)
{
	static const str tools[] = {
		STR("Bash"),         STR("PowerShell"),    STR("Read"),
		STR("Edit"),         STR("Write"),         STR("MultiEdit"),
		STR("NotebookEdit"), STR("Grep"),          STR("Glob"),
		STR("LS"),           STR("TodoWrite"),     STR("TaskCreate"),
		STR("TaskUpdate"),   STR("TaskList"),      STR("TaskGet"),
		STR("Task"),         STR("Agent"),         STR("AskUserQuestion"),
		STR("ExitPlanMode"), STR("EnterPlanMode"), STR("ToolSearch"),
		STR("BashOutput"),   STR("TaskOutput"),
	};

	return extract_in_list(name, tools, COUNT(tools));
}

/* Look a key up in what pack() made. */
str extract_packed(str payload, const char *key)
{
	str rest = payload, k, v;

	while (str_split(&rest, 0, &k) && str_split(&rest, 0, &v)) {
		if (str_eq(k, str_of(key)))
			return v;
	}
	return STR_NONE;
}

static void pack(struct buf *out, const char *key, str v)
{
	buf_add(out, str_of(key));
	buf_byte(out, 0);
	for (size_t i = 0; i < v.n; i++)
		buf_byte(out, v.p[i] ? v.p[i] : ' ');
	buf_byte(out, 0);
}

/* ---- calls ---- */

/* The input that says most about a call. */
static str gist(struct extract *x, const struct val *input)
{
	static const char *const keys[] = {"command",     "file_path", "notebook_path",
					   "description", "pattern",   "url",
					   "prompt",      "query"};

	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct val *v = val_get(input, keys[i]);

		if (v && v->type == VAL_STR && v->text.n)
			return extract_door_val(x, v);
	}
	return STR_NONE;
}

str extract_normalised(struct extract *x, str command)
{
	buf_reset(&x->text);
	prose_command(&x->text, command);
	return extract_scratch(x, buf_str(&x->text));
}

static str relative(struct extract *x, str path)
{
	buf_reset(&x->text);
	extract_relative(&x->f, path, &x->text);
	return extract_scratch(x, buf_str(&x->text));
}

/* "Bash": the command; others: the tool's name and what it was about. */
static str call_label(struct extract *x, str name, const struct val *input)
{
	str about = extract_normalised(x, gist(x, input));

	if (extract_is_shell(name))
		return about;
	about = relative(x, about);
	buf_reset(&x->text);
	buf_add(&x->text, name);
	if (about.n) {
		buf_byte(&x->text, ' ');
		buf_add(&x->text, about);
	}
	return extract_scratch(x, buf_str(&x->text));
}

static void pack_pair(struct extract *x, struct buf *out, str path, const struct val *v)
{
	static const char *const news[] = {"new_string", "new_source", "content"};
	const struct val *old = val_get(v, "old_string"), *new = NULL;

	for (size_t i = 0; i < COUNT(news) && !new; i++)
		new = val_get(v, news[i]);
	pack(out, "old",
	     old ? extract_door_text(x, path, old->text, old->tail, old->cut) : STR_NONE);
	pack(out, "new",
	     new ? extract_door_text(x, path, new->text, new->tail, new->cut) : STR_NONE);
}

/* The texts of an edit: old, new, old, new, ... */
static void pack_edit(struct extract *x, struct buf *out, str path,
		      const struct val *input)
{
	const struct val *edits = val_get(input, "edits"),
			 *content = val_get(input, "content");

	if (content && content->cut)
		pack(out, "cut", STR("1"));
	if (!edits || edits->type != VAL_ARR) {
		pack_pair(x, out, path, input);
		return;
	}
	for (const struct val *v = edits->child; v; v = v->next)
		pack_pair(x, out, path, v);
}

static void pack_todos(struct extract *x, struct buf *out, const struct val *todos)
{
	for (const struct val *v = todos ? todos->child : NULL; v; v = v->next) {
		if (v->type != VAL_OBJ)
			continue;
		pack(out, "todo", extract_door_get(x, v, "content"));
		pack(out, "status", extract_door_get(x, v, "status"));
	}
}

/* What the result of the call will need of its input. */
static void pack_input(struct extract *x, struct buf *out, str name, str path,
		       const struct val *input)
{
	static const char *const keys[] = {"taskId",  "status",   "subject",
					   "plan",    "task_id",  "agentId",
					   "bash_id", "shell_id", "subagent_type"};

	if (is_editor(name)) {
		pack_edit(x, out, path, input);
		return;
	}
	if (str_eq(name, STR("TodoWrite"))) {
		pack_todos(x, out, val_get(input, "todos"));
		return;
	}
	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct val *v = val_get(input, keys[i]);

		if (v && (v->type == VAL_STR || v->type == VAL_NUM))
			pack(out, keys[i], extract_door_val(x, v));
	}
}

static size_t payload_bytes(const struct extract *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->ncall; i++)
		n += x->call[i].payload.n;
	return n;
}

static void keep_payload(struct extract *x, struct call *c, str name, str path,
			 const struct val *input)
{
	struct buf b = BUF_INIT(PAYLOAD_BYTES);

	pack_input(x, &b, name, path, input);
	if (b.full || payload_bytes(x) + b.n > PAYLOADS_BYTES)
		x->f.dropped++;
	else
		c->payload = extract_kept_str(x, buf_str(&b));
	buf_release(&b);
}

static void count_inputs(struct extract *x, const struct val *input)
{
	static const char *const keys[] = {"path", "pattern", "glob", "prompt",
					   "notebook_path"};

	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct val *v = val_get(input, keys[i]);

		if (v && v->type == VAL_STR)
			extract_count_names(x, utf8_head(extract_door_val(x, v), 3000),
					    WEIGHT_INPUT);
	}
}

void extract_on_call(struct extract *x, const struct block *b)
{
	str name = extract_door(x, b->name),
	    path = extract_door_get(x, b->input, "file_path"), command;
	struct call *c = extract_push_newest(x, &extract_table[T_CALL]);

	if (name.n == 0)
		name = STR("?");
	if (path.n == 0)
		path = extract_door_get(x, b->input, "notebook_path");
	c->record = x->f.records;
	c->at = x->now;
	c->id = extract_keep(x, b->id, ID_BYTES);
	c->name = extract_keep(x, name, ID_BYTES);
	c->label = extract_keep(x, call_label(x, name, b->input), LABEL_BYTES);
	c->description = extract_keep(
		x, extract_squeezed(x, extract_door_get(x, b->input, "description")),
		LABEL_BYTES);
	c->path = extract_keep(x, path, PATH_BYTES);
	c->agent = record_dispatches(b);
	if (extract_is_shell(name)) {
		command = extract_door_get(x, b->input, "command");
		c->raw = extract_keep_ends(x, command, RAW_BYTES / 4 * 3, RAW_BYTES / 4,
					   STR("\n"));
		c->command = extract_keep(x, extract_normalised(x, command), NORM_BYTES);
	} else {
		keep_payload(x, c, name, path, b->input);
		count_inputs(x, b->input);
	}
	x->f.last = FACT_LAST_CALL;
}

static size_t find_call(const struct extract *x, str id)
{
	for (size_t i = x->ncall; i-- > 0;) {
		if (str_eq(x->call[i].id, utf8_head(id, ID_BYTES)))
			return i;
	}
	return STR_NPOS;
}

/* ---- results ---- */

/* A key is the question itself, of which the reader keeps only so much. */
static bool same_question(str q, str key)
{
	return key.n >= SCAN_KEY_MAX - 4 ? str_starts(q, key) : str_eq(q, key);
}

static void answer_option(struct extract *x, struct fact_answer *a,
			  const struct val *result, const struct val *given)
{
	const struct val *questions = val_get(result, "questions");
	str label = val_str(given);

	a->own = true;
	for (const struct val *q = questions ? questions->child : NULL; q; q = q->next) {
		const struct val *options = val_get(q, "options");

		if (!same_question(val_get_str(q, "question"), given->key))
			continue;
		a->header = extract_keep(x, extract_door_get(x, q, "header"), LINE_BYTES);
		a->question =
			extract_keep(x, extract_door_get(x, q, "question"), LINE_BYTES);
		for (const struct val *o = options ? options->child : NULL; o;
		     o = o->next) {
			if (!str_eq(val_get_str(o, "label"), label))
				continue;
			a->own = false;
			a->description = extract_keep(
				x, extract_door_get(x, o, "description"), LINE_BYTES);
		}
	}
}

static void on_answers(struct extract *x, const struct val *result)
{
	const struct val *answers = val_get(result, "answers");
	const struct val *notes = val_get(result, "annotations");
	struct fact_answer *a;
	str text;

	if (!answers || answers->type != VAL_OBJ)
		return;
	for (const struct val *v = answers->child; v; v = v->next) {
		text = extract_squeezed(x, extract_door_val(x, v));
		a = extract_push_newest(x, &extract_table[T_ANSWER]);
		a->record = x->f.records;
		x->source = true;
		a->answer = extract_keep_line(x, text);
		answer_option(x, a, result, v);
		if (a->question.n == 0)
			a->question = extract_keep_line(x, extract_door(x, v->key));
		if (a->header.n == 0)
			a->header = extract_keep_line(
				x, extract_cut_text(x, a->question, 60));
		for (const struct val *n = notes && notes->type == VAL_OBJ ? notes->child
									   : NULL;
		     n; n = n->next) {
			if (str_eq(n->key, v->key))
				a->note = extract_keep_line(
					x, extract_door_get(x, n, "notes"));
		}
		extract_count_names(x, text, WEIGHT_PROMPT);
	}
}

void extract_set_plan(struct extract *x, str plan)
{
	if (plan.n == 0)
		return;
	x->f.plan = extract_keep_ends(x, plan, HALF_TEXT_BYTES, HALF_TEXT_BYTES,
				      STR(EXTRACT_CUT));
	x->f.plan_record = x->f.records;
	x->source = true;
}

static void on_success(struct extract *x, const struct call *c, const struct val *result,
		       str text)
{
	str plan;

	if (is_editor(c->name)) {
		extract_on_edit(x, c, result);
		extract_note_repair(x, c->path);
	} else if (str_eq(c->name, STR("Read"))) {
		extract_on_read(x, c, text);
	} else if (c->agent) {
		extract_on_agent_result(x, c, result, text);
	} else if (str_eq(c->name, STR("AskUserQuestion"))) {
		on_answers(x, result);
	} else if (str_eq(c->name, STR("TodoWrite"))) {
		extract_on_todo_list(x, c->payload);
	} else if (str_eq(c->name, STR("TaskCreate"))) {
		extract_on_task_create(x, c, result, text);
	} else if (str_eq(c->name, STR("TaskUpdate"))) {
		extract_on_task_update(x, c);
	} else if (extract_is_task_output(c->name)) {
		extract_on_task_output(x, c, text);
	} else if (str_eq(c->name, STR("ExitPlanMode"))) {
		plan = extract_packed(c->payload, "plan");
		extract_set_plan(x, plan.n ? plan : extract_door_get(x, result, "plan"));
	}
}

static void on_tool_error(struct extract *x, const struct call *c, str text)
{
	struct fact_error *e;
	str line[2];
	size_t n;

	if (str_find(str_head(text, 20), STR("<tool_use_error>")) != STR_NPOS ||
	    str_eq(c->name, STR("Read")) || text.n <= 10)
		return;
	n = prose_error_lines(&x->other, text, STR_NONE, false, line);
	if (n == 0) {
		buf_reset(&x->text);
		prose_plain(&x->text, text);
		line[n++] = extract_cut_text(
			x, extract_squeezed(x, extract_scratch(x, buf_str(&x->text))),
			200);
	}
	e = extract_add_error(x, c->label, c->name, line, n);
	e->hard = true;
	e->tool = !str_starts(c->name, STR("mcp__"));
	e->diagnosis_record = x->f.records;
}

/* What the user said when refusing a call, if it was in words. */
static str refusal_words(struct extract *x, str text)
{
	static const str BEFORE[] = {STR("the user said:"),
				     STR("reason for the rejection:")};
	size_t k = STR_NPOS;
	str words;

	for (size_t i = 0; i < COUNT(BEFORE) && k == STR_NPOS; i++) {
		k = str_find(text, BEFORE[i]);
		if (k != STR_NPOS)
			k += BEFORE[i].n;
	}
	if (k == STR_NPOS || str_find(text, STR("The user wants to clarify")) != STR_NPOS)
		return STR_NONE;
	words = extract_squeezed(x, str_from(text, k));
	return str_head(words, str_find(words, STR(" Note: The user")));
}

static bool is_refusal(const struct val *result, str text)
{
	return str_starts(text, STR("The user doesn't want")) ||
	       str_eq(val_str(result), STR("User rejected tool use"));
}

/* Refused before it ran, or stopped while it ran: of the first the client uses the same words for both. */
static bool is_stopped(const struct val *result, str text)
{
	return is_refusal(result, text) ||
	       str_find(text, STR("[Request interrupted by user")) != STR_NPOS;
}

static void on_refusal(struct extract *x, const struct call *c, str text)
{
	struct fact_refused *r = extract_push_newest(x, &extract_table[T_REFUSED]);

	r->record = x->f.records;
	x->source = true;
	r->tool = extract_keep(x, c->name, ID_BYTES);
	r->label = extract_keep(x, c->label, LABEL_BYTES);
	r->words = extract_keep_line(x, refusal_words(x, text));
}

/* The longest waits stay. */
static void on_wait(struct extract *x, uint64_t ms)
{
	struct wait *w;
	size_t least = 0;

	if (x->nwait == WAITS_MAX) {
		for (size_t i = 1; i < x->nwait; i++) {
			if (x->wait[i].ms < x->wait[least].ms)
				least = i;
		}
		if (x->wait[least].ms >= ms)
			return;
		table_drop(&extract_table[T_WAIT], x, least);
	}
	w = table_push(&extract_table[T_WAIT], x);
	w->ms = ms;
}

static void count_tool(struct extract *x, str name, bool failed)
{
	struct fact_tool *t = NULL;

	for (size_t i = 0; i < x->f.ntool && !t; i++) {
		if (str_eq(x->f.tool[i].name, name))
			t = &x->f.tool[i];
	}
	if (!t) {
		t = table_push(&extract_table[T_TOOL], x);
		if (!t) {
			x->f.dropped++;
			return;
		}
		t->name = extract_keep(x, name, ID_BYTES);
	}
	t->count++;
	t->failed += failed;
}

static void keep_output(struct extract *x, str text)
{
	struct privates *p = x->private;

	p->output_head = p->output_shell ? extract_keep(x, text, OUTPUT_HEAD) : STR_NONE;
	p->output_tail = extract_kept_str(x, utf8_tail(text, OUTPUT_TAIL));
}

/*
 * Most bytes of a session are outputs of which nothing is kept. Such a one is looked at by
 * redact only if it is still the last when the facts are asked for.
 */
static void put_off(struct extract *x, const struct block *b)
{
	buf_reset(&x->late_text);
	buf_reset(&x->late_tail);
	buf_add(&x->late_text, b->text);
	buf_add(&x->late_tail, b->tail);
	x->late_cut = b->cut;
	x->late = true;
}

void extract_settle(struct extract *x)
{
	if (!x->late)
		return;
	x->late = false;
	keep_output(x, extract_door_text(x, STR_NONE, buf_str(&x->late_text),
					 buf_str(&x->late_tail), x->late_cut));
}

/* The ring of last calls, and what the last one printed. */
static void on_recent(struct extract *x, const struct call *c, const struct val *result,
		      str text, bool failed)
{
	struct privates *p = x->private;
	struct fact_call *row;

	p->output_known = !str_eq(c->name, STR("Read")) &&
			  !str_eq(c->name, STR("Edit")) && !str_eq(c->name, STR("Write"));
	p->output_shell = extract_is_shell(c->name);
	p->output_error = failed;
	keep_output(x, text);
	if (str_starts(c->name, STR("Todo")) || str_eq(c->name, STR("TaskUpdate")) ||
	    str_eq(c->name, STR("TaskCreate")))
		return;
	buf_reset(&x->text);
	buf_add(&x->text, c->label);
	if (str_eq(c->name, STR("Read")) && val_get(result, "file"))
		extract_read_range(&x->text, val_get(result, "file"), text);
	if (x->f.nrecent == RECENT_MAX)
		table_drop(&extract_table[T_RECENT], x, 0);
	row = table_push(&extract_table[T_RECENT], x);
	row->record = x->f.records;
	row->at = x->now;
	row->id = extract_keep(x, c->id, ID_BYTES);
	row->name = extract_keep(x, c->name, ID_BYTES);
	row->label = extract_keep(x, extract_scratch(x, buf_str(&x->text)), LABEL_BYTES);
	row->description = extract_keep(x, c->description, LABEL_BYTES);
	row->agent = c->agent;
	row->stopped = failed && is_stopped(result, text);
}

void extract_on_result(struct extract *x, const struct record *r, const struct block *b)
{
	size_t at = find_call(x, b->id);
	struct call call;
	str text, path;

	if (at == STR_NPOS)
		return;
	call = x->call[at];
	table_drop(&extract_table[T_CALL], x, at);
	path = str_eq(call.name, STR("Read")) ? call.path : STR_NONE;
	x->late = false;
	if (extract_is_shell(call.name) && extract_is_quiet(&call, b)) {
		put_off(x, b);
		text = STR_NONE;
	} else {
		text = extract_door_text(x, path, b->text, b->tail, b->cut);
	}
	if (call.at != CLOCK_NONE && x->now != CLOCK_NONE && !call.agent &&
	    x->now - WAIT_MS > call.at)
		on_wait(x, (uint64_t)x->now - (uint64_t)call.at);
	if (!is_everyday(call.name) && !call.agent)
		count_tool(x, call.name, b->is_error);
	on_recent(x, &call, r->result, text, b->is_error);
	x->f.last = FACT_LAST_RESULT;
	if (b->is_error && is_refusal(r->result, text))
		on_refusal(x, &call, text);
	else if (extract_is_shell(call.name))
		extract_on_shell(x, &call, r->result, text, b->is_error);
	else if (b->is_error)
		on_tool_error(x, &call, text);
	else
		on_success(x, &call, r->result, text);
}
