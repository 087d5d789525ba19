/*
 * config: a table of settings; each gets its value from the strongest source that has a good
 * one. To add a setting, add a row.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/utf8.h"
#include "data/config.h"
#include "data/json.h"
#include "data/jsondoc.h"

#define PROBLEM_MAX_BYTES 300
#define SHOWN_MAX_BYTES   40
#define PLACE_MAX_BYTES   4096
#define CONFIG_MODE       0600
#define CONFIG_DIR_MODE   0700

static const struct config_item table[] = {
	{"budget", "HANDOFF_BUDGET", CONFIG_INT, 500, 1000000, "4000",
	 "tokens that a recovered document may take", NULL, CONFIG_DEFAULT, NULL},
	{"brief_tokens", "HANDOFF_TOKEN_BUDGET", CONFIG_INT, 0, 100000, "1200",
	 "tokens that a brief may take", NULL, CONFIG_DEFAULT, NULL},
	{"derive", "HANDOFF_DERIVE", CONFIG_BOOL, 0, 0, "true",
	 "goals, decisions and next steps are noted from the transcript", NULL,
	 CONFIG_DEFAULT, NULL},
	{"ends", "HANDOFF_ENDS", CONFIG_INT, 10, 10000, "80",
	 "characters shown of each end of a message in the index", NULL, CONFIG_DEFAULT,
	 NULL},
	{"git_ms", "HANDOFF_GIT_MS", CONFIG_INT, 0, 600000, "2000",
	 "milliseconds that reading the git state may take", NULL, CONFIG_DEFAULT, NULL},
	{"inject_units", "HANDOFF_INJECT_UNITS", CONFIG_INT, 1000, 9500, "8000",
	 "characters (UTF-16) of a document that a new session is given", NULL,
	 CONFIG_DEFAULT, NULL},
	{"journal_days", NULL, CONFIG_INT, 1, 36500, "90",
	 "days that what is known of a session that is over is kept", NULL,
	 CONFIG_DEFAULT, NULL},
	{"journal_sessions", NULL, CONFIG_INT, 10, 1000000, "1000",
	 "of how many such sessions", NULL, CONFIG_DEFAULT, NULL},
	{"off", "HANDOFF_OFF", CONFIG_BOOL, 0, 0, "false", "hooks do nothing", NULL,
	 CONFIG_DEFAULT, NULL},
	{"claude_dir", "CLAUDE_CONFIG_DIR", CONFIG_PATH, 0, 0, "",
	 "where the client keeps its transcripts", NULL, CONFIG_DEFAULT, NULL},
	{"vault", "HANDOFF_VAULT", CONFIG_PATH, 0, 0, "", "where notes are kept", NULL,
	 CONFIG_DEFAULT, NULL},
	{NULL, NULL, CONFIG_INT, 0, 0, NULL, NULL, NULL, CONFIG_DEFAULT, NULL},
};

/* --- places --- */

/* An absolute path without slashes at its end, or nothing. */
static bool add_absolute(struct buf *b, const char *path)
{
	str s = str_of(path);

	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	if (s.n == 0 || s.p[0] != '/' || s.n > PLACE_MAX_BYTES)
		return false;
	buf_add(b, s);
	return true;
}

static void add_below_home(struct buf *b, const char *rel)
{
	if (add_absolute(b, getenv("HOME")))
		buf_printf(b, "/%s", rel);
}

/* The XDG rules: a relative path in the variable counts as none. */
static void add_xdg(struct buf *b, const char *variable, const char *below_home)
{
	if (add_absolute(b, getenv(variable)))
		buf_add(b, STR("/handoff"));
	else
		add_below_home(b, below_home);
}

void config_state_dir(struct buf *b)
{
	add_xdg(b, "XDG_STATE_HOME", ".local/state/handoff");
}

void config_cache_dir(struct buf *b)
{
	add_xdg(b, "XDG_CACHE_HOME", ".cache/handoff");
}

/* --- values --- */

static bool as_bool(str s, bool *v)
{
	static const char *const yes[] = {"true", "1", "yes", "on"};
	static const char *const no[] = {"false", "0", "no", "off", ""};
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (str_ieq(s, str_of(yes[i])))
			return *v = true;
	*v = false;
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (str_ieq(s, str_of(no[i])))
			return true;
	return false;
}

static bool add_path(struct buf *b, str s)
{
	struct buf text = BUF_INIT(PLACE_MAX_BYTES);
	bool ok;

	if (s.n == 0)
		return true;
	if (str_starts(s, STR("~/")))
		add_below_home(&text, "");
	buf_add(&text, str_from(s, str_starts(s, STR("~/")) ? 2 : 0));
	ok = !text.full && str_chr(s, '\0') == STR_NPOS &&
	     add_absolute(b, buf_cstr(&text));
	buf_release(&text);
	return ok;
}

/* The value in the form in which it is kept, or NULL when it is no good. */
static char *normal(const struct config_item *it, str s)
{
	struct buf b = BUF_INIT(PLACE_MAX_BYTES);
	int64_t n = 0;
	bool yes = false, ok = false;

	s = str_trim(s);
	switch (it->type) {
	case CONFIG_INT:
		ok = str_i64(s, &n) && n >= it->min && n <= it->max;
		buf_printf(&b, "%lld", (long long)n);
		break;
	case CONFIG_BOOL:
		ok = as_bool(s, &yes);
		buf_add(&b, yes ? STR("true") : STR("false"));
		break;
	case CONFIG_PATH:
		ok = add_path(&b, s);
		break;
	}
	if (ok && !b.full)
		return buf_take(&b);
	buf_release(&b);
	return NULL;
}

/* What a value must be. */
static void add_range(struct buf *b, const struct config_item *it)
{
	if (it->type == CONFIG_INT)
		buf_printf(b, " (%lld to %lld)", (long long)it->min, (long long)it->max);
	else if (it->type == CONFIG_BOOL)
		buf_add(b, STR(" (true or false)"));
	else
		buf_add(b, STR(" (an absolute path, or one that begins with ~/)"));
}

static bool is_vault(const struct config_item *it)
{
	return strcmp(it->key, "vault") == 0;
}

/* Only the first is kept: one line is what a person reads. */
static void complain(struct config *c, const char *where, struct config_item *it, str got)
{
	char **line = is_vault(it) ? &it->bad : &c->problem;
	struct buf b = BUF_INIT(PROBLEM_MAX_BYTES);

	if (*line)
		return;
	buf_printf(&b, "%s: \"", where);
	utf8_show(&b, utf8_head(got, SHOWN_MAX_BYTES), UTF8_ONELINE);
	buf_printf(&b, "\" is no good for %s", it->key);
	add_range(&b, it);
	*line = buf_take(&b);
}

static bool take(struct config *c, struct config_item *it, str s,
		 enum config_source source, const char *where)
{
	char *v = normal(it, s);

	if (!v) {
		complain(c, where, it, s);
		return false;
	}
	free(it->value);
	free(it->bad);
	it->bad = NULL;
	it->value = v;
	it->source = source;
	return true;
}

/* --- the file --- */

/* A member's value as text: strings as they are, numbers and booleans as JSON writes them. */
static void member_text(const struct jsonval *v, struct buf *out)
{
	if (jsondoc_is_str(v))
		buf_add(out, jsondoc_str(v));
	else
		jsondoc_print(v, out);
}

/* *d stays NULL when there is no file. */
static int read_file(const struct config *c, struct jsondoc **d, struct err *e)
{
	struct buf text = BUF_INIT(CONFIG_FILE_MAX);
	struct err why = ERR_INIT;
	int ret;

	*d = NULL;
	if (!*c->path)
		return 0;
	ret = fs_read(c->path, &text, &why);
	if (ret == HF_ENOTFOUND) {
		buf_release(&text);
		return 0;
	}
	if (ret < 0) {
		ret = err_set(e, ret, "%s", why.msg);
		goto out;
	}
	ret = 0;
	*d = jsondoc_parse(buf_str(&text), CONFIG_FILE_MAX, &why);
	if (!*d)
		ret = err_set(e, why.code, "%s: %s", c->path, why.msg);
	else if (!jsondoc_is_obj(jsondoc_root(*d)))
		ret = err_set(e, HF_EFORMAT, "%s: not a JSON object", c->path);
	if (ret) {
		jsondoc_free(*d);
		*d = NULL;
	}
out:
	buf_release(&text);
	return ret;
}

static void take_file(struct config *c, const struct jsondoc *d)
{
	struct config_item *it;
	struct buf text = BUF_INIT(CONFIG_FILE_MAX);

	for (it = c->item; it->key; it++) {
		const struct jsonval *v = jsondoc_get(jsondoc_root(d), it->key);

		if (!v || jsondoc_is_null(v))
			continue;
		buf_reset(&text);
		member_text(v, &text);
		take(c, it, buf_str(&text), CONFIG_FILE, c->path);
	}
	buf_release(&text);
}

/* "~/x/shared.db" to "~/x/shared.vault"; a value that is no path stays one that is none. */
static void take_memory_db(struct config *c, struct config_item *it, const char *db)
{
	struct buf b = BUF_INIT(PLACE_MAX_BYTES);
	str path = str_trim(str_of(db)), name;
	char *vault;
	size_t dot;

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	name = str_basename(path);
	dot = str_rchr(name, '.');
	if (dot != STR_NPOS && dot > 0)
		path.n -= name.n - dot;
	buf_add(&b, path);
	if (name.n)
		buf_add(&b, STR(".vault"));
	vault = name.n && !b.full ? normal(it, buf_str(&b)) : NULL;
	if (vault)
		take(c, it, str_of(vault), CONFIG_ENV, "MEMORY_DB");
	else
		complain(c, "MEMORY_DB", it, str_of(db));
	free(vault);
	buf_release(&b);
}

static void take_environment(struct config *c)
{
	for (struct config_item *it = c->item; it->key; it++) {
		const char *env = it->env ? getenv(it->env) : NULL;
		const char *db = is_vault(it) ? getenv("MEMORY_DB") : NULL;

		/* what a weaker source says does not matter any more, good or not */
		if ((env && *env) || (db && *db)) {
			free(it->bad);
			it->bad = NULL;
		}
		if (env && *env)
			take(c, it, str_of(env), CONFIG_ENV, it->env);
		else if (db && *db)
			take_memory_db(c, it, db);
	}
}

/* A path that is set nowhere is the built-in place. */
static void fill_places(struct config *c)
{
	struct config_item *it;

	for (it = c->item; it->key; it++) {
		struct buf b = BUF_INIT(PLACE_MAX_BYTES);

		if (it->type != CONFIG_PATH || *it->value)
			continue;
		add_below_home(&b, strcmp(it->key, "vault") == 0 ? ".handoff-mcp/vault"
								 : ".claude");
		free(it->value);
		it->value = buf_take(&b);
		it->source = CONFIG_DEFAULT;
	}
}

int config_load(struct config *c, struct err *e)
{
	struct buf path = BUF_INIT(PLACE_MAX_BYTES);
	struct jsondoc *d = NULL;
	struct config_item *it;
	int ret;

	*c = (struct config){.item = malloc(sizeof(table))};
	if (!c->item)
		log_oom();
	memcpy(c->item, table, sizeof(table));
	for (it = c->item; it->key; it++)
		it->value = str_dup(str_of(it->fallback));
	add_xdg(&path, "XDG_CONFIG_HOME", ".config/handoff");
	if (path.n)
		buf_add(&path, STR("/config.json"));
	c->path = buf_take(&path);
	ret = read_file(c, &d, e);
	if (d)
		take_file(c, d);
	jsondoc_free(d);
	take_environment(c);
	fill_places(c);
	return ret;
}

static const struct config_item *find(const struct config *c, const char *key)
{
	const struct config_item *it;

	for (it = c->item; it->key; it++)
		if (strcmp(it->key, key) == 0)
			return it;
	return NULL;
}

const struct config_item *config_get(const struct config *c, const char *key)
{
	const struct config_item *it = find(c, key);

	assert(it);
	return it;
}

int64_t config_int(const struct config *c, const char *key)
{
	const struct config_item *it = config_get(c, key);
	int64_t v = 0;
	bool ok = it->type == CONFIG_INT && str_i64(str_of(it->value), &v);

	assert(ok);
	return v;
}

bool config_bool(const struct config *c, const char *key)
{
	const struct config_item *it = config_get(c, key);

	assert(it->type == CONFIG_BOOL);
	return strcmp(it->value, "true") == 0;
}

const char *config_source_name(enum config_source source)
{
	static const char *const names[] = {"default", "file", "environment"};

	return names[source];
}

static void add_member(struct buf *out, str key, bool *first)
{
	buf_add(out, *first ? STR("\n  ") : STR(",\n  "));
	*first = false;
	json_add_str(out, key);
	buf_add(out, STR(": "));
}

int config_set(const struct config *c, const char *key, const char *value, struct err *e)
{
	const struct config_item *it = find(c, key);
	const struct jsonval *v;
	struct buf out = BUF_INIT(CONFIG_FILE_MAX);
	struct jsondoc *d = NULL;
	char *text = NULL, *dir = NULL;
	bool first = true;
	int ret;

	if (!it)
		return err_set(e, HF_EUSAGE, "%s: no such setting", key);
	if (value && !(text = normal(it, str_of(value)))) {
		struct buf range = BUF_INIT(PROBLEM_MAX_BYTES);

		add_range(&range, it);
		ret = err_set(e, HF_EUSAGE, "%s: \"%s\" is no good%s", key, value,
			      buf_cstr(&range));
		buf_release(&range);
		return ret;
	}
	if (!*c->path) {
		ret = err_set(e, HF_ENOTFOUND, "no place for settings: HOME is not set");
		goto out;
	}
	/* a file that cannot be read is not replaced either: it may hold more than we know */
	ret = read_file(c, &d, e);
	if (ret)
		goto out;
	buf_byte(&out, '{');
	for (v = jsondoc_first(jsondoc_root(d)); v; v = jsondoc_next(v)) {
		if (str_eq(jsondoc_key(v), str_of(key)))
			continue;
		add_member(&out, jsondoc_key(v), &first);
		jsondoc_print(v, &out);
	}
	if (text) {
		add_member(&out, str_of(key), &first);
		if (it->type == CONFIG_PATH)
			json_add_str(&out, str_of(text));
		else
			buf_add(&out, str_of(text));
	}
	buf_add(&out, first ? STR("}\n") : STR("\n}\n"));
	if (out.full) {
		ret = err_set(e, HF_ELIMIT, "%s: over %u bytes", c->path,
			      CONFIG_FILE_MAX);
		goto out;
	}
	dir = str_dup(str_head(str_of(c->path), str_rchr(str_of(c->path), '/')));
	ret = fs_mkdirs(dir, CONFIG_DIR_MODE, e);
	if (ret == 0)
		ret = fs_write_atomic(c->path, buf_str(&out), CONFIG_MODE, e);
out:
	jsondoc_free(d);
	buf_release(&out);
	free(dir);
	free(text);
	return ret;
}

void config_release(struct config *c)
{
	struct config_item *it;

	for (it = c->item; it && it->key; it++) {
		free(it->value);
		free(it->bad);
	}
	free(c->item);
	free(c->path);
	free(c->problem);
	*c = (struct config){0};
}

/* What the settings say, the file too; where that cannot be read, the rest of them. */
static void add_place(struct buf *b, const char *key)
{
	struct config c;

	config_load(&c, NULL);
	buf_add(b, str_of(config_get(&c, key)->value));
	config_release(&c);
}

void config_claude_dir(struct buf *b)
{
	add_place(b, "claude_dir");
}

int config_vault_dir(struct buf *b, struct err *e)
{
	struct err own = ERR_INIT;
	struct config c;
	int ret = config_load(&c, &own);
	const struct config_item *it = config_get(&c, "vault");

	if (it->bad)
		ret = err_set(e, HF_EUSAGE, "%s", it->bad);
	else if (ret && it->source != CONFIG_ENV)
		err_set(e, ret, "where the vault is cannot be told: %s", own.msg);
	else
		ret = 0;
	if (!ret)
		buf_add(b, str_of(it->value));
	config_release(&c);
	return ret;
}

bool config_vault_named(void)
{
	const char *vault = getenv("HANDOFF_VAULT"), *db = getenv("MEMORY_DB");

	return (vault && *vault) || (db && *db);
}
