/*
 * project: which project a directory belongs to.
 *
 *   struct project p;
 *   project_of(&p, "/home/dev/tollgate/src", NULL, &e);
 *   ... p.name "tollgate", p.id "remote:example.com/dev/tollgate" ...
 *   project_release(&p);
 *
 * In order: the name given by the caller; HANDOFF_PROJECT; the git repository around the
 * directory; the directory itself. Linked worktrees of one repository are one project, a
 * submodule is its own. The home directory, "/" and the temporary roots are PROJECT_NONE
 * ("default"), and a repository whose top level is one of them does not count.
 *
 * The id says whether two directories are the same project wherever they lie: the
 * normalised URL of a remote (origin, else the first by name), else the root commit where
 * the caller knows it, else the real path. `alias` is the path form, by which a project
 * that has got a remote later is still known. Names are cleaned by handoff-mcp's rule: runs
 * of '/', '\' and white space become '-', leading and trailing '.' and '-' go; so do characters that cannot be
 * seen, and the '_' of a name that the vault keeps for itself.
 *
 * Git's own files are read here (.git, commondir, config; sizes capped), so that a hook
 * need not start libgit2 to know where it is. Nothing is run and nothing is written.
 * Source of the layout: gitrepository-layout(5), git-worktree(1), git-config(1).
 */
#ifndef DATA_PROJECT_H
#define DATA_PROJECT_H

#include "base/buf.h"
#include "base/err.h"

#define PROJECT_NONE "default"

enum project_source {
	PROJECT_BY_CALLER,
	PROJECT_BY_ENV,
	PROJECT_BY_REPOSITORY,
	PROJECT_BY_DIRECTORY,
	PROJECT_BY_NOTHING, /* home, "/", a temporary root, or no directory at all */
};

struct project {
	char *name;  /* display name and folder in the vault; valid by project_name_ok */
	char *id;    /* "remote:host/path", "root:hex", "path:/real/path", "default" */
	char *alias; /* "path:/real/path of the repository or directory", "default" */
	char *dir;   /* the directory, resolved; as given where it does not exist */
	char *top; /* top level of its work tree; NULL outside a repository and in bare ones */
	char *common; /* the repository's common git directory, resolved; NULL outside one */
	char *remote; /* the remote's URL as configured, without user and password; NULL */
	enum project_source source;
	bool linked; /* in a linked worktree */
	bool submodule;
	bool bare;
};

struct project_options {
	const char *name;        /* explicit name, or NULL */
	const char *root_commit; /* full hex of the root commit where known, or NULL */
};

/*
 * Fill p for dir (NULL: none is known). Fails only on a bad explicit name (HF_EUSAGE, also
 * from HANDOFF_PROJECT); p is then empty. o may be NULL.
 */
int project_of(struct project *p, const char *dir, const struct project_options *o,
	       struct err *e);
void project_release(struct project *p);

/*
 * Why a name that somebody gives is no project's, in a few words ("" for "." and "..", which explain themselves); NULL: it is one. Stricter than what is
 * read, since a vault may hold what another program accepted: no leading dot, not blank, no control or
 * invisible characters, and not one of project_name_taken.
 */
const char *project_name_bad(str name);
/* What the vault keeps beside the projects, or Git does: _records, _packets, .git, .index.db...; capitals do not matter. Never a project, whoever made the folder. */
bool project_name_taken(str name);
/* A name that can be a folder of the vault: handoff-mcp's rule for path segments (not empty, ".", "..", none of <>:"/\|?* or control characters), at most 200 bytes of valid UTF-8. */
bool project_name_ok(str name);
/* Append the cleaned name of a folder ("default" when nothing is left): project_name_bad has nothing against it. */
void project_clean(struct buf *b, str folder);
/*
 * Append the normalised form of a remote's URL: no scheme, user, password, default port,
 * trailing slash or ".git"; host in lower case; "git@host:path" like "ssh://host/path"; a
 * local path as "file/real/path". False (nothing appended) when it is empty.
 */
bool project_remote(struct buf *b, str url);
/* Append name and "-" and the first four hex digits of a hash of id: for a second repository of that name. */
void project_suffixed(struct buf *b, str name, str id);

#endif
