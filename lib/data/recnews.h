/*
 * recnews: which records' files were written, left by writers for whoever keeps the index.
 *
 *   recnews_add(&vault, rel);                    after a write
 *   if (recnews_any(&vault)) { recnews_take(&vault, &paths); ... recnews_done(&vault); }
 *
 * A file beside the index in the cache, a path a line; disposable, never waited for. Where there is no place
 * for it, or it has grown past RECNEWS_MAX, nothing is left.
 */
#ifndef DATA_RECNEWS_H
#define DATA_RECNEWS_H

#include "base/buf.h"
#include "data/vault.h"

#define RECNEWS_MAX (16u << 20)

void recnews_add(const struct vault *v, str rel);
/* How many bytes of it there are. */
size_t recnews_any(const struct vault *v);
/* Append the lines that are there; later ones go into a new file. False: there are too many, or they cannot be read: what they told is lost. */
bool recnews_take(const struct vault *v, struct buf *out);
/* What was taken is dealt with; or it could not be, and is left for the next one. */
void recnews_done(const struct vault *v);
void recnews_back(const struct vault *v);

#endif
