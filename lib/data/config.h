/*
 * config: settings and their sources; and the places where things are kept.
 *
 *   struct config c;
 *   config_load(&c, &e);                        environment over file over default
 *   config_get(&c, "budget")->value
 *
 * Sources, strongest first: environment variable, $XDG_CONFIG_HOME/handoff/config.json,
 * built-in default. A value that is no good is ignored with a line in `problem`. Unknown
 * keys of the file are kept when it is written back. A missing HOME is no error: places
 * that need it are then empty strings.
 */
#ifndef DATA_CONFIG_H
#define DATA_CONFIG_H

#include "base/buf.h"
#include "base/err.h"

#define CONFIG_FILE_MAX (64u << 10)

enum config_source { CONFIG_DEFAULT, CONFIG_FILE, CONFIG_ENV };

struct config_item {
	const char *key;  /* in the file; nested keys have dots */
	const char *env;  /* variable, or NULL */
	const char *fallback;
	const char *help; /* one line */
	char *value;
	enum config_source source;
};

struct config {
	struct config_item *item; /* table, ends with key NULL */
	char *path;               /* of config.json, or "" */
	char *problem;            /* one line, or NULL */
};

int config_load(struct config *c, struct err *e);
/* Never NULL for a key of the table; asserts otherwise. */
const struct config_item *config_get(const struct config *c, const char *key);
void config_release(struct config *c);

/* Places; "" when HOME is needed and not set. Append a path without a slash at its end. */
void config_claude_dir(struct buf *b); /* CLAUDE_CONFIG_DIR, else ~/.claude */
void config_state_dir(struct buf *b);  /* XDG_STATE_HOME/handoff, else ~/.local/state/handoff */
void config_cache_dir(struct buf *b);  /* XDG_CACHE_HOME/handoff, else ~/.cache/handoff */
void config_vault_dir(struct buf *b);  /* HANDOFF_VAULT, else ~/.handoff-mcp/vault */

#endif
