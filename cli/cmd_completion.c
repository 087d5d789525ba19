/*
 * handoff completion SHELL
 *
 * Made from the same tables as --help, so that a new command, verb or option completes at once. What
 * is stored is asked for when it is to be completed, from `handoff completion KIND`, a name a line;
 * the shells take it as it is: nothing in a name is ever run.
 */
#include "commands.h"
#include "print.h"
#include "recopt.h"
#include "work/names.h"

#define OUT_MAX    (1u << 20)
#define CHOICE_MAX 4096

/* A command, or a verb of one. */
struct node {
	const struct option_row *rows;
	size_t nrows;
	unsigned set; /* of the rows that it takes */
	str choices;  /* what its first operand may be; empty: anything */
	int names;    /* the kind of what its first operand names, or -1 */
	bool files;
};

/* What an option's value may be. */
static const struct {
	const char *option, *value; /* its name, and what --help calls the value */
	int names;                  /* -1: a type of event */
} VALUE[] = {
	{"type", "TYPE", -1},
	{"project", "NAME", NAMES_PROJECTS},
	{"pin", "ADDRESS[@N]", NAMES_RECORDS},
	{"parent", "ID", NAMES_PACKETS},
};

/* The row of VALUE of an option, or -1. */
static int value_of(const struct option_row *r)
{
	for (size_t i = 0; r->value && i < sizeof(VALUE) / sizeof(*VALUE); i++)
		if (strcmp(r->name, VALUE[i].option) == 0 &&
		    strcmp(r->value, VALUE[i].value) == 0)
			return (int)i;
	return -1;
}

static void event_types(struct buf *b)
{
	for (int t = 0; t < EVENT_TYPES; t++)
		buf_printf(b, "%s%.*s", t ? " " : "",
			   STR_ARG(event_type_name((enum event_type)t)));
}

static bool stands_in(const char *operands, const char *word)
{
	return str_find(str_of(operands), str_of(word)) != STR_NPOS;
}

/* Options of a node, one after the other; *it starts at 0. */
static const struct option_row *next_option(const struct node *n, size_t *it)
{
	while (*it < n->nrows) {
		const struct option_row *r = &n->rows[(*it)++];

		if (r->set & n->set)
			return r;
	}
	return NULL;
}

static struct node command_node(const struct command *c)
{
	struct node n = {.set = c->options | OPT_ALWAYS,
			 .choices = str_of(c->choices),
			 .names = c->names,
			 .files = stands_in(c->operands, "FILE") || c->raw};

	if (!c->raw)
		n.rows = args_rows(&n.nrows);
	if (!c->completes)
		n.names = -1;
	return n;
}

static struct node verb_node(const struct recopt_verb *v)
{
	struct node n = {.set = v->options | RECOPT_ALWAYS,
			 .names = stands_in(v->operands, "SCOPE/KEY") ? NAMES_RECORDS
				  : stands_in(v->operands, "ID")      ? NAMES_PACKETS
								      : -1};

	n.rows = recopt_rows(&n.nrows);
	return n;
}

/* Append s for inside single quotes of a shell; with `also`, these characters get a backslash. */
static void quoted(struct buf *b, const char *s, const char *also)
{
	for (; *s; s++) {
		if (*s == '\'')
			buf_add(b, STR("'\\'"));
		else if (strchr(also, *s))
			buf_byte(b, '\\');
		buf_byte(b, *s);
	}
}

/* ---- bash ---- */

static void bash_node(const struct node *n, struct buf *b)
{
	const struct option_row *r;
	size_t it = 0;

	buf_add(b, STR("options='"));
	while ((r = next_option(n, &it)))
		buf_printf(b, "--%s ", r->name);
	buf_add(b, STR("' values='"));
	for (it = 0; (r = next_option(n, &it));)
		if (r->value)
			buf_printf(b, "--%s ", r->name);
	buf_add(b, STR("' asked='"));
	for (it = 0; (r = next_option(n, &it));) {
		int v = value_of(r);

		if (v >= 0)
			buf_printf(b, "--%s=%s ", r->name,
				   VALUE[v].names < 0
					   ? "types"
					   : names_word((enum names_kind)VALUE[v].names));
	}
	buf_printf(b, "' words='%.*s' names=%s files=%s ;;\n", STR_ARG(n->choices),
		   n->names < 0 ? "" : names_word((enum names_kind)n->names),
		   n->files ? "1" : "");
}

static void bash_command(const struct command *c, struct buf *b)
{
	struct node n;

	buf_printf(b, "\t%s)\n\t\t", c->name);
	if (!c->nverbs) {
		n = command_node(c);
		bash_node(&n, b);
		return;
	}
	buf_add(b, STR("at=3\n\t\tcase ${COMP_WORDS[2]} in\n"));
	for (size_t i = 0; i < c->nverbs; i++) {
		n = verb_node(&c->verbs[i]);
		buf_printf(b, "\t\t%s) ", c->verbs[i].name);
		bash_node(&n, b);
	}
	buf_add(b,
		STR("\t\tesac\n\t\tif [ \"$COMP_CWORD\" -eq 2 ]; then\n\t\t\tCOMPREPLY=($(compgen -W '"));
	for (size_t i = 0; i < c->nverbs; i++)
		buf_printf(b, "%s ", c->verbs[i].name);
	buf_add(b, STR("--help' -- \"$cur\"))\n\t\t\treturn\n\t\tfi ;;\n"));
}

static void bash(struct buf *b)
{
	buf_add(b,
		STR("# handoff completion bash: source it from ~/.bashrc\n"
		    "_handoff_names()\n{\n"
		    "\tlocal name\n"
		    "\twhile IFS= read -r name; do\n"
		    "\t\tcase $name in \"$2\"*) COMPREPLY+=(\"$(printf %q \"$name\")\") ;; esac\n"
		    "\tdone < <(handoff completion \"$1\" 2>/dev/null)\n}\n"
		    "_handoff()\n{\n"
		    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		    "\tlocal options values asked words names files at=2 kind\n"
		    "\tCOMPREPLY=()\n"
		    "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
		    "\t\tCOMPREPLY=($(compgen -W '"));
	for (const struct command *const *c = commands_all; *c; c++)
		buf_printf(b, "%s ", (*c)->name);
	buf_add(b, STR("--help --version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
		       "\tcase ${COMP_WORDS[1]} in\n"));
	for (const struct command *const *c = commands_all; *c; c++)
		bash_command(*c, b);
	buf_add(b, STR("\tesac\n"
		       "\tcase \" $asked\" in *\" $prev=\"*)\n"
		       "\t\tkind=${asked##*\"$prev=\"}\n"
		       "\t\tkind=${kind%% *}\n"
		       "\t\tcase $kind in\n"
		       "\t\ttypes) COMPREPLY=($(compgen -W '"));
	event_types(b);
	buf_add(b,
		STR("' -- \"$cur\")) ;;\n"
		    "\t\t*) _handoff_names \"$kind\" \"$cur\" ;;\n"
		    "\t\tesac\n"
		    "\t\treturn ;;\n"
		    "\tesac\n"
		    "\tcase \" $values \" in *\" $prev \"*) return ;; esac\n"
		    "\tcase $cur in\n"
		    "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
		    "\t*)\n"
		    "\t\tif [ \"$COMP_CWORD\" -eq \"$at\" ]; then\n"
		    "\t\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		    "\t\t\tif [ -n \"$names\" ]; then _handoff_names \"$names\" \"$cur\"; fi\n"
		    "\t\tfi\n"
		    "\t\tif [ -n \"$files\" ]; then COMPREPLY+=($(compgen -f -- \"$cur\")); fi ;;\n"
		    "\tesac\n}\n"
		    "complete -F _handoff handoff\n"));
}

/* ---- zsh ---- */

static void zsh_option(const struct option_row *r, struct buf *b)
{
	int v = value_of(r);

	buf_printf(b, " \\\n\t\t\t'*--%s[", r->name);
	quoted(b, r->help, "[]:\\");
	buf_byte(b, ']');
	if (r->value) {
		buf_byte(b, ':');
		quoted(b, r->value, "[]:\\");
		buf_byte(b, ':');
	}
	if (v >= 0 && VALUE[v].names < 0) {
		buf_byte(b, '(');
		event_types(b);
		buf_byte(b, ')');
	} else if (v >= 0) {
		buf_printf(b, " _handoff_names %s",
			   names_word((enum names_kind)VALUE[v].names));
	} else if (r->value) {
		buf_byte(b, ' ');
	}
	buf_byte(b, '\'');
}

static void zsh_node(const struct node *n, struct buf *b)
{
	const struct option_row *r;
	size_t it = 0;

	buf_add(b, STR("_arguments -s"));
	while ((r = next_option(n, &it)))
		zsh_option(r, b);
	if (n->choices.n && !n->files)
		buf_printf(b, " \\\n\t\t\t'1:what:(%.*s)'", STR_ARG(n->choices));
	else if (n->choices.n)
		buf_printf(b, " \\\n\t\t\t'1:what:{compadd -- %.*s; _files}'",
			   STR_ARG(n->choices));
	if (n->names >= 0)
		buf_printf(b, " \\\n\t\t\t'1:name: _handoff_names %s'",
			   names_word((enum names_kind)n->names));
	if (n->files)
		buf_add(b, STR(" \\\n\t\t\t'*:file:_files'"));
	buf_add(b, STR(" ;;\n"));
}

/* NAME:SUMMARY, as _describe takes it. */
static void zsh_described(const char *name, const char *summary, const char *indent,
			  struct buf *b)
{
	buf_printf(b, "%s'%s:", indent, name);
	quoted(b, summary, "\\");
	buf_add(b, STR("'\n"));
}

static void zsh_command(const struct command *c, struct buf *b)
{
	struct node n;

	buf_printf(b, "\t%s)\n\t\t", c->name);
	if (!c->nverbs) {
		n = command_node(c);
		zsh_node(&n, b);
		return;
	}
	buf_add(b, STR("commands=(\n"));
	for (size_t i = 0; i < c->nverbs; i++)
		zsh_described(c->verbs[i].name, c->verbs[i].summary, "\t\t\t", b);
	buf_add(b, STR("\t\t)\n"
		       "\t\tif (( CURRENT == 2 )); then\n"
		       "\t\t\t_describe verb commands\n\t\t\treturn\n\t\tfi\n"
		       "\t\tshift words\n\t\t(( CURRENT-- ))\n"
		       "\t\tcase $words[1] in\n"));
	for (size_t i = 0; i < c->nverbs; i++) {
		n = verb_node(&c->verbs[i]);
		buf_printf(b, "\t\t%s) ", c->verbs[i].name);
		zsh_node(&n, b);
	}
	buf_add(b, STR("\t\tesac ;;\n"));
}

static void zsh(struct buf *b)
{
	buf_add(b,
		STR("#compdef handoff\n"
		    "# handoff completion zsh: save as _handoff in a folder of $fpath\n"
		    "_handoff_names()\n{\n"
		    "\tcompadd -- ${(f)\"$(handoff completion $1 2>/dev/null)\"}\n}\n"
		    "_handoff()\n{\n\tlocal -a commands\n\tcommands=(\n"));
	for (const struct command *const *c = commands_all; *c; c++)
		zsh_described((*c)->name, (*c)->summary, "\t\t", b);
	buf_add(b, STR("\t)\n"
		       "\tif (( CURRENT == 2 )); then\n"
		       "\t\t_describe command commands\n\t\treturn\n\tfi\n"
		       "\tshift words\n\t(( CURRENT-- ))\n"
		       "\tcase $words[1] in\n"));
	for (const struct command *const *c = commands_all; *c; c++)
		zsh_command(*c, b);
	buf_add(b,
		STR("\tesac\n}\n"
		    "if [ \"$funcstack[1]\" = _handoff ]; then _handoff \"$@\"; else compdef _handoff handoff; fi\n"));
}

/* ---- fish ---- */

static void fish_node(const struct node *n, const char *where, struct buf *b)
{
	const struct option_row *r;
	size_t it = 0;

	while ((r = next_option(n, &it))) {
		int v = value_of(r);

		buf_printf(b, "complete -c handoff -n '__handoff_at %s' -l %s%s", where,
			   r->name, r->value ? " -x" : "");
		if (v >= 0 && VALUE[v].names < 0) {
			buf_add(b, STR(" -a '"));
			event_types(b);
			buf_byte(b, '\'');
		} else if (v >= 0) {
			buf_printf(b, " -a '(handoff completion %s 2>/dev/null)'",
				   names_word((enum names_kind)VALUE[v].names));
		}
		buf_add(b, STR(" -d '"));
		quoted(b, r->help, "\\");
		buf_add(b, STR("'\n"));
	}
	if (n->choices.n)
		buf_printf(b, "complete -c handoff -n '__handoff_next %s' -a '%.*s'\n",
			   where, STR_ARG(n->choices));
	if (n->names >= 0)
		buf_printf(
			b,
			"complete -c handoff -n '__handoff_next %s' -a '(handoff completion %s 2>/dev/null)'\n",
			where, names_word((enum names_kind)n->names));
	if (n->files)
		buf_printf(b, "complete -c handoff -n '__handoff_at %s' -F\n", where);
}

static void fish_word(const char *where, const char *name, const char *summary,
		      struct buf *b)
{
	buf_printf(b, "complete -c handoff -n '__handoff_next%s' -a %s -d '", where,
		   name);
	quoted(b, summary, "\\");
	buf_add(b, STR("'\n"));
}

static void fish_command(const struct command *c, struct buf *b)
{
	struct buf where = BUF_INIT(256);
	struct node n;

	fish_word("", c->name, c->summary, b);
	if (!c->nverbs) {
		n = command_node(c);
		fish_node(&n, c->name, b);
	}
	for (size_t i = 0; i < c->nverbs; i++) {
		buf_reset(&where);
		buf_printf(&where, " %s", c->name);
		fish_word(buf_cstr(&where), c->verbs[i].name, c->verbs[i].summary, b);
		buf_printf(&where, " %s", c->verbs[i].name);
		n = verb_node(&c->verbs[i]);
		fish_node(&n, buf_cstr(&where) + 1, b);
	}
	buf_release(&where);
}

static void fish(struct buf *b)
{
	buf_add(b,
		STR("# handoff completion fish: save as ~/.config/fish/completions/handoff.fish\n"
		    "function __handoff_at # WORD...: the command line begins so\n"
		    "\tset -l words (commandline -opc)\n"
		    "\ttest (count $words) -gt (count $argv); or return 1\n"
		    "\tset -l i 1\n"
		    "\tfor word in $argv\n"
		    "\t\tset i (math $i + 1)\n"
		    "\t\ttest \"$words[$i]\" = \"$word\"; or return 1\n"
		    "\tend\n"
		    "end\n"
		    "function __handoff_next # WORD...: and the next word is being typed\n"
		    "\t__handoff_at $argv; and test (count (commandline -opc)) -eq (math (count $argv) + 1)\n"
		    "end\n"
		    "complete -c handoff -f\n"));
	for (const struct command *const *c = commands_all; *c; c++)
		fish_command(*c, b);
}

static const struct {
	const char *name;
	void (*write)(struct buf *b);
} SHELL[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

/* ---- names ---- */

static int add_name(str name, void *arg)
{
	buf_add(arg, name);
	buf_byte(arg, '\n');
	return 0;
}

static int names(enum names_kind k, struct buf *out, struct err *e)
{
	struct scope s = {.vault.lock = -1};
	int ret = scope_open(&s, NULL, NULL, e);

	if (!ret)
		ret = names_each(k, &s, add_name, out, e);
	scope_release(&s);
	return ret;
}

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX);
	enum names_kind k;
	bool known = false;
	int ret = 0;

	for (size_t i = 0; i < sizeof(SHELL) / sizeof(SHELL[0]); i++)
		if (strcmp(SHELL[i].name, a->word[0]) == 0) {
			SHELL[i].write(&out);
			known = true;
		}
	if (!known && names_kind_of(str_of(a->word[0]), &k)) {
		ret = names(k, &out, e);
		known = true;
	}
	if (!known)
		ret = err_set(e, HF_EUSAGE, "no completion for '%s': bash, zsh or fish",
			      a->word[0]);
	if (!ret && out.n)
		ret = print_text(&out, e);
	buf_release(&out);
	return ret;
}

const struct command cmd_completion = {
	.name = "completion",
	.operands = "SHELL",
	.summary = "completion for bash, zsh or fish",
	.text = "Prints a script for the shell: eval \"$(handoff completion bash)\" in ~/.bashrc; for zsh\n"
		"a file _handoff in $fpath; for fish ~/.config/fish/completions/handoff.fish. The scripts\n"
		"ask for names with SHELL projects, entities, documents, records, packets\n"
		"or settings: one a line.\n",
	.choices = "bash zsh fish",
	.min_words = 1,
	.max_words = 1,
	.run = run,
};
