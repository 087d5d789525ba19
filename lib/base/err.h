/*
 * err: what went wrong, as a code for the caller and one line for the person.
 *
 *   if (fd < 0)
 *           return err_sys(e, "open %s", path);          "open x: Permission denied"
 *   return err_set(e, HF_ELIMIT, "%s: over %d bytes", path, MAX);
 *
 * Every function that can fail returns 0 or one of these negative codes and takes a
 * struct err * (may be NULL). The first message is kept: callers may add nothing.
 * A code exists only because some caller acts on it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum {
	HF_OK = 0,
	HF_EIO = -1,        /* a system call failed */
	HF_ELIMIT = -2,     /* a limit of ours was reached */
	HF_EFORMAT = -3,    /* the input is not what it should be */
	HF_ENOTFOUND = -4,  /* no such thing */
	HF_EUSAGE = -5,     /* called wrongly: programs exit 64 */
	HF_EAMBIGUOUS = -6, /* a name fits several things */
	HF_ETIME = -7,      /* a deadline passed */
	HF_EPIPE = -8,      /* the reader of our output went away */
};

#define ERR_MSG_BYTES 512

struct err {
	int code;
	char msg[ERR_MSG_BYTES]; /* one line, no newline, cut between characters */
};

#define ERR_INIT ((struct err){0})

/* Store code and message if e holds none yet; returns code. Control characters in the message become '?'. */
int err_set(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with ": " and strerror(errno) appended; HF_EPIPE for EPIPE, else HF_EIO. */
int err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
