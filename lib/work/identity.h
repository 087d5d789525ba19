/*
 * identity: the folder of the vault that belongs to a project.
 *
 *   identity_folder(&vault, &project, &name);          "tollgate", or "tollgate-3f2a"
 *   identity_record(&vault, &project, buf_str(&name), &e);
 *
 * <project>/project.md says to which repository a folder belongs: `id` and, for a project
 * that has moved or has got a remote later, `aliases`. A project takes the folder of its
 * own name unless another repository owns it; then it gets a short suffix. A folder without
 * project.md (one of handoff-mcp's) belongs to whoever has its name. A folder whose owner
 * is a path that does not exist any more belongs to the project of that name that came
 * after it: it has been moved.
 */
#ifndef WORK_IDENTITY_H
#define WORK_IDENTITY_H

#include "data/project.h"
#include "data/vault.h"

#define IDENTITY_NOTE "project.md"

/*
 * What somebody gives as the name of a project: HF_EUSAGE, with a line that says what is wrong. All
 * programs ask here. A secret in a name would be a folder of that name: it is refused, and not repeated.
 * read: only looked at, so what another program may have made is let through (project_name_ok).
 */
int identity_name(str name, bool read, struct err *e);
/* Append the name of the folder. Reads at most one small file. A name given by the caller or by HANDOFF_PROJECT, which identity_name has to accept, and PROJECT_NONE are taken as they are. */
int identity_folder(const struct vault *v, const struct project *p, struct buf *name,
		    struct err *e);
/*
 * May the project, whose folder is `folder`, be called `name`? HF_EUSAGE when something of it is
 * stored in its folder: that would not be found any more. Else 0; the id of another project
 * that owns that name's folder is appended to `other`.
 */
int identity_may_take(const struct vault *v, const struct project *p, str folder,
		      str name, struct buf *other, struct err *e);
/* Write project.md where there is none, or add this project's id to its aliases. Takes and gives back the lock unless the caller has it. */
int identity_record(struct vault *v, const struct project *p, str folder, struct err *e);

#endif
