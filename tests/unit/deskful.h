/*
 * deskful: what tests of the commands' modules share: a project, a vault with documents.
 */
#ifndef UNIT_DESKFUL_H
#define UNIT_DESKFUL_H

#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "data/journal.h"
#include "work/scope.h"

#define DESK_ID    "11111111-2222-4333-8444-555555555555"
#define DESK_OTHER "99999999-2222-4333-8444-555555555555"
#define DESK_DONE  "2026-07-15T10:30:00Z"

/* A fresh folder, the clock pinned, the project "tollgate" in it; returns its path. */
static inline const char *desk(void)
{
	test_dir();
	setenv("HANDOFF_NOW", DESK_DONE, 1);
	unsetenv("HANDOFF_DOC");
	unsetenv("CLAUDE_PROJECT_DIR");
	test_write("tollgate/src/gate.c", STR("int lorries;\n"));
	setenv("HANDOFF_VAULT", test_path("vault"), 1);
	/* temporary roots are no project: the folder is given a name */
	setenv("HANDOFF_PROJECT", "tollgate", 1);
	return test_path("tollgate");
}

static inline void desk_scope(struct scope *s, const char *session)
{
	struct err e = ERR_INIT;

	if (scope_open(s, session, test_path("tollgate"), &e))
		fail_msg("%s", e.msg);
}

/* A journal entry of a session of that project, without a live process. */
static inline void desk_journal(const char *session, const char *claimed)
{
	struct scope s;
	struct journal *j;

	desk_scope(&s, NULL);
	j = journal_open(s.state_dir, str_of(session), NULL);
	journal_set(&j->dir, str_of(test_path("tollgate")));
	journal_set(&j->worktree, str_of(test_path("tollgate")));
	journal_set(&j->project, STR("tollgate"));
	journal_set(&j->claimed, str_of(claimed ? claimed : ""));
	j->last_event_at = j->started_at = 1752570000000;
	assert_int_equal(journal_save(j, NULL), 0);
	journal_free(j);
	scope_release(&s);
}

/* A whole document. */
static inline const char *desk_document(const char *session, const char *kind,
					const char *status, const char *lineage,
					const char *hazards)
{
	static char text[8][4000];
	static int turn;
	char *t = text[turn++ % 8];

	snprintf(
		t, sizeof(text[0]),
		"---\ntype: handoff\ncreated: 2026-07-14T10:00:00Z\nsource_session: %s\n"
		"lineage: [%s]\nfocus_filter: null\nconfidence: high\nproject: tollgate\nkind: %s\n"
		"status: %s\nbranch: null\nhead: null\nworktree: %s\nclaimed_by: null\n---\n\n"
		"# Handoff: Count the lorries\n\n## Goal\nCount them.\n\n## Done\n- nothing\n\n## Next\n"
		"1. Begin\n\n## Hazards (never filtered)\n%s\n\n## Key Context\n- none\n\n## Environment\n"
		"No repository\n\n## Files to Read\n**For context:** `src/gate.c`\n\n"
		"## Verify Before Continuing\n- [ ] `make test`\n",
		session, lineage, kind, status, test_path("tollgate"), hazards);
	return t;
}

static inline void desk_put(const char *folder, const char *name, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "vault/tollgate/%s/%s", folder, name);
	test_write(path, str_of(text));
}

static inline bool desk_has(const struct buf *b, const char *words)
{
	return strstr(buf_cstr(b), words) != NULL;
}

#endif
