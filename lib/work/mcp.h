/*
 * mcp: what of the Model Context Protocol is no transport: versions, levels, cursors, URIs.
 *
 *   const char *v = mcp_version(STR("2025-06-18"));         ours, or our newest
 *   struct mcp_uri u;
 *   if (mcp_uri_parse(&u, uri)) ... u.kind, u.project, u.name ...
 *   mcp_uri_release(&u);
 *
 * URIs of resources: session://brief, handoff://brief/{project}, handoff://entity/{project}/{name},
 * handoff://document/{project}/{name}; project and name are percent-encoded, and are names, never paths.
 * Source: the protocol's specification, 2024-11-05 to 2025-11-25.
 */
#ifndef WORK_MCP_H
#define WORK_MCP_H

#include "base/buf.h"

#define MCP_PAGE_ITEMS 100 /* of a list, before a cursor */

/* The same one where we speak it, else our newest. Never NULL. */
const char *mcp_version(str asked);
/* That version has batches (2025-03-26 alone). */
bool mcp_version_batches(const char *version);

/* "debug" 0 to "emergency" 7; -1 for any other word. */
int mcp_level(str word);

/* --- lists: a cursor stands for the name of the last item that was given --- */

void mcp_cursor_add(struct buf *out, str name);
/* Append the name; false (nothing appended) when the cursor is none of ours. */
bool mcp_cursor_read(struct buf *out, str cursor);

/* --- URIs --- */

enum mcp_uri_kind {
	MCP_BRIEF_OWN, /* session://brief */
	MCP_BRIEF,     /* of a project */
	MCP_ENTITY,
	MCP_DOCUMENT,
};

struct mcp_uri {
	enum mcp_uri_kind kind;
	struct buf project, name; /* decoded; empty where there is none */
};

/* False for any other URI, and for one whose parts decode to nothing, a NUL, or ill-formed UTF-8. u is to be released in any case. */
bool mcp_uri_parse(struct mcp_uri *u, str uri);
void mcp_uri_release(struct mcp_uri *u);
void mcp_uri_brief(struct buf *out, str project);
void mcp_uri_entity(struct buf *out, str project, str name);
void mcp_uri_document(struct buf *out, str project, str name);
/* Append the path of a file: URI of this machine (no host, or localhost); false otherwise. */
bool mcp_uri_path(struct buf *out, str uri);

#endif
