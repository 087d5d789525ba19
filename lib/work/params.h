/*
 * params: the parameters of a tool as a table: its input schema, and its arguments coerced.
 *
 *   static const struct param P[] = {
 *           {.name = "query", .type = PARAM_TEXT, .required = true, .help = "..."},
 *           {.name = "limit", .type = PARAM_INT, .min = 1, .max = 50, .fallback = 10},
 *   };
 *   struct param_value v[2];
 *   ret = params_take(P, 2, jsondoc_get(params, "arguments"), &arena, v, &e);
 *   params_schema(P, 2, &out);
 *
 * As lax as handoff-mcp (docs/compatibility.md): a whole number may come as 2.0, "4" or true; a text
 * given for a list may be the JSON of one; null, and the text "null", are the default of what
 * is optional; unknown arguments are passed over. Beyond it, a list may be one text, and numbers
 * may stand in a list of texts. A text takes no number, and 2.5 is no whole number.
 */
#ifndef WORK_PARAMS_H
#define WORK_PARAMS_H

#include "base/arena.h"
#include "base/err.h"
#include "data/jsondoc.h"

#define PARAMS_LIST_MAX 256 /* texts of one list */

enum param_type {
	PARAM_TEXT,
	PARAM_INT,
	PARAM_CHOICE,
	PARAM_TEXTS,
	PARAM_NUMBER, /* also "0.5"; min and max as for whole ones */
	PARAM_BOOL,   /* also "true", "false", 1, 0 */
	PARAM_JSON,   /* any value */
};

struct param {
	const char *name;
	enum param_type type;
	bool required;
	const char *help; /* NULL: its name says it */
	const char *const *
		choice; /* PARAM_CHOICE: ends with NULL; the default, if any, is choice[fallback - 1] */
	int64_t min, max; /* PARAM_INT; both 0: any */
	int64_t fallback; /* PARAM_INT, PARAM_CHOICE; 0: none */
};

struct param_value {
	bool given;      /* and not null */
	str text;        /* PARAM_TEXT, PARAM_CHOICE (with its default) */
	int64_t number;  /* PARAM_INT (with its default) */
	const str *item; /* PARAM_TEXTS */
	double real;     /* PARAM_NUMBER */
	bool yes;        /* PARAM_BOOL */
	const struct jsonval *
		json; /* PARAM_JSON; numbers in it are doubles: rpc_member has the text */
	size_t n;
};

/*
 * Fill v[0..n). args may be NULL: none were given. Texts live in args' document or in the
 * arena. HF_EUSAGE: the message says which argument, what it should be, and what it was.
 */
int params_take(const struct param *p, size_t n, const struct jsonval *args,
		struct arena *a, struct param_value *v, struct err *e);
/* Append the JSON schema of the arguments' object. */
void params_schema(const struct param *p, size_t n, struct buf *out);

#endif
