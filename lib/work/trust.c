#include "work/trust.h"

#include <limits.h>

#include "base/fs.h"
#include "data/digest.h"
#include "data/project.h"
#include "work/identity.h"

#define FILE_MODE      0600
#define FOLDER_MODE    0700
#define NAME_MAX_BYTES 256

static void path_of(struct buf *path, const char *state_dir, const char *folder, str what)
{
	char hex[DIGEST_HEX_BYTES];

	digest_hex(what, hex);
	fs_join(path, str_of(state_dir), str_of(folder));
	buf_byte(path, '/');
	buf_add(path, str_of(hex));
}

static int put(const char *state_dir, const char *folder, str what, str text,
	       struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX), dir = BUF_INIT(PATH_MAX);
	int ret;

	if (!state_dir[0])
		return err_set(e, HF_ENOTFOUND,
			       "no place for the state: HOME is not set");
	fs_join(&dir, str_of(state_dir), str_of(folder));
	path_of(&path, state_dir, folder, what);
	ret = fs_mkdirs(buf_cstr(&dir), FOLDER_MODE, e);
	if (!ret)
		ret = fs_write_atomic(buf_cstr(&path), text, FILE_MODE, e);
	buf_release(&path);
	buf_release(&dir);
	return ret;
}

int trust_text(const char *state_dir, str text, struct err *e)
{
	return put(state_dir, "trusted", text, STR(""), e);
}

bool trust_knows(const char *state_dir, str text)
{
	struct buf path = BUF_INIT(PATH_MAX);
	bool yes;

	path_of(&path, state_dir, "trusted", text);
	yes = state_dir[0] && fs_is_file(buf_cstr(&path));
	buf_release(&path);
	return yes;
}

int trust_name(const char *state_dir, const char *project_id, str name, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int ret = 0;

	if (name.n)
		ret = identity_name(name, false, e);
	if (ret)
		return ret;
	if (name.n)
		return put(state_dir, "names", str_of(project_id), name, e);
	path_of(&path, state_dir, "names", str_of(project_id));
	if (fs_is_file(buf_cstr(&path)) && io.unlink(buf_cstr(&path)) < 0)
		ret = err_sys(e, "%s", buf_cstr(&path));
	buf_release(&path);
	return ret;
}

bool trust_named(const char *state_dir, const char *project_id, struct buf *name)
{
	struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(NAME_MAX_BYTES);
	str found;
	bool yes;

	path_of(&path, state_dir, "names", str_of(project_id));
	yes = state_dir[0] && fs_read(buf_cstr(&path), &text, NULL) == 0;
	found = str_trim(buf_str(&text));
	yes = yes && !project_name_bad(found);
	if (yes)
		buf_add(name, found);
	buf_release(&path);
	buf_release(&text);
	return yes;
}
