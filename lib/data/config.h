/*
 * config: settings and their sources; and the places where things are kept.
 *
 *   struct config c;
 *   config_load(&c, &e);                        environment over file over default
 *   config_int(&c, "budget")
 *   config_release(&c);
 *
 * Sources, strongest first: environment variable, $XDG_CONFIG_HOME/handoff/config.json
 * (one flat object), built-in default. A value that is no good is ignored with a line in
 * `problem`; only that of the vault is not passed over (`bad`), since notes would go elsewhere and nobody
 * would know. Unknown keys of the file are kept when it is written back. A missing HOME is no
 * error: places that need it are then empty strings.
 *
 * MEMORY_DB=/x/shared.db stands for the vault /x/shared.vault where HANDOFF_VAULT is not set: what was
 * configured for agent-handoff-memory keeps clients together and apart as before.
 */
#ifndef DATA_CONFIG_H
#define DATA_CONFIG_H

#include "base/buf.h"
#include "base/err.h"

#define CONFIG_FILE_MAX (64u << 10)

enum config_source { CONFIG_DEFAULT, CONFIG_FILE, CONFIG_ENV };

enum config_type {
	CONFIG_INT,  /* min to max */
	CONFIG_BOOL, /* true, false; also 1, 0, yes, no, on, off */
	CONFIG_PATH, /* absolute; "~/" stands for HOME; "" = the default place */
};

struct config_item {
	const char *key; /* in the file */
	const char *env; /* variable, or NULL */
	enum config_type type;
	int64_t min, max;
	const char *fallback;
	const char *help; /* one line */
	char *value;      /* as printed: "true", "4000", "/home/dev/.claude" */
	enum config_source source;
	char *bad; /* of the vault: why what the strongest source says is no good; NULL */
};

struct config {
	struct config_item *item; /* table, ends with key NULL */
	char *path;               /* of config.json, or "" */
	char *problem;            /* one line, or NULL */
};

/*
 * Fails (HF_EIO, HF_EFORMAT, HF_ELIMIT) when the file is there and cannot be read; then
 * environment and defaults still stand, and the caller may go on.
 */
int config_load(struct config *c, struct err *e);
/* Never NULL for a key of the table; asserts otherwise. */
const struct config_item *config_get(const struct config *c, const char *key);
int64_t config_int(const struct config *c, const char *key);
bool config_bool(const struct config *c, const char *key);
/* "default", "file", "environment". */
const char *config_source_name(enum config_source source);
/*
 * Write one key of the table into the file, which is replaced whole; everything else in it is
 * kept. value NULL takes the key out. HF_EUSAGE: no such key, or a value that is no good.
 * c keeps what it had: load again.
 */
int config_set(const struct config *c, const char *key, const char *value, struct err *e);
void config_release(struct config *c);

/* Places; "" when HOME is needed and not set. Append a path without a slash at its end. */
void config_claude_dir(
	struct buf
		*b); /* the setting claude_dir: CLAUDE_CONFIG_DIR, the file, ~/.claude */
void config_state_dir(
	struct buf *b); /* XDG_STATE_HOME/handoff, else ~/.local/state/handoff */
void config_cache_dir(struct buf *b); /* XDG_CACHE_HOME/handoff, else ~/.cache/handoff */
/*
 * HANDOFF_VAULT, MEMORY_DB, the file, ~/.handoff-mcp/vault: the only place where it is decided. HF_EUSAGE
 * when the first of them that is set is no absolute path, and what config_load says when the file,
 * which would decide, cannot be read: no other vault is taken instead.
 */
int config_vault_dir(struct buf *b, struct err *e);
/* The environment names it: HANDOFF_VAULT or MEMORY_DB. */
bool config_vault_named(void);

#endif
