/*
 * redact: take secrets out before anything is stored, printed, indexed or logged.
 *
 *   redact(&out, text);            "token ghp_..." -> "token [redacted:github-token]"
 *
 * One boundary for the whole product. Applied to whole texts before any cut, so that no
 * half of a key survives. Linear time. What is recognised, each as [redacted:kind]: provider
 * keys and tokens by prefix (longest token run), JWTs, private key and PGP blocks, URLs with
 * a password, HTTP Authorization values, secret-named assignments and options
 * (NAME=value, "name": "value", --token value, name: value in several languages) whose value
 * looks like one, and every value when the text is that of an environment file.
 * Will not: promise that no secret gets in. See docs/formats.md, "Redaction".
 */
#ifndef WORK_REDACT_H
#define WORK_REDACT_H

#include "base/buf.h"

/* Append s with secrets replaced; returns how many were. Idempotent. out->max bounds it. */
size_t redact(struct buf *out, str s);
/* The same for the content of a file: an environment file (.env, .env.*, *.env, .netrc, .pgpass, credentials) has all its values replaced. */
size_t redact_file(struct buf *out, str path, str s);
/* The name is one of those environment files. */
bool redact_is_env_file(str path);
/* redact, then utf8_show: what every text goes through on its way out. */
void redact_show(struct buf *out, str s, bool oneline);

#endif
