/*
 * Three small bodies of knowledge: the words that name secrets, the words that stand where
 * a secret could but are none, and which pairs of letters occur in words at all.
 */
#include "work/secret.h"

#include "base/utf8.h"

#define PART_BYTES      24 /* longest part of a name that is looked at */
#define WORD_BYTES      13 /* longest word in the tables */
#define PLACEHOLDER_MAX 40 /* bytes of a placeholder in words */
#define HEX_PART_MIN    4  /* bytes of a part that may be hexadecimal */
#define PARTS_MAX       5  /* parts looked at, from the end */

#define W(lit)                                                                           \
	{                                                                                \
		lit, sizeof(lit) - 1                                                     \
	}
#define W_END                                                                            \
	{                                                                                \
		NULL, 0                                                                  \
	}

static bool in_list(str s, const str *list)
{
	for (; list->n; list++)
		if (s.n == list->n && s.p[0] == list->p[0] &&
		    memcmp(s.p, list->p, s.n) == 0)
			return true;
	return false;
}

/* parts of a name */

struct parts {
	char text[PARTS_MAX][PART_BYTES + 1]; /* lower case; part 0 is the last one */
	str part[PARTS_MAX];
	size_t n;
	bool more; /* there were parts before these */
	bool env;
};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_low(char c)
{
	return c >= 'a' && c <= 'z';
}

/* A new hump begins at i: fooBar, APIKey, v2Key. */
static bool hump(str s, size_t i)
{
	if (!is_upper(s.p[i]))
		return false;
	if (!is_upper(s.p[i - 1]))
		return true;
	return i + 1 < s.n && is_low(s.p[i + 1]);
}

/* One part ending at *end (moved to its start); digits at its end do not count. */
static void take_part(str s, size_t *end, struct parts *out)
{
	size_t to = *end, from = to, n;

	while (from && str_is_alnum(s.p[from - 1])) {
		from--;
		if (from && hump(s, from))
			break;
	}
	*end = from;
	while (to > from && str_is_digit(s.p[to - 1]))
		to--;
	n = to - from;
	if (n == 0)
		return; /* password_2: the number is no part */
	if (out->n == PARTS_MAX) {
		out->more = true;
		*end = 0;
		return;
	}
	if (n > PART_BYTES) { /* its end is what matters: xyzpassword */
		from = to - PART_BYTES;
		n = PART_BYTES;
	}
	for (size_t i = 0; i < n; i++)
		out->text[out->n][i] = str_lower(s.p[from + i]);
	out->part[out->n] = (str){out->text[out->n], n};
	out->n++;
}

static void split_name(str s, struct parts *out)
{
	size_t end = s.n;
	bool upper = false, low = false;

	out->n = 0; /* the rest is filled as it is used */
	out->more = false;
	while (end) {
		if (!str_is_alnum(s.p[end - 1]))
			end--;
		else
			take_part(s, &end, out);
	}
	for (size_t i = 0; i < s.n; i++) {
		upper |= is_upper(s.p[i]);
		low |= is_low(s.p[i]) || s.p[i] == '-';
	}
	out->env = upper && !low;
}

/*
 * Words that name secrets. A table holds the words of each length side by side, so that a
 * look-up compares a handful.
 */
static bool in_words(str s, const char *const *table)
{
	const char *p = s.n <= WORD_BYTES ? table[s.n] : NULL;

	for (; p && *p; p += s.n)
		if (*p == *s.p && memcmp(p, s.p, s.n) == 0)
			return true;
	return false;
}

static const char *const password_words[WORD_BYTES + 1] = {
	[2] = "pw",
	[3] = "pwd"
	      "psw"
	      "mdp",
	[4] = "pass"
	      "pswd",
	[5] = "senha"
	      "heslo"
	      "haslo"
	      "sifre"
	      "passe"
	      "sandi"
	      "geslo",
	[6] = "passwd"
	      "jelszo"
	      "dbpass",
	[7] = "sshpass"
	      "keypass"
	      "lozinka",
	[8] = "password"
	      "passcode"
	      "passwort"
	      "kennwort"
	      "losenord"
	      "salasana"
	      "mnemonic"
	      "userpass"
	      "rootpass",
	[9] = "adminpass"
	      "storepass",
	[10] = "passphrase"
	       "contrasena"
	       "wachtwoord"
	       "masterauth",
	[11] = "adgangskode"
	       "requirepass",
};

static const char *const token_words[WORD_BYTES + 1] = {
	[3] = "jwt",
	[5] = "token"
	      "creds"
	      "clave"
	      "chave"
	      "jeton",
	[6] = "secret"
	      "apikey"
	      "bearer"
	      "parola"
	      "parole",
	[10] = "credential",
	[11] = "credentials",
};

static const char *const weak_words[WORD_BYTES + 1] = {
	[3] = "sig"
	      "sid",
	[4] = "auth"
	      "sess"
	      "salt"
	      "hmac",
	[6] = "cookie"
	      "sessid",
	[7] = "session",
	[9] = "signature"
	      "sessionid",
};

/* Ends of words without a hump: PGPASSWORD, githubtoken, mysecret. */
static const str password_ends[] = {W("password"), W("passwd"), W("passphrase"),
				    W("passwort"), W_END};
static const str token_ends[] = {W("token"),     W("secret"),     W("apikey"),
				 W("secretkey"), W("accesskey"),  W("privatekey"),
				 W("authkey"),   W("licensekey"), W("encryptionkey"),
				 W("masterkey"), W("accountkey"), W("signingkey"),
				 W_END};

static const str weak_ends[] = {W("sessid"), W("sessionid"), W_END};

/* What comes before "key" when the key is a secret. */
static const char *const key_kinds[WORD_BYTES + 1] = {
	[3] = "api"
	      "app"
	      "jwt"
	      "aes"
	      "rsa"
	      "ssh"
	      "gpg"
	      "aws"
	      "gcp"
	      "psk",
	[4] = "auth"
	      "sign"
	      "hmac"
	      "root",
	[5] = "admin"
	      "azure",
	[6] = "secret"
	      "access"
	      "master"
	      "deploy"
	      "client"
	      "server"
	      "shared"
	      "cookie"
	      "stripe"
	      "openai"
	      "google"
	      "github"
	      "gitlab"
	      "backup",
	[7] = "private"
	      "encrypt"
	      "signing"
	      "license"
	      "account"
	      "storage"
	      "service"
	      "webhook"
	      "session"
	      "project"
	      "mailgun"
	      "trading"
	      "payment",
	[8] = "consumer"
	      "sendgrid"
	      "recovery"
	      "security"
	      "merchant",
	[9] = "anthropic"
	      "symmetric"
	      "wireguard"
	      "preshared",
	[10] = "encryption"
	       "decryption",
	[11] = "application"
	       "integration",
	[12] = "subscription",
};

/* What comes before KEY in the environment when it is none. */
static const char *const key_innocent[WORD_BYTES + 1] = {
	[1] = "s",
	[2] = "up"
	      "no"
	      "is"
	      "on"
	      "by",
	[3] = "map"
	      "row"
	      "hot"
	      "alt"
	      "end"
	      "tab"
	      "any"
	      "sub"
	      "not"
	      "pub",
	[4] = "sort"
	      "dict"
	      "host"
	      "ctrl"
	      "meta"
	      "down"
	      "left"
	      "home"
	      "test"
	      "json"
	      "item",
	[5] = "cache"
	      "index"
	      "group"
	      "shift"
	      "enter"
	      "right"
	      "space"
	      "press"
	      "issue"
	      "query"
	      "field"
	      "class"
	      "event",
	[6] = "public"
	      "column"
	      "object"
	      "lookup"
	      "unique"
	      "config"
	      "leader"
	      "prefix"
	      "escape"
	      "delete"
	      "header",
	[7] = "primary"
	      "foreign"
	      "project"
	      "context",
	[8] = "shortcut"
	      "register"
	      "registry"
	      "modifier",
	[9] = "partition"
	      "composite"
	      "duplicate",
	[11] = "idempotency"
	       "translation"
	       "publishable",
};

/* Last words that only say which one it is. */
static const char *const qualifiers[WORD_BYTES + 1] = {
	[1] = "b",
	[3] = "dev"
	      "hex"
	      "pem"
	      "raw"
	      "old"
	      "new",
	[4] = "prod"
	      "test"
	      "live"
	      "base",
	[5] = "stage"
	      "local"
	      "value"
	      "plain",
	[6] = "string"
	      "backup",
	[7] = "staging"
	      "testing"
	      "current"
	      "primary"
	      "confirm"
	      "default",
	[8] = "previous",
	[9] = "secondary",
	[10] = "production",
	[11] = "development",
	[12] = "confirmation",
};

/* Last words that leave a secret's name something else, but for the rules of parts_rank. */
static const char *const asked_about[WORD_BYTES + 1] = {
	[2] = "id", [3] = "pat", [4] = "hash"};

/* First words of what is done to a secret or asked about it: no name of one. */
static const char *const verbs[WORD_BYTES + 1] = {
	[2] = "is"
	      "on"
	      "no",
	[3] = "get"
	      "set"
	      "has"
	      "use"
	      "max"
	      "min"
	      "num",
	[4] = "show"
	      "hide"
	      "hash"
	      "send"
	      "with",
	[5] = "check"
	      "needs"
	      "allow"
	      "parse"
	      "fetch"
	      "count"
	      "wrong",
	[6] = "toggle"
	      "handle"
	      "verify"
	      "enable"
	      "create"
	      "forgot",
	[7] = "require"
	      "disable"
	      "compare"
	      "encrypt"
	      "decrypt"
	      "missing"
	      "invalid"
	      "without",
	[8] = "validate"
	      "requires"
	      "generate",
};

static const char *const query_words[WORD_BYTES + 1] = {
	[3] = "sig"
	      "sid",
	[4] = "sess",
	[6] = "cookie"
	      "sessid",
	[7] = "session",
	[9] = "signature"
	      "sessionid",
};

static const char *const cookie_words[WORD_BYTES + 1] = {
	[3] = "sid",
	[4] = "sess",
	[6] = "cookie"
	      "sessid",
	[7] = "session",
	[9] = "sessionid",
};

static bool ends_in_list(str s, const str *list)
{
	for (; list->n; list++)
		if (s.p[s.n - 1] == list->p[list->n - 1] && str_ends(s, *list))
			return true;
	return false;
}

static enum secret_rank key_rank(const struct parts *p, size_t last)
{
	if (last + 1 >= p->n)
		return SECRET_WEAK;
	str kind = p->part[last + 1];

	if (in_words(kind, key_kinds) &&
	    !(last + 2 < p->n && str_eq(p->part[last + 2], STR("public"))))
		return SECRET_TOKEN;
	if (p->env && !in_words(kind, key_innocent))
		return SECRET_WEAK;
	return SECRET_NONE;
}

/* What comes before "pass" when something is passed or passes. */
static const char *const pass_innocent[WORD_BYTES + 1] = {[2] = "by"
								"no",
							  [3] = "two"
								"one"
								"low"
								"did"
								"all",
							  [4] = "scgi"
								"grpc"
								"high"
								"test"
								"last"
								"next"
								"does"
								"will"
								"must"
								"each"
								"main",
							  [5] = "proxy"
								"uwsgi"
								"first"
								"multi"
								"debug"
								"depth"
								"final"
								"third",
							  [6] = "second"
								"single"
								"render"
								"shadow"
								"shader"
								"result"
								"should",
							  [7] = "fastcgi"
								"forward",
							  [8] = "backward"
								"preserve"
								"analysis"
								"function"};

static enum secret_rank word_rank(const struct parts *p, size_t last)
{
	str w = p->part[last];
	str kind = last + 1 < p->n ? p->part[last + 1] : STR_NONE;

	if (str_eq(w, STR("pass")) && kind.n && in_words(kind, pass_innocent))
		return SECRET_NONE;
	if (str_eq(w, STR("pat"))) /* personal access token, or pattern */
		return kind.n && (in_words(kind, key_kinds) || str_eq(kind, STR("gh")))
			       ? SECRET_TOKEN
			       : SECRET_NONE;
	if (in_words(w, password_words) || ends_in_list(w, password_ends))
		return SECRET_PASSWORD;
	if (str_eq(w, STR("key")))
		return key_rank(p, last);
	if (in_words(w, token_words) || ends_in_list(w, token_ends))
		return SECRET_TOKEN;
	if (in_words(w, weak_words) || ends_in_list(w, weak_ends))
		return SECRET_WEAK;
	return SECRET_NONE;
}

static enum secret_rank parts_rank(const struct parts *p, size_t *which)
{
	size_t last = 0;
	enum secret_rank rank;

	while (last + 1 < p->n && in_words(p->part[last], qualifiers))
		last++;
	*which = last;
	rank = word_rank(p, last);
	if (rank == SECRET_NONE) {
		/* session_id, password_hash: worth something only if it looks random */
		bool id = str_eq(p->part[last], STR("id")),
		     hash = str_eq(p->part[last], STR("hash"));

		if (!(id || hash) || last + 1 >= p->n)
			return SECRET_NONE;
		*which = last + 1;
		if (id)
			return in_words(p->part[last + 1], cookie_words) ? SECRET_WEAK
									 : SECRET_NONE;
		return word_rank(p, last + 1) == SECRET_PASSWORD ? SECRET_WEAK
								 : SECRET_NONE;
	}
	if (p->n > last + 1 && !p->env && !p->more && in_words(p->part[p->n - 1], verbs))
		return SECRET_WEAK;
	return rank;
}

/* Most names end here: their last part is no word of the tables. */
static bool may_matter(str name)
{
	struct parts p;
	size_t end = name.n;

	p.n = 0; /* the rest is filled as it is used */
	p.env = p.more = false;
	while (end && p.n == 0) {
		if (!str_is_alnum(name.p[end - 1]))
			end--;
		else
			take_part(name, &end, &p);
	}
	return p.n &&
	       (word_rank(&p, 0) != SECRET_NONE || in_words(p.part[0], qualifiers) ||
		in_words(p.part[0], asked_about) ||
		str_eq(p.part[0], STR("authorization")));
}

/* names in other languages, and names of two words */

struct phrase {
	str word; /* lower case */
	enum secret_rank rank;
	bool cjk; /* no spaces: nothing is asked of what comes before it */
};

static const struct phrase phrases[] = {
	{W("пароль"), SECRET_PASSWORD, false},
	{W("пароля"), SECRET_PASSWORD, false},
	{W("пароль бд"), SECRET_PASSWORD, false},
	{W("пароли"), SECRET_PASSWORD, false},
	{W("парола"), SECRET_PASSWORD, false},
	{W("лозинка"), SECRET_PASSWORD, false},
	{W("секрет"), SECRET_TOKEN, false},
	{W("токен"), SECRET_TOKEN, false},
	{W("токен доступа"), SECRET_TOKEN, false},
	{W("ключ"), SECRET_TOKEN, false},
	{W("api-ключ"), SECRET_TOKEN, false},
	{W("contraseña"), SECRET_PASSWORD, false},
	{W("clé secrète"), SECRET_TOKEN, false},
	{W("parolă"), SECRET_PASSWORD, false},
	{W("hasło"), SECRET_PASSWORD, false},
	{W("lösenord"), SECRET_PASSWORD, false},
	{W("şifre"), SECRET_PASSWORD, false},
	{W("jelszó"), SECRET_PASSWORD, false},
	{W("slaptažodis"), SECRET_PASSWORD, false},
	{W("mật khẩu"), SECRET_PASSWORD, false},
	{W("κωδικός"), SECRET_PASSWORD, false},
	{W("συνθηματικό"), SECRET_PASSWORD, false},
	{W("סיסמה"), SECRET_PASSWORD, false},
	{W("סיסמא"), SECRET_PASSWORD, false},
	{W("كلمة المرور"), SECRET_PASSWORD, false},
	{W("كلمة السر"), SECRET_PASSWORD, false},
	{W("رمز عبور"), SECRET_PASSWORD, false},
	{W("گذرواژه"), SECRET_PASSWORD, false},
	{W("पासवर्ड"), SECRET_PASSWORD, false},
	{W("รหัสผ่าน"), SECRET_PASSWORD, true},
	{W("密码"), SECRET_PASSWORD, true},
	{W("密碼"), SECRET_PASSWORD, true},
	{W("口令"), SECRET_PASSWORD, true},
	{W("パスワード"), SECRET_PASSWORD, true},
	{W("暗証番号"), SECRET_PASSWORD, true},
	{W("비밀번호"), SECRET_PASSWORD, true},
	{W("암호"), SECRET_PASSWORD, true},
	{W("令牌"), SECRET_TOKEN, true},
	{W("密钥"), SECRET_TOKEN, true},
	{W("密鑰"), SECRET_TOKEN, true},
	{W("トークン"), SECRET_TOKEN, true},
	{W("토큰"), SECRET_TOKEN, true},
};

/* Lower case of the scripts in the table above; one letter in, one letter out. */
static uint32_t fold(uint32_t cp)
{
	if (cp < 0x80)
		return cp >= 'A' && cp <= 'Z' ? cp + 32 : cp;
	if ((cp >= 0xc0 && cp <= 0xde && cp != 0xd7) || (cp >= 0x391 && cp <= 0x3a9) ||
	    (cp >= 0x410 && cp <= 0x42f))
		return cp + 32;
	if (cp >= 0x400 && cp <= 0x40f)
		return cp + 80;
	if ((cp >= 0x100 && cp <= 0x137) || (cp >= 0x14a && cp <= 0x177) ||
	    (cp >= 0x1e00 && cp <= 0x1eff))
		return cp | 1;
	if ((cp >= 0x139 && cp <= 0x148) || (cp >= 0x179 && cp <= 0x17e))
		return cp + (cp & 1);
	return cp;
}

/* The text ends in word, letter by letter; *from is where. */
static bool ends_folded(str text, str word, size_t *from)
{
	uint32_t a, b;

	while (word.n) {
		size_t wn = 1, tn = 1;

		if (text.n == 0)
			return false;
		while (wn < word.n && ((unsigned char)word.p[word.n - wn] & 0xc0) == 0x80)
			wn++;
		while (tn < text.n && tn < 4 &&
		       ((unsigned char)text.p[text.n - tn] & 0xc0) == 0x80)
			tn++;
		if (utf8_next(str_from(word, word.n - wn), &a) != wn ||
		    utf8_next(str_from(text, text.n - tn), &b) != tn || a != fold(b))
			return false;
		word.n -= wn;
		text.n -= tn;
	}
	*from = text.n;
	return true;
}

/* The last character, 0 when there is none. */
static uint32_t last_char(str text)
{
	size_t n = 1;
	uint32_t cp = 0;

	if (text.n == 0)
		return 0;
	while (n < text.n && n < 4 && ((unsigned char)text.p[text.n - n] & 0xc0) == 0x80)
		n++;
	utf8_next(str_from(text, text.n - n), &cp);
	return cp;
}

/* Ideographs, kana, Hangul: scripts whose words may stand side by side. */
#define CJK_FROM 0x2e80u

/* A letter beyond ASCII; punctuation, arrows and symbols of the same blocks are none. */
static bool is_letter(uint32_t cp)
{
	if (cp < 0xc0 || (cp >= 0x2000 && cp <= 0x2bff) ||
	    (cp >= 0x3000 && cp <= 0x303f) || (cp >= 0xff00 && cp <= 0xff0f) ||
	    (cp >= 0xff1a && cp <= 0xff20))
		return false;
	return cp < 0x1f000 || cp >= 0x20000;
}

/* What follows the text begins inside a word. */
static bool inside_word(str text)
{
	uint32_t cp = last_char(text);

	return cp < 0x80 ? str_is_alnum((char)cp) : is_letter(cp) && cp < CJK_FROM;
}

static bool phrase_name(str text, struct secret_name *n)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++) {
		const struct phrase *ph = &phrases[i];
		size_t from;

		if (!ends_folded(text, ph->word, &from))
			continue;
		if (!ph->cjk && inside_word(str_head(text, from)))
			continue;
		n->rank = ph->rank;
		n->cjk = ph->cjk;
		n->from = from;
		return true;
	}
	return false;
}

static bool name_byte(char c)
{
	return str_is_alnum(c) || c == '_' || c == '-' || c == '.';
}

/* PWD and OLDPWD name a directory. */
static bool is_directory(str name)
{
	return str_eq(name, STR("PWD")) || str_eq(name, STR("OLDPWD"));
}

/* The last parts of text that could be an ASCII name. */
static size_t name_from(str text)
{
	size_t from = text.n;

	while (from && name_byte(text.p[from - 1]))
		from--;
	return from;
}

bool secret_name(str text, struct secret_name *n)
{
	struct parts parts;
	size_t from, which;
	uint32_t before;

	*n = (struct secret_name){0};
	if (text.n > SECRET_NAME_MAX)
		text = str_from(text, text.n - SECRET_NAME_MAX);
	from = name_from(text);
	before = last_char(str_head(text, from));
	if (is_letter(before) && phrase_name(text, n))
		return true;
	if (from == text.n || (is_letter(before) && before < CJK_FROM))
		return false;
	if (is_directory(str_from(text, from)))
		return false;
	if (!may_matter(str_from(text, from)))
		return false;
	split_name(str_from(text, from), &parts);
	if (parts.n == 1 && str_eq(parts.part[0], STR("key")) && from &&
	    text.p[from - 1] == ' ') {
		/* "API key: ..." in prose: the kind stands in a word of its own */
		from = name_from(str_trim_right(str_head(text, from)));
		split_name(str_from(text, from), &parts);
	}
	if (parts.n == 0)
		return false;
	n->from = from;
	n->env = parts.env;
	n->bare = parts.n == 1 && !parts.more;
	if (str_eq(parts.part[0], STR("authorization"))) {
		n->auth = true;
		n->rank = SECRET_TOKEN;
		return true;
	}
	n->header = str_eq(parts.part[0], STR("cookie")) &&
		    (parts.n == 1 || str_eq(parts.part[1], STR("set")));
	n->rank = parts_rank(&parts, &which);
	n->cookie = in_words(parts.part[which], cookie_words) ||
		    ends_in_list(parts.part[which], weak_ends);
	n->query = in_words(parts.part[which], query_words);
	n->key = n->bare && str_eq(parts.part[which], STR("key"));
	n->pass = str_eq(parts.part[which], STR("pass")) ||
		  str_eq(parts.part[which], STR("pw"));
	return n->rank != SECRET_NONE;
}

/* words and numbers */

/*
 * Letters that occur in words after a .. z, bit 0 for a; counted over identifiers and prose.
 * About half of all pairs: random letters soon hit one that is missing.
 */
static const uint32_t after[26] = {
	0x3febd7f, 0x11e4b1f, 0x11eddbf, 0x01ef9bf, 0x1fffdff, 0x11e693d, 0x01e79d5,
	0x01e5911, 0x2aefc7f, 0x0104011, 0x0042911, 0x13ce97f, 0x03cd91b, 0x13efd7f,
	0x0fefd7f, 0x11eedbd, 0x0100000, 0x13efd7f, 0x15ffdfd, 0x15ef9bf, 0x00ef97f,
	0x0004111, 0x0066191, 0x08c8114, 0x00cb911, 0x2000111,
};

static bool all_hex(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!str_is_digit(s.p[i]) &&
		    !(str_lower(s.p[i]) >= 'a' && str_lower(s.p[i]) <= 'f'))
			return false;
	return true;
}

/*
 * How little s (letters and digits only) looks like words: two points for a pair of letters
 * that words do not have and for a change between letters and digits, one for a hump. Words,
 * camelCase and versions get well under half a point a byte, random values about one.
 */
static size_t strangeness(str s)
{
	size_t points = 0, digits = 0;

	for (size_t i = 1; i < s.n; i++) {
		char a = s.p[i - 1], b = s.p[i];

		digits += str_is_digit(b);
		if (str_is_digit(a) != str_is_digit(b))
			points += 2;
		else if (is_low(a) && is_upper(b))
			points++;
		else if (!str_is_digit(a))
			points += after[str_lower(a) - 'a'] >> (str_lower(b) - 'a') & 1
					  ? 0
					  : 2;
	}
	/* hexadecimal is mostly digits, whose order tells nothing */
	if (s.n >= HEX_PART_MIN && points && digits && points < s.n && all_hex(s))
		points = s.n;
	return points;
}

bool secret_random(str s)
{
	size_t points = 0, from = 0;

	if (s.n < SECRET_RANDOM_MIN)
		return false;
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && str_is_alnum(s.p[i]))
			continue;
		size_t n = i - from, part = strangeness((str){s.p + from, n});

		if (n >= SECRET_PART_MIN && part * 2 >= n)
			return true; /* "name-of-app-8f7d6e5c4b3a2918" */
		points += part;
		from = i + 1;
	}
	return points * 2 >= s.n;
}

/* what stands where a secret could */

static bool one_byte_repeated(str s)
{
	for (size_t i = 1; i < s.n; i++)
		if (s.p[i] != s.p[0])
			return false;
	return s.n > 0;
}

static const str placeholder_parts[] = {W("your"),     W("<"),        W("xxxx"),
					W("****"),     W("..."),      W("placeholder"),
					W("redacted"), W("example_"), W("changeit"),
					W("replace"),  W("insert"),   W("dummy"),
					W("…"),        W("●"),        W("•"),
					W("removed"),  W("_here"),    W("-here"),
					W("hidden"),   W("masked"),   W_END};

bool secret_stand_in(str s)
{
	if (s.n > PLACEHOLDER_MAX || secret_random(s))
		return false; /* "your" may stand in a random value */
	for (const str *p = placeholder_parts; p->n; p++)
		if (str_ifind(s, *p) != STR_NPOS)
			return true;
	return false;
}

bool secret_placeholder(str s)
{
	if (s.n == 0 || str_starts(s, STR("[redacted:")) ||
	    str_find(s, STR("[redacted:")) != STR_NPOS)
		return true;
	if (s.p[0] == '$') /* a variable, unless it is a hash in crypt(3)'s form */
		return !(s.n > 20 && s.n > 3 &&
			 str_chr(str_head(str_from(s, 2), 8), '$') != STR_NPOS);
	if (s.p[0] == '{' || s.p[0] == '%' || s.p[0] == '<' || s.p[0] == '[' ||
	    s.p[0] == '(')
		return true;
	if (str_find(s, STR("${")) != STR_NPOS || str_find(s, STR("{{")) != STR_NPOS ||
	    str_find(s, STR("$(")) != STR_NPOS || str_find(s, STR("#{")) != STR_NPOS)
		return true;
	if (s.n > 1 && one_byte_repeated(s) && !str_is_digit(s.p[0]))
		return true;
	return secret_stand_in(s);
}

/* No value anywhere. */
static const str literals[] = {
	W("string"),    W("str"),     W("text"),     W("bytes"),    W("byte"),
	W("char"),      W("varchar"), W("int"),      W("integer"),  W("number"),
	W("bool"),      W("boolean"), W("object"),   W("any"),      W("void"),
	W("unknown"),   W("never"),   W("optional"), W("array"),    W("list"),
	W("dict"),      W("map"),     W("date"),     W("float"),    W("double"),
	W("option"),    W("buffer"),  W("none"),     W("null"),     W("nil"),
	W("undefined"), W("true"),    W("false"),    W("nan"),      W("yes"),
	W("no"),        W("on"),      W("off"),      W("required"), W("empty"),
	W("unset"),     W("missing"), W("enabled"),  W("disabled"), W("n/a"),
	W("na"),        W("tbd"),     W("todo"),     W("auto"),     W("default"),
	W("hidden"),    W("masked"),  W("redacted"), W("omitted"),  W("changeme"),
	W("set"),       W("value"),   W_END};

/* None in code and prose: keywords, names of local variables, remarks. */
static const str plain_words[] = {W("new"),         W("await"),
				  W("async"),       W("function"),
				  W("func"),        W("def"),
				  W("return"),      W("this"),
				  W("self"),        W("lambda"),
				  W("const"),       W("let"),
				  W("var"),         W("static"),
				  W("typeof"),      W("not"),
				  W("and"),         W("or"),
				  W("if"),          W("else"),
				  W("in"),          W("is"),
				  W("as"),          W("for"),
				  W("secretstr"),   W("val"),
				  W("data"),        W("input"),
				  W("result"),      W("res"),
				  W("ret"),         W("arg"),
				  W("args"),        W("argv"),
				  W("param"),       W("params"),
				  W("pw"),          W("p"),
				  W("s"),           W("x"),
				  W("v"),           W("raw"),
				  W("plain"),       W("plaintext"),
				  W("hash"),        W("hashed"),
				  W("entered"),     W("generated"),
				  W("name"),        W("user"),
				  W("username"),    W("email"),
				  W("e"),           W("t"),
				  W("n"),           W("key"),
				  W("config"),      W("options"),
				  W("opts"),        W("env"),
				  W("body"),        W("form"),
				  W("req"),         W("request"),
				  W("prompt"),      W("getpass"),
				  W("field"),       W("invalid"),
				  W("valid"),       W("incorrect"),
				  W("wrong"),       W("ok"),
				  W("protected"),   W("needed"),
				  W("unchanged"),   W("changed"),
				  W("expired"),     W("accepted"),
				  W("rejected"),    W("denied"),
				  W("failed"),      W("correct"),
				  W("above"),       W("below"),
				  W("same"),        W("automatic"),
				  W("encrypted"),   W("stored"),
				  W("yourself"),    W("please"),
				  W("use"),         W("see"),
				  W("from"),        W("to"),
				  W("here"),        W("with"),
				  W("flag"),        W("argument"),
				  W("parameter"),   W("instead"),
				  W("the"),         W("a"),
				  W("via"),         W("when"),
				  W("обязательно"), W("обязателен"),
				  W("неверный"),    W("нет"),
				  W("да"),          W("пусто"),
				  W("скрыт"),       W("введите"),
				  W("указан"),      W("задан"),
				  W("requerido"),   W("requerida"),
				  W("obligatorio"), W("erforderlich"),
				  W("requis"),      W("obligatoire"),
				  W("obrigatório"), W("leer"),
				  W("vide"),        W("vacío"),
				  W("falsch"),      W_END};

bool secret_plain_word(str s, bool env)
{
	char low[32];

	if (s.n == 0 || s.n > sizeof(low))
		return s.n == 0;
	for (size_t i = 0; i < s.n; i++)
		low[i] = str_lower(s.p[i]);
	s.p = low;
	return in_list(s, literals) || (!env && in_list(s, plain_words));
}

bool secret_names_one(str s)
{
	struct parts parts;

	if (s.n > SECRET_NAME_MAX || secret_random(s))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!name_byte(s.p[i]) && s.p[i] != ' ' && s.p[i] != '/' && s.p[i] != ':')
			return false;
	split_name(s, &parts);
	for (size_t i = 0; i < parts.n; i++)
		if (word_rank(&parts, i) >= SECRET_TOKEN ||
		    str_eq(parts.part[i], STR("auth")) ||
		    str_eq(parts.part[i], STR("key")) ||
		    str_eq(parts.part[i], STR("passwords")) ||
		    str_eq(parts.part[i], STR("tokens")) ||
		    str_eq(parts.part[i], STR("secrets")))
			return true;
	return false;
}

bool secret_is_uuid(str s)
{
	if (s.n != 36)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s.p[i] != '-' : !all_hex((str){s.p + i, 1}))
			return false;
	}
	return true;
}
