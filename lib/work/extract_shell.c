/*
 * Commands: what ran, what failed and why.
 */
#include "work/extract_impl.h"
#include "base/utf8.h"
#include "work/prose.h"

str extract_keep_line(struct extract *x, str s)
{
	return extract_keep(x, s, LINE_BYTES);
}

static struct fact_command *find_command(struct extract *x, str command)
{
	struct fact_command *c;
	str key;

	buf_reset(&x->text);
	prose_command_short(&x->text, prose_command_core(command), COMMAND_BYTES / 8 * 7);
	key = extract_scratch(x, utf8_head(buf_str(&x->text), COMMAND_BYTES));

	for (size_t i = 0; i < x->f.ncommand; i++) {
		if (str_eq(x->f.command[i].text, key))
			return &x->f.command[i];
	}
	if (x->f.ncommand == COMMANDS_MAX)
		extract_drop_command(x);
	c = table_push(&extract_table[T_COMMAND], x);
	c->first = x->f.records;
	c->text = extract_keep(x, key, COMMAND_BYTES);
	buf_reset(&x->text);
	prose_family(&x->text, prose_command_core(command));
	c->family = extract_keep(x, extract_scratch(x, buf_str(&x->text)), ID_BYTES);
	c->check = prose_is_check(command);
	return c;
}

/* The last line of an output that says more than its exit code. */
static str last_line(struct extract *x, str own, str text)
{
	str line, last = STR_NONE;

	buf_reset(&x->text);
	prose_plain(&x->text, text);
	text = extract_scratch(x, buf_str(&x->text));
	while (str_split(&text, '\n', &line)) {
		if (str_trim(line).n > 8 && !str_starts(line, STR("Exit code")))
			last = line;
	}
	last = extract_squeezed(x, last);
	return str_find(own, last) == STR_NPOS ? extract_cut_text(x, last, 160)
					       : STR_NONE;
}

static str first_line_with(str text, str word)
{
	str line;

	while (str_split(&text, '\n', &line)) {
		if (str_find(line, word) != STR_NPOS)
			return line;
	}
	return STR_NONE;
}

/* A guard of the user's blocked the command: its line, and its rule. */
static size_t blocked_lines(struct extract *x, str text, str out[2])
{
	size_t rule = str_find(text, STR("Rule: "));

	if (rule == STR_NPOS || rule == 0 ||
	    str_find(str_head(text, 400), STR("BLOCKED")) == STR_NPOS)
		return 0;
	out[0] = extract_cut_text(
		x, extract_squeezed(x, first_line_with(text, STR("BLOCKED"))), 160);
	text = str_from(text, rule);
	out[1] = extract_cut_text(x, str_head(text, str_chr(text, '\n')), 80);
	return 2;
}

/* Programs whose output is other people's text. */
static bool prints_texts(str command)
{
	static const str programs[] = {STR("grep"), STR("rg"),  STR("cat"), STR("ls"),
				       STR("find"), STR("git"), STR("sed"), STR("head"),
				       STR("tail"), STR("awk")};

	return extract_in_list(str_head(command, str_chr(command, ' ')), programs,
			       COUNT(programs));
}

#define SHORT_OUTPUT 300
#define LONG_OUTPUT  (8 * SHORT_OUTPUT) /* not short, whatever is redacted in it */

/* Error lines of a command that the client did not flag: pipes and `|| true` hide failure. */
static size_t soft_errors(struct extract *x, const struct fact_command *d, str command,
			  str own, str text, str out[2])
{
	size_t n, kept = 0;

	if (!d->check && !str_starts(command, STR("gh ")) &&
	    str_find(command, STR("| ")) == STR_NPOS && !str_ends(command, STR("2>&1")) &&
	    text.n >= SHORT_OUTPUT)
		return 0;
	if (prints_texts(command) || (d->tally.n && !prose_tally_fails(d->tally)))
		return 0;
	n = prose_error_lines(&x->other, text, own, false, out);
	for (size_t i = 0; i < n; i++) {
		if (prose_error_score(out[i], false) >= (text.n < SHORT_OUTPUT ? 3 : 5))
			out[kept++] = out[i];
	}
	return kept;
}

static size_t hard_errors(struct extract *x, str own, str text, str out[2], bool *weak)
{
	size_t n = blocked_lines(x, text, out);

	if (!n)
		n = prose_error_lines(&x->other, text, own, true, out);
	if (n)
		return n;
	*weak = true;
	out[0] = last_line(x, own, text);
	return out[0].n > 0;
}

struct fact_error *extract_add_error(struct extract *x, str command, str family,
				     const str *line, size_t n)
{
	struct fact_error *e = extract_push_newest(x, &extract_table[T_ERROR]);

	e->record = x->f.records;
	e->at = x->now;
	e->command = extract_keep(x, command, LABEL_BYTES);
	e->family = extract_keep(x, family, ID_BYTES);
	for (size_t i = 0; i < n; i++)
		e->line[i] = extract_keep_line(x, line[i]);
	e->nlines = n;
	return e;
}

static void mark_fixed(struct extract *x, str family)
{
	for (size_t i = 0; family.n && i < x->f.nerror; i++) {
		struct fact_error *e = &x->f.error[i];

		if (!e->fixed && str_eq(e->family, family))
			e->fixed = x->f.records;
	}
}

static void command_errors(struct extract *x, const struct fact_command *d, str command,
			   str own, str text, bool failed)
{
	struct fact_error *e;
	bool weak = false;
	str line[2];
	size_t n;

	if (failed)
		n = hard_errors(x, own, text, line, &weak);
	else
		n = soft_errors(x, d, command, own, text, line);
	if (n) {
		e = extract_add_error(x, command, d->family, line, n);
		e->hard = failed;
		e->tool = weak;
	} else if (!failed) {
		mark_fixed(x, d->family);
	}
}

/* All that the command itself says, on one line and as it was written: no evidence of anything. */
static str own_text(struct extract *x, const struct call *c)
{
	buf_reset(&x->text);
	buf_add(&x->text, c->command);
	if (!str_eq(c->command, c->raw)) {
		buf_byte(&x->text, '\n');
		buf_add(&x->text, c->raw);
	}
	return extract_scratch(x, buf_str(&x->text));
}

/* Flagged as failed, but 1 is how its last program says "nothing found" or "they differ". */
static bool is_answer(const struct call *c, str text)
{
	str line = str_head(text, str_chr(text, '\n'));

	return str_eq(str_trim(line), STR("Exit code 1")) && prose_shrugs(c->command);
}

/* The first pass over an output as it came: it counts findings. Redacted it is looked at again. */
static bool has_finding(str text)
{
	str clause, subject;
	size_t it = 0;

	return prose_finding(text, &it, &clause, &subject);
}

bool extract_is_quiet(const struct call *c, const struct block *b)
{
	str command = c->command;
	bool unread = prints_texts(command) ||
		      (b->text.n >= LONG_OUTPUT && !str_starts(command, STR("gh ")) &&
		       str_find(command, STR("| ")) == STR_NPOS &&
		       !str_ends(command, STR("2>&1")));

	return unread && !b->is_error && !prose_is_check(command) &&
	       str_find(c->raw, STR("git")) == STR_NPOS && !has_finding(b->text) &&
	       !has_finding(b->tail);
}

void extract_on_shell(struct extract *x, const struct call *c, const struct val *result,
		      str text, bool failed)
{
	struct fact_command *d;
	str id = extract_door_get(x, result, "backgroundTaskId"), own;

	if (c->command.n == 0)
		return;
	own = own_text(x, c);
	failed = failed && !is_answer(c, text);
	d = find_command(x, c->command);
	d->piped = prose_is_piped(c->command);
	d->record = x->f.records;
	d->at = x->f.last_at;
	d->count++;
	d->failed = failed;
	if (c->description.n)
		d->description = extract_keep(x, c->description, LABEL_BYTES);
	buf_reset(&x->text);
	if (d->check)
		prose_tally(&x->text, text, own);
	d->tally = extract_keep_line(x, extract_scratch(x, buf_str(&x->text)));
	extract_count_names(x, utf8_head(c->command, 600), WEIGHT_COMMAND);
	if (failed && str_starts(text, STR("<tool_use_error>")))
		return;
	command_errors(x, d, c->command, own, text, failed);
	extract_on_git(x, c, result, text, failed);
	if (!failed) {
		extract_on_touch(x, c->raw);
		extract_on_patch(x, c->raw, text);
	}
	extract_note_finding(x, text);
	if (id.n)
		extract_background(x, id, c->command);
}
