/*
 * secret: does a name promise a secret, and does a value look like one?
 *
 *   struct secret_name n;
 *   if (secret_name(STR("export DB_PASS"), &n)) ...        n.rank == SECRET_PASSWORD
 *   if (secret_random(STR("50aaed0f11abc.ZpSh99Qx"))) ...  not made of words
 *
 * Names are taken apart at '_', '-', '.', spaces and camelCase humps and judged by their
 * last parts, so that tokenizer, passwordField and getPassword() promise nothing. Words of
 * other languages are matched whole (by Unicode letters), those of scripts without spaces
 * at the end of the text.
 * Everything here is a heuristic: see docs/formats.md, "Redaction", for its rules.
 */
#ifndef WORK_SECRET_H
#define WORK_SECRET_H

#include "base/str.h"

/* How much a value must look like a secret after such a name: the more the lower the rank. */
enum secret_rank {
	SECRET_NONE,
	SECRET_WEAK,  /* session, cookie, signature, auth: only clearly random values */
	SECRET_TOKEN, /* token, api key, secret: not plain words */
	SECRET_PASSWORD, /* password, DB_PASS: almost anything */
};

struct secret_name {
	enum secret_rank rank;
	bool env;  /* UPPER_CASE: a variable of the environment */
	bool bare; /* one word alone */
	bool pass; /* "pass" or "pw": also what tests do, and short for much else */
	bool key;  /* just "key": of a map, most of the time */
	bool query; /* session, signature, sid: a secret only as NAME=value, as in cookies and URLs */
	bool cookie; /* a session cookie's name */
	bool header; /* Cookie or Set-Cookie: the value is a list of cookies */
	bool auth;   /* Authorization and kin: a scheme word may come first */
	bool cjk; /* a word of a script without spaces: the value ends where that script goes on */
	size_t from; /* where in the text the name begins */
};

/* Bytes before a separator that secret_name looks at. */
#define SECRET_NAME_MAX 64

/* Judge the name that ends the text. False (and rank NONE) when it promises nothing. */
bool secret_name(str text, struct secret_name *n);
/*
 * Not made of words, abbreviations and small numbers. Of random values of 16 characters one
 * in a hundred is missed, of 32 one in a thousand; of names one in a hundred is taken.
 */
bool secret_random(str s);
#define SECRET_RANDOM_MIN 8  /* bytes; below, nothing can be said */
#define SECRET_PART_MIN   12 /* bytes of a part that alone makes the whole random */
/* Stands for a value: ${X}, $X, <x>, {{x}}, %s, xxxx, ****, your-key-here, [redacted:x], empty. */
bool secret_placeholder(str s);
/* Only the words of those: "your-key-here", "replace-me", "...". */
bool secret_stand_in(str s);
/*
 * A type, a keyword or a remark in the place of a value: string, None, required, ...; in
 * the environment (env) there are no variables and no prose, so fewer words count.
 */
bool secret_plain_word(str s, bool env);
/* Words only, one of which is itself a secret's name: new_password, DB_PASSWORD, accessToken. */
bool secret_names_one(str s);
bool secret_is_uuid(str s);

#endif
