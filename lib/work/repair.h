/*
 * repair: a clean copy of a damaged transcript.
 *
 *   repair_copy(&src, "in.jsonl", "out.jsonl", &done, &e);       never in place
 *
 * Every whole record is copied, one a line, byte for byte where its bytes are valid, with
 * ill-formed UTF-8 and lone surrogate escapes replaced by U+FFFD and raw control characters
 * escaped; losses are left out. The copy parses to the same records. Written to a temporary
 * file beside it and renamed; mode 0600; unredacted (it is the user's own file). Memory is
 * fixed, whatever the size of a record.
 */
#ifndef WORK_REPAIR_H
#define WORK_REPAIR_H

#include "data/transcript.h"

struct repair_done {
	uint64_t records, losses, lost_bytes;
	uint64_t replaced; /* characters and escapes mended */
};

/*
 * src stands at its beginning. HF_EUSAGE when out_path is the source itself, by whatever
 * name; HF_EFORMAT when out_path is no file that may be replaced (fs_replaceable). On any
 * failure an older out_path stands.
 */
int repair_copy(struct source *src, const char *src_path, const char *out_path,
		struct repair_done *done, struct err *e);
/* The same into an open descriptor, such as standard output; `name` is for the message. */
int repair_write(struct source *src, const char *src_path, int fd, const char *name,
		 struct repair_done *done, struct err *e);

#endif
