/*
 * handoff completion SHELL
 *
 * Made from the same two tables as --help, so that a new command or option completes at once.
 */
#include "commands.h"
#include "print.h"

#define OUT_MAX (1u << 20)

/* Options of a command, one after the other; *it starts at 0. */
static const struct option_row *next_option(const struct command *c, size_t *it)
{
	size_t n;
	const struct option_row *rows = args_rows(&n);

	while (*it < n) {
		const struct option_row *r = &rows[(*it)++];

		if (r->set & (c->options | OPT_ALWAYS))
			return r;
	}
	return NULL;
}

static bool takes_files(const struct command *c)
{
	return str_find(str_of(c->operands), STR("FILE")) != STR_NPOS;
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

static void bash_command(const struct command *c, struct buf *b)
{
	const struct option_row *r;
	size_t it = 0;

	buf_printf(b, "\t%s)\n\t\toptions='", c->name);
	while (!c->raw && (r = next_option(c, &it)))
		buf_printf(b, "--%s ", r->name);
	buf_printf(b, "' values='");
	it = 0;
	while (!c->raw && (r = next_option(c, &it)))
		if (r->value)
			buf_printf(b, "--%s ", r->name);
	buf_printf(b, "' words='%s' files=%s ;;\n", c->choices ? c->choices : "",
		   takes_files(c) ? "1" : "");
}

static void bash(struct buf *b)
{
	buf_add(b,
		STR("# handoff completion bash: source it from ~/.bashrc\n"
		    "_handoff()\n{\n"
		    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		    "\tlocal options values words files\n"
		    "\tCOMPREPLY=()\n"
		    "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
		    "\t\tCOMPREPLY=($(compgen -W '"));
	for (const struct command *const *c = commands_all; *c; c++)
		buf_printf(b, "%s ", (*c)->name);
	buf_add(b, STR("--help --version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
		       "\tcase ${COMP_WORDS[1]} in\n"));
	for (const struct command *const *c = commands_all; *c; c++)
		bash_command(*c, b);
	buf_add(b,
		STR("\tesac\n"
		    "\tcase \" $values\" in *\" $prev \"*) return ;; esac\n"
		    "\tcase $cur in\n"
		    "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
		    "\t*)\n"
		    "\t\tif [ -n \"$files\" ]; then COMPREPLY=($(compgen -f -- \"$cur\"));\n"
		    "\t\telif [ \"$COMP_CWORD\" -eq 2 ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"));\n"
		    "\t\tfi ;;\n"
		    "\tesac\n}\n"
		    "complete -F _handoff handoff\n"));
}

/* ---- zsh ---- */

static void zsh_command(const struct command *c, struct buf *b)
{
	const struct option_row *r;
	size_t it = 0;

	buf_printf(b, "\t%s)\n\t\t_arguments -s", c->name);
	while (!c->raw && (r = next_option(c, &it))) {
		buf_printf(b, " \\\n\t\t\t'*--%s[", r->name);
		quoted(b, r->help, "[]:\\");
		buf_byte(b, ']');
		if (r->value)
			buf_printf(b, ":%s: ", r->value);
		buf_byte(b, '\'');
	}
	if (c->choices)
		buf_printf(b, " \\\n\t\t\t'1:what:(%s)'", c->choices);
	if (takes_files(c) || c->raw)
		buf_add(b, STR(" \\\n\t\t\t'*:file:_files'"));
	buf_add(b, STR(" ;;\n"));
}

static void zsh(struct buf *b)
{
	buf_add(b,
		STR("#compdef handoff\n"
		    "# handoff completion zsh: save as _handoff in a folder of $fpath\n"
		    "_handoff()\n{\n\tlocal -a commands\n\tcommands=(\n"));
	for (const struct command *const *c = commands_all; *c; c++) {
		buf_printf(b, "\t\t'%s:", (*c)->name);
		quoted(b, (*c)->summary, "\\");
		buf_add(b, STR("'\n"));
	}
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

static void fish_command(const struct command *c, struct buf *b)
{
	const struct option_row *r;
	size_t it = 0;

	buf_printf(b, "complete -c handoff -n __fish_use_subcommand -a %s -d '", c->name);
	quoted(b, c->summary, "\\");
	buf_add(b, STR("'\n"));
	while (!c->raw && (r = next_option(c, &it))) {
		buf_printf(
			b,
			"complete -c handoff -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
			c->name, r->name, r->value ? " -x" : "");
		quoted(b, r->help, "\\");
		buf_add(b, STR("'\n"));
	}
	if (c->choices)
		buf_printf(
			b,
			"complete -c handoff -n '__fish_seen_subcommand_from %s' -a '%s'\n",
			c->name, c->choices);
	if (takes_files(c) || c->raw)
		buf_printf(b,
			   "complete -c handoff -n '__fish_seen_subcommand_from %s' -F\n",
			   c->name);
}

static void fish(struct buf *b)
{
	buf_add(b,
		STR("# handoff completion fish: save as ~/.config/fish/completions/handoff.fish\n"
		    "complete -c handoff -f\n"));
	for (const struct command *const *c = commands_all; *c; c++)
		fish_command(*c, b);
}

static const struct {
	const char *name;
	void (*write)(struct buf *b);
} SHELL[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

static int run(const struct args *a, struct err *e)
{
	struct buf out = BUF_INIT(OUT_MAX);
	int ret;

	for (size_t i = 0; i < sizeof(SHELL) / sizeof(SHELL[0]); i++)
		if (strcmp(SHELL[i].name, a->word[0]) == 0)
			SHELL[i].write(&out);
	if (!out.n)
		return err_set(e, HF_EUSAGE, "no completion for '%s': bash, zsh or fish",
			       a->word[0]);
	ret = print_text(&out, e);
	buf_release(&out);
	return ret;
}

const struct command cmd_completion = {
	.name = "completion",
	.operands = "SHELL",
	.summary = "completion for bash, zsh or fish",
	.text = "Prints a script for the shell: eval \"$(handoff completion bash)\" in ~/.bashrc; for zsh\n"
		"a file _handoff in $fpath; for fish ~/.config/fish/completions/handoff.fish.\n",
	.choices = "bash zsh fish",
	.min_words = 1,
	.max_words = 1,
	.run = run,
};
