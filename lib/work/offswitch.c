#include "work/offswitch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/fs.h"
#include "work/lifecycle.h"

static int make(const char *path, struct err *e)
{
	str dir = str_head(str_of(path), str_rchr(str_of(path), '/'));
	char *folder = str_dup(dir);
	int ret = fs_mkdirs(folder, 0700, e);

	free(folder);
	return ret ? ret : fs_write_atomic(path, STR(""), 0600, e);
}

int offswitch_set(const char *state_dir, str project, bool off, struct err *e)
{
	struct buf path = BUF_INIT(PATH_MAX);
	int ret = 0;

	if (!state_dir[0])
		return err_set(e, HF_ENOTFOUND,
			       "no place for the state: HOME is not set");
	lifecycle_off_path(&path, state_dir, project);
	if (off)
		ret = make(buf_cstr(&path), e);
	else if (io.unlink(buf_cstr(&path)) < 0 && errno != ENOENT && errno != ENOTDIR)
		ret = err_sys(e, "%s", buf_cstr(&path));
	buf_release(&path);
	return ret;
}

bool offswitch_is_off(const char *state_dir, str project)
{
	return lifecycle_is_off(state_dir, project);
}

static bool stands(const char *state_dir, str project)
{
	struct buf path = BUF_INIT(PATH_MAX);
	struct stat st;
	bool yes;

	lifecycle_off_path(&path, state_dir, project);
	yes = state_dir[0] && io.stat(buf_cstr(&path), &st) == 0;
	buf_release(&path);
	return yes;
}

const char *offswitch_why(const char *state_dir, str project)
{
	if (!lifecycle_is_off(state_dir, project))
		return NULL;
	if (stands(state_dir, STR_NONE))
		return "everywhere; `handoff on` switches on";
	if (project.n && stands(state_dir, project))
		return "for this project; `handoff on --project` switches on";
	return getenv("HANDOFF_OFF") ? "by HANDOFF_OFF" : "by the setting `off`";
}
