/*
 * clock: now, and ISO 8601 in UTC.
 *
 *   char at[CLOCK_ISO_BYTES];
 *   clock_iso(at, clock_now());              "2026-02-12T18:20:02.123Z"
 *
 * HANDOFF_NOW (ISO 8601, or milliseconds since 1970) pins clock_now for tests; the
 * monotonic clock is never pinned. Times are milliseconds since 1970-01-01T00:00:00Z.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/str.h"

#define CLOCK_ISO_BYTES 25 /* with NUL */
#define CLOCK_NONE      INT64_MIN

int64_t clock_now(void);
/* The same in microseconds; a pinned clock has none below the millisecond. */
int64_t clock_now_us(void);
/* False when HANDOFF_NOW is set to what is no time, and so does nothing. */
bool clock_pin_ok(void);
/* Nanoseconds from an arbitrary start, for durations and deadlines. */
int64_t clock_mono_ns(void);
/* "YYYY-MM-DDTHH:MM:SS.mmmZ"; years 0 to 9999, "?" outside. */
void clock_iso(char out[CLOCK_ISO_BYTES], int64_t ms);
/* "YYYY-MM-DDTHH:MM:SSZ" (whole seconds, rounded down). */
void clock_iso_s(char out[CLOCK_ISO_BYTES], int64_t ms);
/*
 * RFC 3339: date, optional time with fraction, optional Z or +hh:mm (none means UTC).
 * False, and *ms = CLOCK_NONE, on anything else.
 */
bool clock_parse(str s, int64_t *ms);
/* "2h16m24s", "31m49s", "12s": for people, at most two or three parts, never negative. */
void clock_span(char out[24], int64_t ms);

#endif
