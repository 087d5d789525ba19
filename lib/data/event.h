/*
 * event: one line of a session note: what was decided, tried, asked, touched.
 *
 *   while (event_cut(&rest, &line))                 the lines of a note's body
 *           if (event_parse(line, &ev)) ...         ev borrows from line
 *   event_render(&b, &ev);                          the line, with its \n
 *
 * The grammar is handoff-mcp's (docs/formats.md, "Events"):
 *   - **[type]** (imp:N · ISO time) content <!-- id=ev_x supersedes=a,b origin=derived -->
 * Written byte for byte as it writes it, read at least as tolerantly: a line that is no event
 * hides no other; importance is clamped, a time that is none is 0. Keys that we do not know are
 * ignored, and handoff-mcp ignores ours (origin, from). Lines end at LF alone.
 *
 * Here too: names and headers of the notes that events stand in.
 */
#ifndef DATA_EVENT_H
#define DATA_EVENT_H

#include "base/buf.h"

#define EVENT_CONTENT_MAX (32u << 10)
#define EVENT_ID_MAX      120
#define EVENT_FILE_MAX    190 /* bytes of an entity's file name, without .md */

/* in the order of the brief's sections */
enum event_type {
	EVENT_GOAL,
	EVENT_NEXT_STEP,
	EVENT_DECISION,
	EVENT_DEADEND,
	EVENT_QUESTION,
	EVENT_FILE,
	EVENT_TYPES
};

enum event_origin {
	EVENT_LOGGED,   /* by an agent or a person */
	EVENT_DERIVED,  /* drawn from a transcript */
	EVENT_IMPORTED, /* from elsewhere */
};

struct event {
	enum event_type type;
	enum event_origin origin;
	int importance; /* 1 to 5 */
	int64_t at_us;  /* microseconds since 1970, UTC; 0: no time that can be read */
	str at;         /* the time as it stands in the line */
	str id, content;
	str supersedes; /* ids joined by ',' */
	str from;       /* derived: uuid of the record it came from; "" */
};

/* Cut the next line off *rest; two events that a lost newline glued together are cut apart. False at the end. */
bool event_cut(str *rest, str *line);
/* False when the line is no event. */
bool event_parse(str line, struct event *ev);
/* ev->at "" is written from at_us. A content that would read as two events is kept apart by a blank. */
void event_render(struct buf *b, const struct event *ev);
str event_type_name(enum event_type t);
bool event_type_of(str name, enum event_type *t);
str event_origin_name(enum event_origin o);
/* Next id of a supersedes list, empties skipped; false at the end. */
bool event_superseded(str *list, str *id);

/* Append content in the one-line form in which it may be stored: control characters deleted, white space around newlines (also U+0085, U+2028, U+2029) one blank, trimmed. May append nothing. */
void event_normalise(struct buf *b, str content);
/* "ev_" and 8 random hex digits. */
void event_new_id(struct buf *b);
/* May stand as an id in a line: 1 to EVENT_ID_MAX bytes, no white space, comma, control character, "-->". */
bool event_id_ok(str id);
/* Microseconds since 1970 as Python's isoformat in UTC: "2026-01-03T09:00:00[.250000]+00:00". */
void event_time(struct buf *b, int64_t us);
/* The other way, any ISO 8601 that Python reads with seconds or minutes; none: UTC. False: *us is 0. */
bool event_time_parse(str s, int64_t *us);

/* Next [[target]] from *it (start 0), cleaned, into target (reset first); empty ones skipped, repeated ones not. */
bool event_link(str content, size_t *it, struct buf *target);
/* Append the file name of an entity, without ".md": handoff-mcp's rule; over EVENT_FILE_MAX it is cut and a hash added. */
void event_entity_file(struct buf *b, str name);
/* The name with a hash of it: for a name whose file another name already has on this disk. */
void event_entity_file_apart(struct buf *b, str name);

/* A session note, read or made. Texts are borrowed from the note. */
struct event_note {
	bool front;      /* there is front matter */
	bool twice;      /* a key stands in it twice: the last one counts */
	str id, project; /* "" when absent */
	str started;     /* as it stands there */
	int64_t started_us;
	bool done; /* status: done */
	str summary;
	str body; /* after the front matter */
};

/* Never fails: what is odd is body. A BOM is skipped. */
void event_note_read(struct event_note *n, str text);
/* The header of a new session note, up to the first event line. */
void event_note_header(struct buf *b, str id, str project, int64_t started_us);

#endif
