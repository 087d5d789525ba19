/*
 * pack: zstd streams. The only module that includes zstd.h.
 */
#ifndef DATA_PACK_H
#define DATA_PACK_H

#include "base/buf.h"
#include "base/err.h"

#define PACK_WINDOW_LOG_MAX 27 /* 128 MB: what `zstd --long` writes by default */

/* The bytes begin with a zstd frame or skippable frame (RFC 8878, sections 3.1.1, 3.1.2). */
bool pack_is_packed(str head);
/* Decompress fd (from its current position) into out_fd, at most max bytes. HF_EFORMAT, HF_ELIMIT, HF_EIO. `name` is for messages. */
int pack_unpack(int fd, int out_fd, uint64_t max, const char *name, struct err *e);
/* Compress s into out (one frame, level 19 for small texts, checksum on). */
int pack_pack(str s, struct buf *out, struct err *e);
/* Decompress one text into out (its max is the cap). */
int pack_unpack_text(str s, struct buf *out, struct err *e);

#endif
