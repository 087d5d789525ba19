/*
 * A pass: sieve names the places worth a look; each is given to the rules below, and the
 * first that finds a secret ends the matter: the bytes are replaced and the pass goes on
 * behind them.
 *
 * Two promises shape the code:
 *
 * - Linear time. A rule looks at a bounded window around its place, or consumes what it
 *   looked at. What must be searched further (the end of a quoted value) is remembered.
 * - redact(redact(x)) equals redact(x). So a rule never looks back across what was replaced:
 *   the byte before it counts as the ']' that ends a marker (see before()), and no rule
 *   looks back across such a bracket; a value that holds a marker is left alone. What looks
 *   ahead can still judge otherwise once something is replaced: see redact().
 */
#include "work/redact.h"

#include "base/utf8.h"
#include "work/secret.h"
#include "work/sieve.h"

#define VALUE_LOOK_BYTES  160  /* of an unquoted value, to judge it */
#define QUOTED_MAX_BYTES  4096 /* longest quoted value that is judged whole */
#define URL_MAX_BYTES     512  /* user and password of a URL */
#define GAP_BYTES         64   /* blanks between name, separator and value */
#define LINE_LOOK_BYTES   128  /* back on the line for the command an option belongs to */
#define PAIR_LOOK_BYTES   256  /* from an AWS key id to its secret */
#define DOTTED_LOOK_BYTES 40   /* back from a run to the start of a dotted token */
#define PROSE_WORDS_MAX   24   /* no passphrase is longer */
#define PREFIX_LETTERS_MIN                                                               \
	20 /* letters behind a prefix that are a token even if they read well */
#define PREFIX_TOKEN_MIN 14 /* bytes of the shortest token in the table */
#define JWT_HEAD_MIN     10 /* bytes of a JWT's first part */
#define PREFIX_BYTES     19 /* of the longest, with NUL */
#define CRYPT_LOOK_BYTES 64 /* from the hash back to the first '$' */
#define PEM_BODY_MIN     4  /* base64 in a row: the block is more than a mention */
#define PIN_MIN          4  /* digits of a password that is a number */
#define KEY_VALUE_MIN    24 /* bytes of a value whose name is just "key" */
#define PEM_CUT_MIN      16 /* the same in a block without an end */
#define SAID_WHAT_BYTES  48 /* "for the staging server" between a password and its value */
#define PIN_MAX          8  /* digits of a PIN */
#define SEED_WORDS_MIN   12 /* of a wallet's phrase; BIP 39 allows 12 to 24 words */
#define SEED_WORDS_MAX   24
#define SEED_LETTERS_MIN 3 /* of each of them */
#define SEED_LETTERS_MAX 8
#define KEY_OPTION_MIN   16 /* bytes of a value behind -k or --key */
#define KEY_STRETCH_MIN  12 /* letters and digits in a row in it */

#define PASSES_MAX 8
/* over one text; each but the last has found something that the one before made visible */

struct hit {
	size_t from, to;
	const char *kind;
};

struct scan {
	str s;
	size_t done;       /* end of the last secret */
	size_t cookie_end; /* inside the value of a Cookie header up to here */
	struct hit ahead;  /* found, but there are places before it; to 0 = none */
	struct sieve sieve;
	struct {
		size_t from, to;
	} quote[3]; /* per quote character: from any place in [from, to] the next one is at `to` */
};

/* text around a place */

static inline char at(const struct scan *c, size_t i)
{
	return i < c->s.n ? c->s.p[i] : '\0';
}

static inline char before(const struct scan *c, size_t i)
{
	if (i == c->done)
		return c->done ? ']' : '\0';
	return c->s.p[i - 1];
}

static inline str cut(const struct scan *c, size_t from, size_t to)
{
	return (str){c->s.p + from, to - from};
}

static inline bool token_byte(char ch)
{
	static const bool is[256] = {
		['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
		['_'] = true,         ['-'] = true,
	};

	return is[(unsigned char)ch];
}

static inline bool blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

static inline bool newline(char ch)
{
	return ch == '\n' || ch == '\r';
}

static inline bool is_quote(char ch)
{
	return ch == '"' || ch == '\'' || ch == '`';
}

/* NUL is in no set. */
static inline bool one_of(char ch, const char *set)
{
	return ch && strchr(set, ch);
}

static bool is_hex(char ch)
{
	return str_is_digit(ch) || (str_lower(ch) >= 'a' && str_lower(ch) <= 'f');
}

/* Three dashes are a rule or a block's border, never inside a token. */
static inline bool border(const struct scan *c, size_t i)
{
	return c->s.p[i] == '-' && at(c, i + 1) == '-' && at(c, i + 2) == '-';
}

static inline bool token_at(const struct scan *c, size_t i)
{
	return i < c->s.n && token_byte(c->s.p[i]) && !border(c, i);
}

static size_t token_end(const struct scan *c, size_t i)
{
	while (token_at(c, i))
		i++;
	return i;
}

/* The token run from i, over dots that have a token byte on their other side as well. */
static size_t long_token_end(const struct scan *c, size_t i)
{
	while (token_at(c, i) || (at(c, i) == '.' && token_at(c, i + 1)))
		i++;
	return i;
}

static bool base64_byte(char ch)
{
	return token_byte(ch) || ch == '+' || ch == '/' || ch == '=';
}

static size_t base64_end(const struct scan *c, size_t i)
{
	while (i < c->s.n && base64_byte(c->s.p[i]) && !border(c, i))
		i++;
	return i;
}

/* The text from the start of the line, or of what may be looked at, to i. */
static str line_before(const struct scan *c, size_t i, size_t max)
{
	size_t from = i;

	while (from > c->done && i - from < max && !newline(c->s.p[from - 1]) &&
	       c->s.p[from - 1] != ']')
		from--;
	return cut(c, from, i);
}

static bool is_digits(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!str_is_digit(s.p[i]))
			return false;
	return s.n > 0;
}

static size_t count_digits(str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += str_is_digit(s.p[i]);
	return n;
}

static bool has_letter(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (str_is_alpha(s.p[i]))
			return true;
	return false;
}

static bool has_high(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] & 0x80)
			return true;
	return false;
}

/* The longest stretch of plain base64 in s. */
static size_t longest_base64(str s)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < s.n; i++) {
		run = str_is_alnum(s.p[i]) || s.p[i] == '+' || s.p[i] == '/' ? run + 1
									     : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static bool hit_set(struct hit *h, size_t from, size_t to, const char *kind)
{
	*h = (struct hit){from, to, kind};
	return to > from;
}

/* The text before `end` ends in this word, in any case. */
static bool ends_in(const struct scan *c, size_t end, str word)
{
	return end - c->done >= word.n && str_ieq(cut(c, end - word.n, end), word);
}

#define LAST3(x, y, z) ((uint32_t)(x) << 16 | (uint32_t)(y) << 8 | (uint32_t)(z))

/*
 * A filter in front of secret_name: the last letters of all names it knows, and more of them
 * where many other words end alike. Most places with a separator end here.
 */
static bool may_name(const struct scan *c, size_t end)
{
	unsigned char x, y, z;

	for (size_t low = end; end > c->done && low - end < 6; end--) {
		z = (unsigned char)c->s.p[end - 1];
		if (!str_is_digit((char)z) && z != '_' && z != '-')
			break; /* password_2 */
	}
	if (end < c->done + 2)
		return false;
	z = (unsigned char)str_lower(c->s.p[end - 1]);
	y = (unsigned char)str_lower(c->s.p[end - 2]);
	x = end > c->done + 2 ? (unsigned char)str_lower(c->s.p[end - 3]) : ' ';
	if (z & 0x80 || y & 0x80 || x & 0x80)
		return true; /* another script */
	if (y == 'p' && z == 'w')
		return true;
	if (z == 'b' && (y == '_' || y == '-'))
		return true; /* base64: _b64 */
	switch (LAST3(x, y, z)) {
	case LAST3('a', 'l', 's'): /* credentials */
	case LAST3('a', 'l', 't'): /* salt */
	case LAST3('a', 'n', 'a'): /* salasana */
	case LAST3('a', 's', 'h'): /* password_hash */
	case LAST3('c', 'a', 'l'): /* local */
	case LAST3('d', 'e', 'v'):
	case LAST3('e', 'd', 's'): /* creds */
	case LAST3('e', 'n', 'a'): /* contrasena */
	case LAST3('f', 'r', 'e'): /* sifre */
	case LAST3('h', 'e', 'x'):
	case LAST3('i', 'a', 'l'): /* credential */
	case LAST3('i', 'r', 'm'): /* confirm */
	case LAST3('j', 'w', 't'):
	case LAST3('k', 'e', 'n'): /* token */
	case LAST3('k', 'e', 'y'):
	case LAST3('k', 'i', 'e'): /* cookie */
	case LAST3('k', 'u', 'p'): /* backup */
	case LAST3('m', 'a', 'c'): /* hmac */
	case LAST3('m', 'd', 'p'):
	case LAST3('n', 'd', 'i'): /* sandi */
	case LAST3('n', 'e', 'w'):
	case LAST3('n', 'h', 'a'): /* senha */
	case LAST3('n', 'i', 'c'): /* mnemonic */
	case LAST3('n', 'i', 'd'): /* sessionId */
	case LAST3('n', 'k', 'a'): /* lozinka */
	case LAST3('o', 'l', 'd'):
	case LAST3('p', 'a', 't'):
	case LAST3('p', 'e', 'm'):
	case LAST3('p', 'w', 'd'):
	case LAST3('r', 'a', 'w'):
	case LAST3('r', 'o', 'd'): /* prod */
	case LAST3('s', 'i', 'd'):
	case LAST3('s', 'i', 'g'):
	case LAST3('s', 'l', 'o'): /* heslo */
	case LAST3('s', 's', 'e'): /* mot de passe */
	case LAST3('s', 'w', 'd'): /* passwd */
	case LAST3('p', 's', 'w'):
	case LAST3('s', 'z', 'o'): /* jelszo */
	case LAST3('u', 't', 'h'):
	case LAST3('_', 'i', 'd'):
	case LAST3('-', 'i', 'd'):
		return true;
	case LAST3('a', 'g', 'e'):
		return ends_in(c, end, STR("stage"));
	case LAST3('a', 'i', 'n'):
		return ends_in(c, end, STR("plain"));
	case LAST3('a', 'r', 'y'):
		return ends_in(c, end, STR("primary")) ||
		       ends_in(c, end, STR("secondary"));
	case LAST3('a', 's', 'e'):
		return ends_in(c, end, STR("phrase")) || ends_in(c, end, STR("base"));
	case LAST3('a', 's', 's'):
		return ends_in(c, end, STR("pass"));
	case LAST3('a', 'v', 'e'):
		return ends_in(c, end, STR("clave")) || ends_in(c, end, STR("chave"));
	case LAST3('d', 'i', 's'):
		return ends_in(c, end, STR("odis")); /* slaptažodis */
	case LAST3('e', 'n', 't'):
		return ends_in(c, end, STR("current")) ||
		       ends_in(c, end, STR("development"));
	case LAST3('e', 's', 's'):
		return ends_in(c, end, STR("sess"));
	case LAST3('e', 's', 't'):
		return ends_in(c, end, STR("test"));
	case LAST3('i', 'n', 'g'):
		return ends_in(c, end, STR("staging")) ||
		       ends_in(c, end, STR("testing")) || ends_in(c, end, STR("string"));
	case LAST3('i', 'o', 'n'):
		return ends_in(c, end, STR("session")) ||
		       ends_in(c, end, STR("authorization")) ||
		       ends_in(c, end, STR("production")) ||
		       ends_in(c, end, STR("confirmation"));
	case LAST3('i', 'v', 'e'):
		return ends_in(c, end, STR("live"));
	case LAST3('l', 'u', 'e'):
		return ends_in(c, end, STR("value"));
	case LAST3('o', 'd', 'e'):
		return ends_in(c, end, STR("passcode")) || ends_in(c, end, STR("skode"));
	case LAST3('o', 'l', 'a'):
	case LAST3('o', 'l', 'e'):
		return ends_in(c, end - 1, STR("parol"));
	case LAST3('o', 'r', 'd'):
		return ends_in(c, end, STR("word")) || ends_in(c, end, STR("woord")) ||
		       ends_in(c, end, STR("senord"));
	case LAST3('o', 'r', 't'):
		return ends_in(c, end, STR("wort"));
	case LAST3('o', 'u', 's'):
		return ends_in(c, end, STR("previous"));
	case LAST3('r', 'e', 'r'):
		return ends_in(c, end, STR("bearer"));
	case LAST3('r', 'e', 't'):
		return ends_in(c, end, STR("secret"));
	case LAST3('t', 'o', 'n'):
		return ends_in(c, end, STR("jeton"));
	case LAST3('u', 'l', 't'):
		return ends_in(c, end, STR("default"));
	case LAST3('u', 'r', 'e'):
		return ends_in(c, end, STR("signature"));
	}
	return false;
}

/* tokens known by how they begin */

enum prefix_set { SET_TOKEN, SET_ALNUM, SET_HEX, SET_UPPER, SET_BASE64 };

struct prefix {
	char text
		[PREFIX_BYTES]; /* here, not behind a pointer: a search touches seven of them */
	const char *kind;
	uint8_t min; /* bytes of the set that have to follow */
	uint8_t set;
	uint8_t lax; /* the prefix also begins ordinary names: the rest has to be random */
};

/* In byte order: prefix_at searches it. */
static const struct prefix prefixes[] = {
	{"A3-", "1password-key", 26, SET_TOKEN, 1},
	{"ABIA", "aws-key-id", 16, SET_UPPER, 0},
	{"ABSK", "aws-bedrock-key", 60, SET_BASE64, 0},
	{"AC", "twilio-id", 32, SET_HEX, 0},
	{"ACCA", "aws-key-id", 16, SET_UPPER, 0},
	{"AGE-SECRET-KEY-1", "age-key", 20, SET_ALNUM, 0},
	{"AIza", "google-key", 30, SET_TOKEN, 0},
	{"AKCp", "artifactory-key", 40, SET_ALNUM, 0},
	{"AKIA", "aws-key-id", 12, SET_UPPER, 0},
	{"AKID", "tencent-key-id", 28, SET_ALNUM, 1},
	{"API-", "octopus-key", 25, SET_UPPER, 1},
	{"AQVN", "yandex-key", 30, SET_TOKEN, 1},
	{"AROA", "aws-key-id", 16, SET_UPPER, 0},
	{"ASIA", "aws-key-id", 12, SET_UPPER, 0},
	{"ATATT3", "atlassian-token", 20, SET_BASE64, 0},
	{"ATBB", "bitbucket-token", 24, SET_ALNUM, 1},
	{"ATCTT3", "atlassian-token", 20, SET_BASE64, 0},
	{"CFPAT-", "contentful-token", 30, SET_TOKEN, 0},
	{"CLOJARS_", "clojars-token", 30, SET_ALNUM, 0},
	{"EAA", "facebook-token", 60, SET_ALNUM, 0},
	{"EAAA", "square-token", 56, SET_TOKEN, 1},
	{"EZAK", "easypost-key", 40, SET_ALNUM, 0},
	{"EZTK", "easypost-key", 40, SET_ALNUM, 0},
	{"FLWSECK", "flutterwave-key", 12, SET_TOKEN, 1},
	{"FlyV1", "fly-token", 20, SET_BASE64, 0},
	{"GOCSPX-", "google-secret", 16, SET_TOKEN, 0},
	{"GR1348941", "gitlab-token", 16, SET_TOKEN, 0},
	{"HRKU-", "heroku-key", 30, SET_TOKEN, 0},
	{"LTAI", "alibaba-key-id", 16, SET_ALNUM, 1},
	{"NRAK-", "newrelic-key", 20, SET_ALNUM, 0},
	{"NRII-", "newrelic-key", 20, SET_TOKEN, 0},
	{"PMAK-", "postman-key", 24, SET_TOKEN, 0},
	{"SG.", "sendgrid-key", 16, SET_TOKEN, 1},
	{"SK", "twilio-key", 32, SET_HEX, 0},
	{"access-production-", "plaid-token", 30, SET_TOKEN, 0},
	{"access-sandbox-", "plaid-token", 30, SET_TOKEN, 0},
	{"api_org_", "huggingface-token", 30, SET_ALNUM, 0},
	{"atlasv1.", "terraform-token", 40, SET_TOKEN, 0},
	{"dapi", "databricks-token", 32, SET_HEX, 0},
	{"dckr_oat_", "docker-token", 16, SET_TOKEN, 0},
	{"dckr_pat_", "docker-token", 16, SET_TOKEN, 0},
	{"dnkey-", "defined-token", 26, SET_TOKEN, 1},
	{"doo_v1_", "digitalocean-token", 20, SET_ALNUM, 0},
	{"dop_v1_", "digitalocean-token", 20, SET_ALNUM, 0},
	{"dor_v1_", "digitalocean-token", 20, SET_ALNUM, 0},
	{"dp.audit.", "doppler-token", 20, SET_ALNUM, 0},
	{"dp.ct.", "doppler-token", 20, SET_ALNUM, 0},
	{"dp.pt.", "doppler-token", 20, SET_ALNUM, 0},
	{"dp.sa.", "doppler-token", 20, SET_ALNUM, 0},
	{"dp.scim.", "doppler-token", 20, SET_ALNUM, 0},
	{"dp.st.", "doppler-token", 20, SET_TOKEN, 0},
	{"dt0c01.", "dynatrace-token", 20, SET_ALNUM, 0},
	{"duffel_live_", "duffel-token", 20, SET_TOKEN, 0},
	{"duffel_test_", "duffel-token", 20, SET_TOKEN, 0},
	{"figd_", "figma-token", 20, SET_TOKEN, 0},
	{"fio-u-", "frameio-token", 30, SET_TOKEN, 0},
	{"fm1a_", "fly-token", 40, SET_BASE64, 0},
	{"fm1r_", "fly-token", 40, SET_BASE64, 0},
	{"fm2_", "fly-token", 40, SET_BASE64, 0},
	{"fo1_", "fly-token", 30, SET_TOKEN, 0},
	{"fw_", "fireworks-key", 20, SET_ALNUM, 1},
	{"gho_", "github-token", 16, SET_ALNUM, 0},
	{"ghp_", "github-token", 12, SET_ALNUM, 0},
	{"ghr_", "github-token", 16, SET_ALNUM, 0},
	{"ghs_", "github-token", 16, SET_ALNUM, 0},
	{"ghu_", "github-token", 16, SET_ALNUM, 0},
	{"github_pat_", "github-token", 16, SET_TOKEN, 0},
	{"glagent-", "gitlab-token", 20, SET_TOKEN, 0},
	{"glc_", "grafana-token", 30, SET_BASE64, 0},
	{"glcbt-", "gitlab-token", 16, SET_TOKEN, 0},
	{"gldt-", "gitlab-token", 16, SET_TOKEN, 0},
	{"glffct-", "gitlab-token", 16, SET_TOKEN, 0},
	{"glft-", "gitlab-token", 16, SET_TOKEN, 0},
	{"glimt-", "gitlab-token", 16, SET_TOKEN, 0},
	{"gloas-", "gitlab-token", 20, SET_TOKEN, 0},
	{"glpat-", "gitlab-token", 10, SET_TOKEN, 0},
	{"glptt-", "gitlab-token", 16, SET_TOKEN, 0},
	{"glrt-", "gitlab-token", 16, SET_TOKEN, 0},
	{"glsa_", "grafana-token", 20, SET_TOKEN, 0},
	{"glsoat-", "gitlab-token", 16, SET_TOKEN, 0},
	{"gsk_", "groq-key", 20, SET_ALNUM, 0},
	{"hf_", "huggingface-token", 20, SET_ALNUM, 1},
	{"hvb.", "vault-token", 16, SET_TOKEN, 0},
	{"hvr.", "vault-token", 16, SET_TOKEN, 0},
	{"hvs.", "vault-token", 16, SET_TOKEN, 0},
	{"ico-", "infracost-key", 30, SET_ALNUM, 0},
	{"key-", "mailgun-key", 32, SET_HEX, 0},
	{"lin_api_", "linear-key", 20, SET_ALNUM, 0},
	{"lsv2_", "langsmith-key", 20, SET_TOKEN, 0},
	{"nfp_", "netlify-token", 30, SET_ALNUM, 0},
	{"npm_", "npm-token", 20, SET_ALNUM, 1},
	{"ntn_", "notion-token", 30, SET_ALNUM, 0},
	{"ops_eyJ", "1password-token", 40, SET_BASE64, 0},
	{"oy2", "nuget-key", 43, SET_ALNUM, 1},
	{"p8e-", "adobe-secret", 30, SET_ALNUM, 0},
	{"pcsk_", "pinecone-key", 30, SET_TOKEN, 0},
	{"phc_", "posthog-key", 30, SET_ALNUM, 0},
	{"phx_", "posthog-key", 30, SET_ALNUM, 0},
	{"pnu_", "prefect-token", 30, SET_ALNUM, 0},
	{"pplx-", "perplexity-key", 30, SET_ALNUM, 0},
	{"pscale_oauth_", "planetscale-token", 20, SET_TOKEN, 0},
	{"pscale_pw_", "planetscale-token", 20, SET_TOKEN, 0},
	{"pscale_tkn_", "planetscale-token", 20, SET_TOKEN, 0},
	{"pul-", "pulumi-token", 40, SET_HEX, 0},
	{"pypi-", "pypi-token", 30, SET_TOKEN, 1},
	{"r8_", "replicate-token", 30, SET_ALNUM, 0},
	{"rdme_", "readme-token", 40, SET_ALNUM, 0},
	{"re_", "resend-key", 20, SET_TOKEN, 1},
	{"rk_live_", "stripe-key", 12, SET_TOKEN, 0},
	{"rk_test_", "stripe-key", 12, SET_TOKEN, 0},
	{"rubygems_", "rubygems-key", 32, SET_HEX, 0},
	{"s-s4t2", "intra42-secret", 40, SET_TOKEN, 0},
	{"sb_secret_", "supabase-key", 20, SET_TOKEN, 0},
	{"sbp_", "supabase-token", 30, SET_ALNUM, 0},
	{"scw_", "scaleway-key", 20, SET_TOKEN, 1},
	{"secret_", "notion-token", 40, SET_ALNUM, 0},
	{"sgp_", "sourcegraph-token", 30, SET_TOKEN, 0},
	{"shpat_", "shopify-token", 20, SET_ALNUM, 0},
	{"shpca_", "shopify-token", 20, SET_ALNUM, 0},
	{"shppa_", "shopify-token", 20, SET_ALNUM, 0},
	{"shpss_", "shopify-token", 20, SET_ALNUM, 0},
	{"sk-", "api-key", 16, SET_TOKEN, 1},
	{"sk-ant-", "anthropic-key", 10, SET_TOKEN, 0},
	{"sk-or-", "openrouter-key", 16, SET_TOKEN, 1},
	{"sk-proj-", "openai-key", 10, SET_TOKEN, 0},
	{"sk_", "api-key", 32, SET_HEX, 0},
	{"sk_live_", "stripe-key", 12, SET_TOKEN, 0},
	{"sk_prod_", "stripe-key", 12, SET_TOKEN, 0},
	{"sk_test_", "stripe-key", 12, SET_TOKEN, 0},
	{"sl.", "dropbox-token", 60, SET_TOKEN, 0},
	{"sntryi_", "sentry-token", 20, SET_BASE64, 0},
	{"sntrys_", "sentry-token", 20, SET_BASE64, 0},
	{"sntryu_", "sentry-token", 20, SET_BASE64, 0},
	{"sq0atp-", "square-token", 16, SET_TOKEN, 0},
	{"sq0csp-", "square-token", 16, SET_TOKEN, 0},
	{"tfp_", "typeform-token", 30, SET_TOKEN, 0},
	{"tskey-", "tailscale-key", 16, SET_TOKEN, 1},
	{"v1.0-", "cloudflare-key", 60, SET_TOKEN, 0},
	{"vck_", "vercel-token", 30, SET_ALNUM, 0},
	{"whsec_", "webhook-secret", 20, SET_BASE64, 0},
	{"xai-", "xai-key", 40, SET_ALNUM, 0},
	{"xapp-", "slack-token", 12, SET_TOKEN, 0},
	{"xoxa-", "slack-token", 10, SET_TOKEN, 0},
	{"xoxb-", "slack-token", 10, SET_TOKEN, 0},
	{"xoxc-", "slack-token", 10, SET_TOKEN, 0},
	{"xoxd-", "slack-token", 10, SET_BASE64, 0},
	{"xoxe-", "slack-token", 10, SET_TOKEN, 0},
	{"xoxe.", "slack-token", 10, SET_TOKEN, 0},
	{"xoxo-", "slack-token", 10, SET_TOKEN, 0},
	{"xoxp-", "slack-token", 10, SET_TOKEN, 0},
	{"xoxr-", "slack-token", 10, SET_TOKEN, 0},
	{"xoxs-", "slack-token", 10, SET_TOKEN, 0},
	{"y0_", "yandex-token", 40, SET_TOKEN, 0},
	{"ya29.", "google-token", 16, SET_TOKEN, 0},
};

#define PREFIXES (sizeof(prefixes) / sizeof(*prefixes))

/* The first two bytes, ordered as the table is. */
static inline unsigned pair_of(const char *p)
{
	return (unsigned)(unsigned char)p[0] << 8 | (unsigned char)p[1];
}

/*
 * A filter in front of the search: whether any prefix begins with this byte and then with one
 * of the same low six bits as the second. Most words of code end here.
 */
static bool prefix_may(const char *p)
{
	static uint64_t second[256];
	static bool made;

	if (!made) {
		for (size_t i = 0; i < PREFIXES; i++)
			second[(unsigned char)prefixes[i].text[0]] |=
				(uint64_t)1 << (prefixes[i].text[1] & 63);
		made = true;
	}
	return second[(unsigned char)p[0]] >> (p[1] & 63) & 1;
}

/* The first prefix that begins with this pair, or where it would be. */
static size_t prefix_search(unsigned pair)
{
	size_t lo = 0, hi = PREFIXES;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (pair_of(prefixes[mid].text) < pair)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool in_set(char ch, enum prefix_set set)
{
	switch (set) {
	case SET_TOKEN:
		return token_byte(ch);
	case SET_ALNUM:
		return str_is_alnum(ch);
	case SET_HEX:
		return str_is_digit(ch) || (ch >= 'a' && ch <= 'f');
	case SET_UPPER:
		return str_is_digit(ch) || (ch >= 'A' && ch <= 'Z');
	case SET_BASE64:
		return base64_byte(ch);
	}
	return false;
}

static size_t set_end(const struct scan *c, size_t i, size_t max, enum prefix_set set)
{
	while (i < max && in_set(c->s.p[i], set) && !border(c, i))
		i++;
	return i;
}

static bool prefix_fits(const struct scan *c, const struct prefix *x, size_t from,
			size_t *to)
{
	enum prefix_set set = (enum prefix_set)x->set;
	size_t n = strlen(x->text), body = from + n, end, max;
	str rest;

	if (c->s.n - from < n || memcmp(c->s.p + from, x->text, n) != 0)
		return false;
	if (str_is_alnum(x->text[n - 1]) && one_of(before(c, from), "/+"))
		return false; /* by chance, in the middle of base64 */
	max = c->s.n - body < VALUE_LOOK_BYTES ? c->s.n : body + VALUE_LOOK_BYTES;
	end = set_end(c, body, max, set);
	/* keys in parts, "sk-sp-ab12.cd34.ef56", are judged as a whole */
	while (x->lax && set == SET_TOKEN && end + 1 < max && c->s.p[end] == '.' &&
	       in_set(c->s.p[end + 1], set))
		end = set_end(c, end + 1, max, set);
	if (end - body < x->min)
		return false;
	if (set == SET_HEX && ((token_byte(at(c, end)) && at(c, end) != '-') ||
			       (n == 2 && end - body > x->min)))
		return false; /* longer than the hex number that was asked for */
	rest = cut(c, body, end);
	if (one_of(rest.p[0], "xX") ? secret_placeholder(rest) : secret_stand_in(rest))
		return false;
	if (!secret_random(rest) &&
	    (x->lax ||
	     (count_digits(rest) == 0 && longest_base64(rest) < PREFIX_LETTERS_MIN)))
		return false;
	/* it is one: only now go as far as it reaches */
	end = set_end(c, end, c->s.n, set);
	*to = long_token_end(c, end);
	return true;
}

/* The longest prefix in the table that fits at i wins. */
static bool prefix_at(const struct scan *c, size_t i, struct hit *h)
{
	bool found = false;
	unsigned pair;
	size_t to;

	if (c->s.n - i < 2 || !prefix_may(c->s.p + i))
		return false;
	pair = pair_of(c->s.p + i);
	for (size_t k = prefix_search(pair);
	     k < PREFIXES && pair_of(prefixes[k].text) == pair; k++)
		if (prefix_fits(c, &prefixes[k], i, &to))
			found = hit_set(h, i, to, prefixes[k].kind);
	return found;
}

/* JWT: eyJ (base64 of '{"') in a run that ends at run_end, then at least one more part after a dot. */
static bool jwt_at(const struct scan *c, size_t i, size_t run_end, struct hit *h)
{
	size_t end = run_end, dots = 0;

	if (c->s.n - i < 3 || memcmp(c->s.p + i, "eyJ", 3) != 0)
		return false;
	if (end - i < JWT_HEAD_MIN)
		return false;
	while (at(c, end) == '.' && (token_byte(at(c, end + 1)) || dots)) {
		size_t next = token_end(c, end + 1);

		if (dots == 0 && next - end - 1 < 8)
			return false;
		if (next ==
		    end + 1) /* "a.b." has an empty signature, "a.b. Then" has none */
			break;
		end = next;
		dots++;
	}
	return dots > 0 && hit_set(h, i, end, "jwt");
}

/*
 * Where a token may begin inside the run [from, to) although a letter stands before it:
 * behind an escape ("\nghp_", "%3Dghp_", "\u003dghp_") or a colour ("\033[32mghp_").
 */
static size_t escaped_start(const struct scan *c, size_t from)
{
	char prev = before(c, from), first = c->s.p[from];

	if (prev == '\\' && first == 'u' && from + 5 <= c->s.n &&
	    is_hex(at(c, from + 1)) && is_hex(at(c, from + 2)) &&
	    is_hex(at(c, from + 3)) && is_hex(at(c, from + 4)))
		return from + 5;
	if (prev == '\\' && one_of(first, "nrtbf"))
		return from + 1;
	if (prev == '%' && is_hex(first) && is_hex(at(c, from + 1)))
		return from + 2;
	if (prev == '[' || prev == ';') {
		size_t i = from;

		while (str_is_digit(at(c, i)) && i - from < 4)
			i++;
		if (i > from && at(c, i) == 'm')
			return i + 1;
	}
	return from;
}

/*
 * Prefixes that end in a dot ("hvs.", "SG.") stand before the run; so does the first part of
 * a Terraform token, which is known by what stands in its middle.
 */
static bool dotted_token(const struct scan *c, size_t run, struct hit *h)
{
	size_t from = run;

	while (from > c->done && run - from < DOTTED_LOOK_BYTES &&
	       (token_byte(c->s.p[from - 1]) || c->s.p[from - 1] == '.'))
		from--;
	for (size_t i = from; i < run; i++) {
		if (i > from && str_is_alnum(c->s.p[i - 1]))
			continue;
		if (!prefix_at(c, i, h) || h->to <= run)
			continue;
		if (str_eq(str_of(h->kind), STR("terraform-token")))
			h->from = from;
		return true;
	}
	return false;
}

static bool known_token(const struct scan *c, size_t from, size_t to, struct hit *h)
{
	size_t start = escaped_start(c, from);

	if (before(c, from) == '.' && dotted_token(c, from, h))
		return true;

	for (size_t i = from; i + JWT_HEAD_MIN <= to; i++) {
		/* nothing else of a run is neither letter nor digit */
		if (i != from && i != start && c->s.p[i - 1] != '_' &&
		    c->s.p[i - 1] != '-')
			continue;
		if (i + PREFIX_TOKEN_MIN <= to && prefix_at(c, i, h))
			return true;
		if (c->s.p[i] == 'e' && jwt_at(c, i, to, h))
			return true;
	}
	return false;
}

/* tokens known by their shape */

static bool run_of(str s, size_t from, size_t n, bool (*is)(char))
{
	if (from + n > s.n)
		return false;
	for (size_t i = from; i < from + n; i++)
		if (!is(s.p[i]))
			return false;
	return true;
}

/* 123456789:AA..., also behind "bot". */
static bool telegram(const struct scan *c, size_t from, size_t to, struct hit *h)
{
	size_t i = from;

	if (to - from < 30 || to - from > 40 || before(c, from) != ':' || from == c->done)
		return false;
	i--;
	while (i > c->done && str_is_digit(c->s.p[i - 1]) && from - i < 14)
		i--;
	if (from - 1 - i < 6 || !secret_random(cut(c, from, to)))
		return false;
	if (str_is_alnum(before(c, i)) && !str_ends(line_before(c, i, 3), STR("bot")))
		return false;
	return hit_set(h, i, to, "telegram-token");
}

/* 24 or more . 6 . 27 or more: the first part is a number in base64. */
static bool discord(const struct scan *c, size_t from, size_t to, struct hit *h)
{
	size_t mid = to + 1, end;

	if (to - from < 23 || to - from > 28 || at(c, to) != '.' ||
	    !one_of(c->s.p[from], "MNO"))
		return false;
	end = token_end(c, mid);
	if (end - mid != 6 || at(c, end) != '.')
		return false;
	mid = end + 1;
	end = token_end(c, mid);
	return end - mid >= 27 && hit_set(h, from, end, "discord-token");
}

/* 32 hex digits and a data centre: Mailchimp. */
static bool mailchimp(const struct scan *c, size_t from, size_t to, struct hit *h)
{
	str s = cut(c, from, to);

	return s.n >= 36 && s.n <= 38 && run_of(s, 0, 32, is_hex) &&
	       str_starts(str_from(s, 32), STR("-us")) && is_digits(str_from(s, 35)) &&
	       hit_set(h, from, to, "mailchimp-key");
}

/* Behind a character that is no part of the run: xxx8Q~..., sha256~..., 1//0... */
static bool after_odd_byte(const struct scan *c, size_t from, size_t to, struct hit *h)
{
	str head = line_before(c, from, 16);

	if (str_ends(head, STR("sha256~")) && to - from >= 40)
		return hit_set(h, from - 7, to, "openshift-token");
	if (str_ends(head, STR("Q~")) && to - from >= 28 && head.n >= 6 &&
	    str_is_digit(head.p[head.n - 3]) &&
	    (head.n == 6 || !token_byte(head.p[head.n - 7])))
		return hit_set(h, from - 6, long_token_end(c, to), "azure-secret");
	if (str_ends(head, STR("1//")) && c->s.p[from] == '0' && to - from >= 30 &&
	    secret_random(cut(c, from, to)))
		return hit_set(h, from - 3, to, "google-token");
	return false;
}

/* crypt(3): $2b$12$..., $6$..., $argon2id$... */
static bool crypt_at(const struct scan *c, size_t from, struct hit *h)
{
	static const char *const id[] = {"$2a$", "$2b$", "$2y$", "$1$",     "$5$",
					 "$6$",  "$y$",  "$7$",  "$argon2", "$scrypt$"};
	size_t end = from;
	bool known = false;

	for (size_t i = 0; i < sizeof(id) / sizeof(*id); i++)
		known |= str_starts(str_from(c->s, from), str_of(id[i]));
	if (!known)
		return false;
	while (end < c->s.n && (base64_byte(c->s.p[end]) || one_of(c->s.p[end], "$.,")) &&
	       c->s.p[end])
		end++;
	return end - from >= 28 && hit_set(h, from, end, "password-hash");
}

static bool crypt_before(const struct scan *c, size_t from, struct hit *h)
{
	size_t low = from - c->done > CRYPT_LOOK_BYTES ? from - CRYPT_LOOK_BYTES
						       : c->done,
	       i;
	str head;

	if (!memchr(c->s.p + low, '$', from - low))
		return false;
	head = line_before(c, from, CRYPT_LOOK_BYTES);
	i = head.n;
	/* back to the first '$' of those that belong together */
	while (i && (base64_byte(head.p[i - 1]) || one_of(head.p[i - 1], "$.,")))
		i--;
	for (; i < head.n; i++)
		if (head.p[i] == '$' && crypt_at(c, from - head.n + i, h))
			return true;
	return false;
}

static int base64_value(char ch)
{
	if (ch >= 'A' && ch <= 'Z')
		return ch - 'A';
	if (ch >= 'a' && ch <= 'z')
		return ch - 'a' + 26;
	if (str_is_digit(ch))
		return ch - '0' + 52;
	return ch == '+' || ch == '-' ? 62 : ch == '/' || ch == '_' ? 63 : -1;
}

/* Base64 of "user:password": printable, with a colon. */
static bool is_basic(str s)
{
	unsigned bits = 0, have = 0;
	bool colon = false;

	while (s.n && s.p[s.n - 1] == '=')
		s.n--;
	if (s.n < 4 || s.n > 512)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int v = base64_value(s.p[i]);

		if (v < 0)
			return false;
		bits = bits << 6 | (unsigned)v;
		have += 6;
		if (have >= 8) {
			unsigned char ch = (unsigned char)(bits >> (have - 8));

			have -= 8;
			if (ch < 0x20 || ch == 0x7f)
				return false;
			colon |= ch == ':';
		}
	}
	return colon;
}

/* "Bearer x", "Basic x", "the token is x", "API key x": a word before the run says what it is. */
static bool word_before(const struct scan *c, size_t from, size_t to, struct hit *h)
{
	static const str verb[] = {{" is", 3}, {" to", 3}, {" was", 4}};
	size_t name = from;
	struct secret_name n;
	str head, value;

	while (name > c->done && from - name < 4 &&
	       (blank(c->s.p[name - 1]) || is_quote(c->s.p[name - 1])))
		name--;
	if (ends_in(c, name, STR("basic"))) {
		value = cut(c, from, base64_end(c, to));
		return is_basic(value) &&
		       hit_set(h, from, from + value.n, "authorization");
	}
	for (size_t i = 0; i < 3; i++)
		if (ends_in(c, name, verb[i])) {
			name -= verb[i].n;
			break;
		}
	if (!may_name(c, name) || count_digits(cut(c, from, to)) < 2)
		return false;
	head = line_before(c, name, SECRET_NAME_MAX);
	if (!secret_name(head, &n) || n.rank < SECRET_TOKEN)
		return false;
	value = cut(c, from, base64_end(c, long_token_end(c, from)));
	while (value.n > 1 && one_of(value.p[value.n - 1], "./+-"))
		value.n--;
	head = str_head(value, VALUE_LOOK_BYTES);
	if (!secret_random(head) || secret_is_uuid(value) || secret_placeholder(head) ||
	    memchr(head.p, '/', head.n) ||
	    (value.n == 40 && run_of(value, 0, 40, is_hex)))
		return false;
	return hit_set(h, from, from + value.n,
		       n.rank == SECRET_PASSWORD ? "password" : "secret");
}

/* <token>value</token> */
static bool in_element(const struct scan *c, size_t from, struct hit *h)
{
	str head = line_before(c, from, SECRET_NAME_MAX);
	struct secret_name n;
	size_t open, end = from;

	if (!str_ends(head, STR(">")))
		return false;
	open = str_rchr(head, '<');
	if (open == STR_NPOS || open + 1 >= head.n || head.p[open + 1] == '/')
		return false;
	if (!secret_name((str){head.p + open + 1, head.n - open - 2}, &n) ||
	    n.rank < SECRET_TOKEN)
		return false;
	while (end < c->s.n && end - from < QUOTED_MAX_BYTES &&
	       !one_of(c->s.p[end], "<\n\r"))
		end++;
	if (at(c, end) != '<' || at(c, end + 1) != '/')
		return false;
	str value = cut(c, from, end);
	if (secret_placeholder(str_head(value, VALUE_LOOK_BYTES)) ||
	    secret_plain_word(value, false) || secret_names_one(value) ||
	    str_chr(value, ' ') != STR_NPOS)
		return false;
	if (n.rank == SECRET_TOKEN && !secret_random(str_head(value, VALUE_LOOK_BYTES)))
		return false;
	return hit_set(h, from, end, n.rank == SECRET_PASSWORD ? "password" : "secret");
}

/* AWS shows the secret next to the key id: 40 bytes of base64 within a line or two. */
static void find_pair(struct scan *c, size_t from)
{
	size_t end = from + PAIR_LOOK_BYTES < c->s.n ? from + PAIR_LOOK_BYTES : c->s.n;

	while (from < end) {
		size_t to = from;

		while (to < c->s.n && to - from <= 40 &&
		       (str_is_alnum(c->s.p[to]) || c->s.p[to] == '+' ||
			c->s.p[to] == '/'))
			to++;
		str s = cut(c, from, to);
		if (s.n == 40 && count_digits(s) && has_letter(s) &&
		    !run_of(s, 0, 40, is_hex)) {
			hit_set(&c->ahead, from, to, "aws-secret-key");
			return;
		}
		from = to + 1;
	}
}

/* Tokens that are known by what stands around the run or by its shape. */
static bool shaped_token(const struct scan *c, size_t from, size_t to, struct hit *h)
{
	char prev = before(c, from);

	if (prev == ':' && telegram(c, from, to, h))
		return true;
	if ((prev == '~' || (prev == '/' && c->s.p[from] == '0')) &&
	    after_odd_byte(c, from, to, h))
		return true;
	if ((prev == '$' || prev == '.' || prev == '/') && crypt_before(c, from, h))
		return true;
	if (prev == '>' && in_element(c, from, h))
		return true;
	if ((blank(prev) || is_quote(prev)) && word_before(c, from, to, h))
		return true;
	return discord(c, from, to, h) || mailchimp(c, from, to, h);
}

/* Of two secrets in one part of a run the first one is taken: it may hold the other. */
static bool part_rule(const struct scan *c, size_t from, size_t to, struct hit *h)
{
	bool known = known_token(c, from, to, h);
	struct hit shaped;

	if (!(known && h->from <= from) && shaped_token(c, from, to, &shaped) &&
	    (!known || shaped.from < h->from)) {
		*h = shaped;
		return true;
	}
	return known;
}

static bool run_rule(const struct scan *c, size_t from, struct hit *h)
{
	while (from < c->s.n && token_byte(c->s.p[from])) {
		size_t to = token_end(c, from);

		if (to - from >= SIEVE_RUN_MIN && part_rule(c, from, to, h))
			return true;
		from = to;
		while (at(c, from) == '-')
			from++;
	}
	return false;
}

/* private key blocks */

/* Bytes that a key's body may hold, with the line ends and decorations of where it was pasted. */
static bool pem_byte(char ch)
{
	return base64_byte(ch) || one_of(ch, " \t\r\n\\\"',>|:.()");
}

/* The line (or escaped line) from i looks like one of a key's body or headers. */
static size_t pem_line(const struct scan *c, size_t i, size_t max, size_t *alnum)
{
	size_t end = i, run = 0, longest = 0, n = 0;

	while (end < max && !newline(c->s.p[end]) && pem_byte(c->s.p[end])) {
		if (c->s.p[end] == '\\' && one_of(at(c, end + 1), "nr") &&
		    at(c, end + 1)) {
			run = 0;
			end += end + 1 < max ? 2 : 1;
			continue;
		}
		run = base64_byte(c->s.p[end]) ? run + 1 : 0;
		longest = run > longest ? run : longest;
		n += str_is_alnum(c->s.p[end]);
		end++;
	}
	*alnum += n;
	/* a full line, a short last one, or a header such as "Proc-Type: 4,ENCRYPTED" */
	if (n == 0 || longest >= 16 || (longest >= n && n >= 2))
		return end;
	str line = str_trim(cut(c, i, end));
	if (str_starts(line, STR("Proc-Type")) || str_starts(line, STR("DEK-Info")) ||
	    str_starts(line, STR("Version")) || str_starts(line, STR("Comment")) ||
	    str_starts(line, STR("Hash")) || str_starts(line, STR("Charset")))
		return end;
	*alnum -= n;
	return i;
}

/* Behind the header, for a block without an end: as far as it still looks like a key, up to max. */
static size_t pem_cut_end(const struct scan *c, size_t i, size_t max, size_t *alnum)
{
	while (i < max) {
		size_t end = pem_line(c, i, max, alnum);

		if (end == max || !newline(c->s.p[end]))
			return end; /* stopped inside the line, or at its start */
		i = end + 1;
	}
	return i;
}

static bool private_label(str label)
{
	return str_find(label, STR("PRIVATE KEY")) != STR_NPOS;
}

static bool label_byte(char ch)
{
	return (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == ' ';
}

/*
 * The label between "BEGIN " or "END " at i and the dashes; empty if there is none. RFC 7468
 * allows more than these bytes; no kind of key uses it.
 */
static str pem_label(const struct scan *c, size_t i, size_t *after)
{
	size_t end = i;

	while (end < c->s.n && end - i < 80 && label_byte(c->s.p[end]))
		end++;
	*after = end;
	while (*after < c->s.n && c->s.p[*after] == '-')
		++*after;
	return at(c, end) == '-' && *after - end >= 4 ? cut(c, i, end) : STR_NONE;
}

static const char *pem_kind(str label)
{
	return str_find(label, STR("PGP")) == STR_NPOS ? "private-key"
						       : "pgp-private-key";
}

/* The lines above an END whose BEGIN was cut off. */
static bool pem_tail(const struct scan *c, size_t dashes, size_t after, str label,
		     struct hit *h)
{
	size_t from = dashes, alnum = 0;

	while (from > c->done) {
		size_t line = from - 1; /* the newline before */
		size_t begin, n = 0;

		if (!newline(c->s.p[line]))
			break;
		begin = line;
		while (begin > c->done && !newline(c->s.p[begin - 1]) &&
		       c->s.p[begin - 1] != ']' && line - begin < 200)
			begin--;
		if (begin == line || pem_line(c, begin, line, &n) < line ||
		    (n < 16 && alnum))
			break;
		alnum += n;
		from = begin;
	}
	return alnum >= PEM_CUT_MIN && hit_set(h, from, after, pem_kind(label));
}

/* i is the second of at least four dashes. */
static bool pem_rule(const struct scan *c, size_t i, struct hit *h)
{
	size_t dashes = i - 1, after, end, alnum = 0;
	str label, body;

	while (at(c, i) == '-')
		i++;
	if (i - dashes < 4)
		return false;
	if (at(c, i) == ' ') /* ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ---- */
		i++;
	if (str_starts(str_from(c->s, i), STR("END "))) {
		label = pem_label(c, i + 4, &after);
		return private_label(label) && pem_tail(c, dashes, after, label, h);
	}
	if (!str_starts(str_from(c->s, i), STR("BEGIN ")))
		return false;
	label = pem_label(c, i + 6, &after);
	if (!private_label(label))
		return false;
	end = str_find(str_from(c->s, after), STR("----"));
	body = end == STR_NPOS ? str_from(c->s, after) : cut(c, after, after + end);
	if (str_find(body, STR("[redacted:")) != STR_NPOS)
		return false; /* taken apart before, as no block */
	if (end != STR_NPOS) {
		size_t tag = after + end, to;

		while (at(c, tag) == '-')
			tag++;
		if (at(c, tag) == ' ')
			tag++;
		if (str_starts(str_from(c->s, tag), STR("END "))) {
			pem_label(c, tag + 4, &to);
			return longest_base64(body) >= PEM_BODY_MIN &&
			       str_find(body, STR(" = ")) ==
				       STR_NPOS && /* START = ...; END = ... */
			       hit_set(h, dashes, to, pem_kind(label));
		}
	}
	end = pem_cut_end(c, after, after + body.n, &alnum);
	while (end > after && (newline(c->s.p[end - 1]) || blank(c->s.p[end - 1]) ||
			       is_quote(c->s.p[end - 1])))
		end--;
	return alnum >= PEM_CUT_MIN && hit_set(h, dashes, end, pem_kind(label));
}

/* URLs */

static bool webhook(const struct scan *c, size_t host, struct hit *h)
{
	static const struct {
		const char *text, *kind;
	} hook[] = {
		{"hooks.slack.com/services/", "slack-webhook"},
		{"hooks.slack.com/workflows/", "slack-webhook"},
		{"discord.com/api/webhooks/", "discord-webhook"},
		{"discordapp.com/api/webhooks/", "discord-webhook"},
	};
	str rest = str_from(c->s, host);

	for (size_t i = 0; i < sizeof(hook) / sizeof(*hook); i++) {
		str text = str_of(hook[i].text);
		size_t from = host + text.n, to = from;

		if (!str_starts(rest, text))
			continue;
		while (to < c->s.n && (token_byte(c->s.p[to]) || c->s.p[to] == '/'))
			to++;
		return count_digits(cut(c, from, to)) && to - from >= 16 &&
		       hit_set(h, from, to, hook[i].kind);
	}
	return false;
}

static bool url_stop(char ch)
{
	return (unsigned char)ch <= ' ' || one_of(ch, "\"'`<>\\");
}

/* colon is that of "://". */
static bool url_rule(const struct scan *c, size_t colon, struct hit *h)
{
	size_t from = colon + 3, max = from + URL_MAX_BYTES, end = from, sign = 0, i;
	bool slash = false;
	str user, pass;

	if (max > c->s.n)
		max = c->s.n;
	for (; end < max && !url_stop(c->s.p[end]); end++) {
		char ch = c->s.p[end];

		if (ch == '/' || ch == '?' || ch == '#') {
			/* a password may hold one unencoded, a port never does */
			size_t sep = str_chr(cut(c, from, end), ':');

			if (sign || sep == STR_NPOS || sep + 1 == end - from ||
			    is_digits(cut(c, from + sep + 1, end)))
				break;
			slash = true;
		}
		if (ch == '@') {
			sign = end;
			if (slash)
				break;
		}
	}
	if (!sign)
		return webhook(c, from, h);
	if (str_find(cut(c, from, sign), STR("[redacted:")) != STR_NPOS)
		return false;
	i = str_chr(cut(c, from, sign), ':');
	if (i == STR_NPOS) {
		/* https://TOKEN@host */
		user = cut(c, from, sign);
		return secret_random(user) && !secret_placeholder(user) &&
		       hit_set(h, from, sign, "url-password");
	}
	pass = cut(c, from + i + 1, sign);
	if (secret_placeholder(pass) || (slash && pass.n > 64))
		return false;
	return hit_set(h, from + i + 1, sign, "url-password");
}

/* values with a name */

enum form {
	FORM_TIGHT,  /* NAME=value */
	FORM_EQUALS, /* name = value, name := value */
	FORM_COLON,  /* name: value */
	FORM_EQUAL,  /* name == value: only a literal can be one */
	FORM_OPTION, /* --name value */
};

struct value {
	enum form form;
	size_t name;     /* where the name begins */
	size_t from, to; /* without quotes */
	char quote;      /* '\0': none */
	bool more;       /* it goes on behind `to`: enough was seen to judge it */
	bool in_cookie;  /* a Cookie header's line */
	bool line_start; /* nothing but indentation and list marks before the name */
};

/* The next `q` at or after i on the same line, or the end of the line; linear over all calls. */
static size_t quote_after(struct scan *c, size_t i, char q)
{
	int k = q == '"' ? 0 : q == '\'' ? 1 : 2;
	size_t to = i;

	if (c->quote[k].to > c->quote[k].from && i >= c->quote[k].from &&
	    i <= c->quote[k].to)
		return c->quote[k].to;
	while (to < c->s.n && c->s.p[to] != q && c->s.p[to] != '\n')
		to++;
	c->quote[k].from = i;
	c->quote[k].to = to;
	return to;
}

/* The closing quote of a value that begins at i, with as many backslashes before it as the opening one had. */
static size_t closing_quote(struct scan *c, size_t i, char q, size_t slashes)
{
	size_t from = i;

	for (int tries = 0; tries < 64; tries++) {
		size_t end = quote_after(c, i, q), n = 0;

		if (at(c, end) != q || end - from > QUOTED_MAX_BYTES)
			return end;
		while (n < 8 && end - n > from && c->s.p[end - n - 1] == '\\')
			n++;
		if (n == slashes || (slashes == 0 && n % 2 == 0) || (n < slashes))
			return end - n;
		i = end + 1;
	}
	return i;
}

/* Colour codes, stars, no-break and ideographic spaces: what may stand around a separator. */
static size_t skip_gap(const struct scan *c, size_t i, bool stars)
{
	size_t from = i;

	while (i < c->s.n && i - from < GAP_BYTES) {
		str rest = str_from(c->s, i);

		if (blank(rest.p[0])) {
			i++;
		} else if (stars && rest.p[0] == '*') {
			i++;
		} else if (str_starts(rest, STR("\xc2\xa0"))) {
			i += 2;
		} else if (str_starts(rest, STR("\xe3\x80\x80"))) {
			i += 3;
		} else if (str_starts(rest, STR("\x1b["))) {
			i += 2;
			while (str_is_digit(at(c, i)) || at(c, i) == ';')
				i++;
			if (at(c, i) != 'm')
				return from;
			i++;
		} else {
			break;
		}
	}
	return i;
}

/* The end of the name before the separator at sep: back over blanks, quotes, brackets. */
static size_t name_end(const struct scan *c, size_t sep)
{
	size_t i = sep, low = sep > GAP_BYTES ? sep - GAP_BYTES : 0;
	bool quote = false;

	if (low < c->done)
		low = c->done;
	while (i > low) {
		char ch = c->s.p[i - 1];

		if (blank(ch) || ch == '*' || (i == sep && (ch == '?' || ch == '!'))) {
			i--;
		} else if (!quote && is_quote(ch)) {
			quote = true;
			i--;
			while (i > low && c->s.p[i - 1] == '\\')
				i--;
		} else if (ch == ']' && !quote && i - 1 > low &&
			   is_quote(c->s.p[i - 2]) && c->s.p[i - 2]) {
			i--; /* config["password"] */
		} else if (ch == 'm' && i - low >= 3) {
			size_t esc = i - 1;

			while (esc > low &&
			       (str_is_digit(c->s.p[esc - 1]) || c->s.p[esc - 1] == ';'))
				esc--;
			if (esc < low + 2 || c->s.p[esc - 1] != '[' ||
			    c->s.p[esc - 2] != '\x1b')
				break;
			i = esc - 2;
		} else if (!quote && i - low >= 3 && c->s.p[i - 3] == '\xe2' &&
			   c->s.p[i - 2] == '\x80' && (unsigned char)ch >= 0x98 &&
			   (unsigned char)ch <= 0x9f) {
			quote = true; /* typographic */
			i -= 3;
		} else if (i - low >= 2 && c->s.p[i - 2] == '\xc2' && ch == '\xa0') {
			i -= 2;
		} else if (i - low >= 3 &&
			   str_ends(cut(c, low, i), STR("\xe3\x80\x80"))) {
			i -= 3;
		} else {
			break;
		}
	}
	return i;
}

/* only letters, digits, '_', '$': could be a variable */
static bool identifier(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!str_is_alnum(s.p[i]) && s.p[i] != '_')
			return false;
	return s.n > 0 && !str_is_digit(s.p[0]);
}

/* f(x), a.b.c, a->b, a::b, x[i], &x: an expression, unless it is random */
static bool expression(str s)
{
	bool chain = true, dot = false;

	if (s.n == 0)
		return false;
	if (one_of(s.p[0], "&*|>=+-\\") && !secret_random(s))
		return true;
	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];

		if (ch == '[' && i && chain && !str_is_digit(s.p[0]))
			return true;
		if (ch == '(' && i &&
		    (str_is_alnum(s.p[i - 1]) || s.p[i - 1] == '_' || s.p[i - 1] == '!'))
			return true;
		if (ch == '.' || (ch == '?' && i + 1 < s.n && s.p[i + 1] == '.') ||
		    (ch == ':' && i + 1 < s.n && s.p[i + 1] == ':') ||
		    (ch == '-' && i + 1 < s.n && s.p[i + 1] == '>'))
			dot = true;
		else if (!str_is_alnum(ch) && ch != '_' && ch != '$' && ch != '>' &&
			 ch != ':' && ch != '!' && ch != '?')
			chain = false;
	}
	return dot && chain && !str_is_digit(s.p[0]) &&
	       !(s.n >= SIEVE_RUN_MIN && secret_random(s));
}

/* The value is the last thing: nothing follows, or only what closes something. */
static bool final(const struct scan *c, size_t i)
{
	bool space = false;

	while (i < c->s.n && blank(c->s.p[i])) {
		i++;
		space = true;
	}
	char ch = at(c, i);

	if (i >= c->s.n || newline(ch) || one_of(ch, "\"'`|;&"))
		return true;
	if (ch == '\\')
		return at(c, i + 1) == 'n' || at(c, i + 1) == 'r' ||
		       at(c, i + 1) == '"' || newline(at(c, i + 1));
	return space ? ch == '#' || ch == '-' || (ch == '/' && at(c, i + 1) == '/')
		     : ch == '&';
}

/* What follows says that this is code: f(password=pw, ...), {password: pw}. */
static bool code_follows(const struct scan *c, size_t i)
{
	while (i < c->s.n && blank(c->s.p[i]))
		i++;
	if (one_of(at(c, i), ",)}]"))
		return true;
	if (!newline(at(c, i)))
		return false;
	for (size_t n = 0; n < GAP_BYTES && (blank(at(c, i)) || newline(at(c, i))); n++)
		i++;
	return at(c, i) == '}' || at(c, i) == ')';
}

static bool is_final(const struct scan *c, const struct value *v)
{
	return v->more || final(c, v->to);
}

static bool in_code(const struct scan *c, const struct value *v)
{
	return !v->more && code_follows(c, v->to);
}

static bool is_path(str s)
{
	if (str_find(s, STR("://")) != STR_NPOS)
		return true;
	if (s.n > 2 && str_is_alpha(s.p[0]) && s.p[1] == ':' && s.p[2] == '\\')
		return true;
	return s.n &&
	       (s.p[0] == '/' || s.p[0] == '~' || str_starts(s, STR("./")) ||
		str_starts(s, STR("../"))) &&
	       (s.n == 1 || !secret_random(s) ||
		str_chr(str_from(s, 1), '/') != STR_NPOS);
}

static bool starts_upper(str s)
{
	return s.n && s.p[0] >= 'A' && s.p[0] <= 'Z';
}

/* 12, 1.302103, 0x10100, #d8dee9: a count, a version, a flag, a colour */
static bool is_number(str s)
{
	size_t i = s.n && (s.p[0] == '#' || s.p[0] == '-') ? 1 : 0;
	bool hex = (i && s.p[0] == '#') || str_istarts(s, STR("0x"));

	if (str_istarts(s, STR("0x")))
		i = 2;
	if (i == s.n || s.n > 18)
		return false;
	for (; i < s.n; i++)
		if (!(hex ? is_hex(s.p[i]) : str_is_digit(s.p[i])) &&
		    !one_of(s.p[i], ".,"))
			return false;
	return hex || s.n < PIN_MIN || str_chr(s, '.') != STR_NPOS;
}

/* Several words that read like a label or a message, not like a passphrase. */
static bool prose(str s)
{
	static const char *const words[] = {
		"the",       "is",    "your",     "must",   "be",         "a",
		"to",        "for",   "required", "enter",  "please",     "at",
		"least",     "not",   "and",      "or",     "of",         "with",
		"in",        "here",  "can",      "should", "has",        "incorrect",
		"invalid",   "field", "confirm",  "this",   "from",       "password",
		"username",  "user",  "if",       "when",   "you",        "are",
		"was",       "do",    "use",      "used",   "value",      "by",
		"on",        "an",    "it",       "no",     "token",      "secret",
		"key",       "reset", "forgot",   "match",  "characters", "current",
		"protected", NULL};
	size_t n = 0;
	str word, rest = s;
	bool label = false;

	if (has_high(s))
		return true;
	while (str_word(&rest, &word) && n <= PROSE_WORDS_MAX) {
		n++;
		if (has_letter(word) && count_digits(word))
			return false; /* no message has "pa55" in it */
		for (const char *const *w = words; *w && !label; w++)
			label = str_ieq(word, str_of(*w));
	}
	if (label || n > PROSE_WORDS_MAX)
		return true;
	return count_digits(s) == 0 && (starts_upper(s) || n < 3);
}

/* The value is itself a label: "Password", "密码", "new_password". */
static bool label(str s, char quote)
{
	struct secret_name n;

	if (has_high(s))
		return (secret_name(s, &n) && n.from == 0);
	if (!secret_names_one(s) || count_digits(s))
		return false;
	if (!quote)
		return true;
	if (secret_name(s, &n) && n.bare && !str_starts(s, STR("my")) && s.n <= 10)
		return true;
	return identifier(s) && (str_chr(s, '_') != STR_NPOS || !starts_upper(s)) &&
	       str_find(s, STR("super")) == STR_NPOS &&
	       str_find(s, STR("my")) == STR_NPOS;
}

static bool ideographs_only(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!(s.p[i] & 0x80))
			return false;
	return s.n && (unsigned char)s.p[0] >= 0xe3 && (unsigned char)s.p[0] <= 0xed;
}

static bool strong_value(str s)
{
	size_t digits = count_digits(s);

	if (secret_random(s))
		return true;
	return digits > 0 && has_letter(s) && s.n >= 6;
}

static bool password_word(const struct scan *c, const struct value *v,
			  const struct secret_name *n, str s)
{
	/* a plain word without quotes: a weak password, or a variable, a type, a remark */
	if (v->form == FORM_TIGHT) {
		if (n->env)
			return true;
		return !in_code(c, v) && s.n >= 3;
	}
	if (starts_upper(s) || !is_final(c, v) || in_code(c, v) || s.n < 3)
		return false;
	if (v->form == FORM_COLON && is_quote(before(c, v->name)) &&
	    !is_quote(before(c, v->from - 1)) && !blank(before(c, v->from)))
		return false; /* "passwd:shell" in a list */
	if (v->form == FORM_OPTION)
		return true;
	return v->line_start || has_high(s) || v->form == FORM_COLON;
}

static bool password_value(const struct scan *c, const struct value *v,
			   const struct secret_name *n, str s)
{
	if (secret_plain_word(s, n->env && v->form == FORM_TIGHT) || label(s, v->quote))
		return false;
	if (ideographs_only(s) || is_number(s))
		return false;
	if (v->form == FORM_EQUAL && !(v->quote && strong_value(s)))
		return false;
	if (v->quote && s.n < 2)
		return false;
	if (v->quote) {
		if (memchr(s.p, ' ', s.n))
			return !prose(s);
		return !(expression(s) && identifier(str_head(s, 1)) &&
			 memchr(s.p, '(', s.n));
	}
	if (n->pass && n->bare && !n->env && v->form != FORM_TIGHT &&
	    v->form != FORM_OPTION)
		return false; /* "pass: 3": what tests do */
	if (n->pass && n->bare && v->form == FORM_COLON)
		return false;
	if (expression(s) || is_path(s))
		return false;
	if (s.p[0] == '!' && identifier(str_from(s, 1)) && !count_digits(s))
		return false; /* a YAML tag */
	if (is_digits(s))
		return !(n->pass && n->bare) && is_final(c, v);
	if (s.n < 2 && !(n->env && v->form == FORM_TIGHT))
		return false;
	if (identifier(s) && count_digits(s) == 0)
		return password_word(c, v, n, s);
	if (has_high(s) && v->form != FORM_TIGHT)
		return is_final(c, v) || count_digits(s) > 0;
	if (identifier(s) && (v->form == FORM_EQUALS || v->form == FORM_COLON))
		return s.n >= 5 && (!in_code(c, v) || secret_random(s));
	if (v->form == FORM_TIGHT && identifier(s) && !n->env && in_code(c, v))
		return secret_random(s);
	if (v->form == FORM_COLON || v->form == FORM_OPTION)
		/* words with a hyphen or an apostrophe are prose, not secrets */
		return s.n >= 3 &&
		       (strong_value(s) || count_digits(s) > 0 || is_final(c, v));
	return true;
}

/* Long, with digits and both cases inside, as no name is. */
static bool mixed(str s)
{
	size_t upper = 0, lower = 0, digits = count_digits(s);

	for (size_t i = 0; i < s.n; i++) {
		upper += s.p[i] >= 'A' && s.p[i] <= 'Z';
		lower += s.p[i] >= 'a' && s.p[i] <= 'z';
	}
	return upper >= 3 && lower >= 3 && digits && s.n >= (digits > 1 ? 20 : 30);
}

static bool token_value(const struct scan *c, const struct value *v,
			const struct secret_name *n, str s)
{
	size_t digits = count_digits(s);

	bool env = n->env && v->form == FORM_TIGHT;

	if (s.n < 4 || secret_plain_word(s, env) || is_digits(s) || is_path(s))
		return false;
	if (digits < 2 && (env ? label(s, '"') : secret_names_one(s)))
		return false;
	if (is_number(s) || (v->form == FORM_EQUAL && !v->quote))
		return false;
	if (memchr(s.p, ' ', s.n))
		return v->quote && n->env && digits > 0 && !prose(s);
	if (ideographs_only(s))
		return false;
	if (!v->quote && expression(s))
		return false;
	if (secret_random(s) || mixed(s))
		return true;
	if (expression(s))
		return false;
	if (env)
		return digits > 0 || s.n >= 6;
	if (!digits || !has_letter(s))
		return false;
	if (v->quote)
		return s.n >= 6;
	if (v->form != FORM_TIGHT && v->form != FORM_OPTION && starts_upper(s) &&
	    identifier(s))
		return false; /* a type: Uint8Array */
	if (v->form == FORM_TIGHT || v->form == FORM_OPTION)
		return s.n >= 6 && !(identifier(s) && in_code(c, v));
	if (v->form == FORM_COLON && v->line_start && s.n >= 6)
		return is_final(c, v) && !in_code(c, v);
	return s.n >= 8 && digits >= 3 && !in_code(c, v);
}

static bool key_byte(char ch)
{
	return token_byte(ch) || ch == '.';
}

static bool weak_value(const struct value *v, const struct secret_name *n, str s)
{
	if (n->cookie && v->in_cookie && strong_value(s) && !secret_is_uuid(s))
		return true;
	if (n->query && v->form != FORM_TIGHT)
		return false;
	if (s.n < SIEVE_RUN_MIN || is_path(s) || memchr(s.p, ' ', s.n) ||
	    memchr(s.p, '(', s.n) || count_digits(s) < 2 || !secret_random(s))
		return false;
	if (s.n >= 36 && secret_is_uuid(str_from(s, s.n - 36)))
		return false;
	if (n->key) /* hashes, paths, URIs and UUIDs are common keys of maps */
		return s.n >= KEY_VALUE_MIN && run_of(s, 0, s.n, key_byte) &&
		       !run_of(s, 0, s.n, is_hex);
	return true;
}

static bool judge(const struct scan *c, const struct value *v,
		  const struct secret_name *n)
{
	str s = str_head(cut(c, v->from, v->to), VALUE_LOOK_BYTES);

	if (secret_placeholder(s))
		return false;
	if (!v->quote && s.p[s.n - 1] == '-' && at(c, v->to) == '>')
		return false; /* object->member */
	switch (n->rank) {
	case SECRET_PASSWORD:
		return password_value(c, v, n, s);
	case SECRET_TOKEN:
		return token_value(c, v, n, s);
	case SECRET_WEAK:
		return weak_value(v, n, s);
	case SECRET_NONE:
		break;
	}
	return false;
}

static const char *value_kind(const struct secret_name *n)
{
	if (n->cookie)
		return "cookie";
	return n->rank == SECRET_PASSWORD ? "password" : "secret";
}

/* An unquoted value ends at white space, quotes, escapes, and at what closes something. */
static bool value_stop(const struct scan *c, size_t i, bool env)
{
	char ch = c->s.p[i];

	if ((unsigned char)ch <= ' ' || one_of(ch, "\"'`<>;|"))
		return true;
	if (ch == '&')
		return !env || at(c, i + 1) == '&';
	if (ch == '\\')
		return one_of(at(c, i + 1), "nrt\"'`\\\n");
	if (ch == '-')
		return border(c, i) && str_starts(str_from(c->s, i), STR("-----BEGIN "));
	if (one_of(ch, ",)}]"))
		return !env;
	if (ch == '\xe3' &&
	    at(c, i + 1) == '\x80') /* ideographic comma, full stop, space, brackets */
		return true;
	return ch == '\xef' && at(c, i + 1) == '\xbc'; /* full-width punctuation */
}

static void unquoted_end(const struct scan *c, struct value *v,
			 const struct secret_name *n, size_t max)
{
	bool env = n->env && v->form == FORM_TIGHT;
	bool ascii = n->cjk && !(at(c, v->from) & 0x80);
	size_t i = v->from, end = c->s.n;

	if (end - i > max)
		end = i + max;
	while (i < end && !value_stop(c, i, env) && !(ascii && c->s.p[i] & 0x80))
		i++;
	v->more = i == end && end < c->s.n;
	/* the full stop of a sentence, the comma of a list */
	while (!v->more && i > v->from + 1 && v->form != FORM_TIGHT &&
	       one_of(c->s.p[i - 1], ".,:"))
		i--;
	v->to = i;
}

/* A value that was judged is all of it a secret. */
static bool hit_value(const struct scan *c, struct value *v, const struct secret_name *n,
		      const char *kind, struct hit *h)
{
	if (v->more)
		unquoted_end(c, v, n, SIZE_MAX);
	return hit_set(h, v->from, v->to, kind);
}

/* Where the value begins, and whether quotes are around it. */
static bool find_value(struct scan *c, size_t i, const struct secret_name *n,
		       struct value *v)
{
	size_t slashes = 0, k;
	char q;

	v->quote = '\0';
	v->more = false;
	k = i;
	if (one_of(at(c, k), "bBrRfFuUL$@") &&
	    (at(c, k + 1) == '"' || at(c, k + 1) == '\''))
		k++; /* b"...", $'...' */
	while (at(c, k + slashes) == '\\' && slashes < 7)
		slashes++;
	q = at(c, k + slashes);
	if (q == '`' && v->form == FORM_TIGHT)
		return false; /* what a command prints */
	if (q == '"' || q == '\'' || q == '`') {
		v->quote = q;
		v->from = k + slashes + 1;
		if (slashes == 0 && at(c, v->from) == q && at(c, v->from + 1) == q)
			v->from += 2; /* """...""" */
		v->to = closing_quote(c, v->from, q, slashes);
		if (at(c, v->to) == '\r' ||
		    (v->to > v->from && c->s.p[v->to - 1] == '\r'))
			v->to--;
		if (at(c, v->to) != q && at(c, v->to) != '\\') {
			/* never closed on this line: what there is up to a blank */
			size_t line = v->to;

			/* its quote went with another secret: the first pass judged it whole */
			if (str_find(str_head(cut(c, v->from, line), QUOTED_MAX_BYTES),
				     STR("[redacted:")) != STR_NPOS)
				return false;
			unquoted_end(c, v, n, VALUE_LOOK_BYTES);
			v->to = line < v->to ? line : v->to;
		}
		return v->to > v->from;
	}
	if (at(c, i) == '\xe2' && at(c, i + 1) == '\x80' &&
	    (at(c, i + 2) == '\x9c' || at(c, i + 2) == '\x98' ||
	     at(c, i + 2) == '\x9e')) {
		size_t end = i + 3;

		while (end < c->s.n && end - i < VALUE_LOOK_BYTES &&
		       !newline(c->s.p[end]) &&
		       !(c->s.p[end] == '\xe2' && at(c, end + 1) == '\x80' &&
			 at(c, end + 2) >= '\x99' && at(c, end + 2) <= '\x9d'))
			end++;
		v->quote = '"';
		v->from = i + 3;
		v->to = end;
		return v->to > v->from;
	}
	v->from = i;
	unquoted_end(c, v, n, VALUE_LOOK_BYTES);
	return v->to > v->from;
}

static bool known_scheme(str s)
{
	static const char *const scheme[] = {
		"basic", "bearer",  "token",     "apikey", "api-key", "key",
		"jwt",   "oauth",   "negotiate", "ntlm",   "splunk",  "bot",
		"dpop",  "sso-key", "genie-key", NULL};

	for (size_t i = 0; scheme[i]; i++)
		if (str_ieq(s, str_of(scheme[i])))
			return true;
	return false;
}

/* Authorization: [scheme] credentials */
static bool authorization(const struct scan *c, const struct value *v, struct hit *h)
{
	const struct secret_name none = {0};
	struct value part = {.form = FORM_TIGHT};
	size_t from = v->from, word = from;
	bool basic = false, scheme = false;
	str s;

	while (token_byte(at(c, word)))
		word++;
	if (blank(at(c, word)) && known_scheme(cut(c, from, word))) {
		scheme = true;
		basic = str_ieq(cut(c, from, word), STR("basic"));
		from = skip_gap(c, word, false);
	}
	part.from = from;
	unquoted_end(c, &part, &none, VALUE_LOOK_BYTES);
	s = cut(c, from, part.to);
	if (s.n < 3 || secret_placeholder(s) || secret_plain_word(s, false))
		return false;
	if (basic) {
		if (str_istarts(s, STR("realm")) || str_istarts(s, STR("auth")) ||
		    secret_names_one(s) || (!is_basic(s) && s.n < 6))
			return false;
	} else if (expression(s) || str_istarts(s, STR("realm=")) ||
		   (secret_names_one(s) && !count_digits(s)) ||
		   !(secret_random(s) ||
		     (scheme && (strong_value(s) || s.n >= 20 ||
				 (s.n >= 5 && is_final(c, &part)))))) {
		return false;
	}
	return hit_value(c, &part, &none, "authorization", h);
}

/* cond ? 'pass' : 'fail' */
static bool ternary(const struct scan *c, size_t name)
{
	str head = line_before(c, name, 16);

	if (head.n == 0 || !is_quote(head.p[head.n - 1]))
		return false;
	head = str_trim_right(str_head(head, head.n - 1));
	return head.n && head.p[head.n - 1] == '?';
}

/* openssl -passin pass:x */
static bool after_pass_option(const struct scan *c, size_t name)
{
	str head = str_trim_right(line_before(c, name, 16));
	size_t from = head.n;

	while (from && !str_is_space(head.p[from - 1]))
		from--;
	return str_starts(str_from(head, from), STR("-pass"));
}

static bool line_start(const struct scan *c, size_t name)
{
	str head = line_before(c, name, 32);
	size_t from = name - head.n;

	for (size_t i = 0; i < head.n; i++)
		if (!blank(head.p[i]) && !one_of(head.p[i], "-*+>#\"'`|"))
			return false;
	return head.n < 32 &&
	       (from == 0 || (from > c->done && newline(c->s.p[from - 1])));
}

/* {"name": "DB_PASSWORD", "value": "x"}: the name stands in a member of its own. */
static bool paired_name(const struct scan *c, size_t end, struct secret_name *n)
{
	str name = cut(c, end - 5, end), head;
	size_t from = end - 5, low = from > LINE_LOOK_BYTES ? from - LINE_LOOK_BYTES : 0,
	       i;

	if (!str_ieq(name, STR("value")))
		return false;
	if (low < c->done)
		low = c->done;
	for (i = from; i > low && c->s.p[i - 1] != ']' && c->s.p[i - 1] != '}'; i--)
		;
	head = cut(c, i, from);
	i = str_rchr(head, ':');
	if (i == STR_NPOS)
		i = str_rchr(head, '=');
	if (i == STR_NPOS)
		return false;
	str key = str_head(head, i);
	while (key.n && (blank(key.p[key.n - 1]) || one_of(key.p[key.n - 1], "\"'\\")))
		key.n--;
	if (key.n < 3 || (!str_ieq(str_from(key, key.n - 3), STR("key")) &&
			  (key.n < 4 || !str_ieq(str_from(key, key.n - 4), STR("name")))))
		return false;
	str what = str_from(head, i + 1);
	while (what.n && (str_is_space(what.p[0]) || one_of(what.p[0], "\"'\\")))
		what = str_from(what, 1);
	i = 0;
	while (i < what.n && (token_byte(what.p[i]) || what.p[i] == '.'))
		i++;
	what.n = i;
	return secret_name(what, n);
}

/* The separator is [sep, next). */
static bool assignment(struct scan *c, size_t sep, size_t next, enum form form,
		       struct hit *h)
{
	size_t end = name_end(c, sep), low;
	struct secret_name n = {0};
	struct value v = {.form = form, .name = end};
	bool any_cookie = false; /* known by the header alone */

	low = end > SECRET_NAME_MAX ? end - SECRET_NAME_MAX : 0;
	if (low < c->done)
		low = c->done;
	if (may_name(c, end) && secret_name(cut(c, low, end), &n))
		v.name = low + n.from;
	else if (end >= c->done + 5 && paired_name(c, end, &n))
		v.name = end - 5;
	else if (sep < c->cookie_end && form == FORM_TIGHT && end > c->done &&
		 token_byte(c->s.p[end - 1]))
		any_cookie = n.cookie = true, n.rank = SECRET_WEAK;
	else
		return false;
	v.from = skip_gap(c, next, form == FORM_COLON);
	if (form == FORM_TIGHT && (v.from > next || end < sep))
		v.form = FORM_EQUALS;
	if (v.from >= c->s.n || newline(c->s.p[v.from]))
		return false;
	if (n.header && v.form != FORM_TIGHT) {
		size_t to = v.from;

		while (to >= c->cookie_end && to < c->s.n && !newline(c->s.p[to]) &&
		       c->s.p[to] != ']' && !is_quote(c->s.p[to]))
			to++;
		if (to > c->cookie_end)
			c->cookie_end = to;
		return false; /* the cookies are looked at one by one */
	}
	if (form == FORM_COLON && ternary(c, v.name))
		return false;
	if (n.pass && n.bare && before(c, v.name) == ':')
		return false; /* Event::Pass */
	v.line_start = line_start(c, v.name);
	v.in_cookie = sep < c->cookie_end && !any_cookie;
	if (n.pass && n.bare && form == FORM_COLON && after_pass_option(c, v.name))
		v.form = FORM_OPTION;
	if (crypt_at(c, v.from, h))
		return true;
	if (!find_value(c, v.from, &n, &v))
		return false;
	if (crypt_at(c, v.from, h))
		return true;
	if (str_starts(str_from(c->s, v.from), STR("-----BEGIN")))
		return false; /* the whole block is one, not its first line */
	if (n.auth)
		return authorization(c, &v, h);
	if (!judge(c, &v, &n))
		return false;
	/* the provider's name says more than the variable's */
	if (known_token(c, v.from, token_end(c, v.from), h) && h->from == v.from &&
	    h->to >= v.to)
		return true;
	return hit_value(c, &v, &n, value_kind(&n), h);
}

/* The line end at i, written out or escaped as in JSON; its length, 0 if there is none. */
static size_t line_end(const struct scan *c, size_t i)
{
	static const str end[] = {
		{"\r\n", 2}, {"\n", 1}, {"\\r\\n", 4}, {"\\n", 2}, {"\r", 1}};

	for (size_t k = 0; k < sizeof(end) / sizeof(*end); k++)
		if (str_starts(str_from(c->s, i), end[k]))
			return end[k].n;
	return 0;
}

/* PuTTY: "Private-Lines: 14" and as many lines of base64. */
static bool putty_key(const struct scan *c, size_t sep, struct hit *h)
{
	size_t i = skip_gap(c, sep + 1, false), from, end, lines = 0;

	if (!ends_in(c, sep, STR("private-lines")))
		return false;
	for (size_t n = 0; n < 4 && str_is_digit(at(c, i)); n++, i++)
		lines = lines * 10 + (size_t)(c->s.p[i] - '0');
	from = end = i + line_end(c, i);
	if (from == i)
		return false;
	for (i = from; lines > 0; lines--) {
		size_t to = base64_end(c, i), next = line_end(c, to);

		if (to == i || (to < c->s.n && !next && !is_quote(c->s.p[to])))
			break;
		end = to;
		i = to + next;
		if (!next)
			break;
	}
	return end - from >= PEM_CUT_MIN && hit_set(h, from, end, "private-key");
}

/* None of these is in the list of BIP 39, and hardly a sentence does without. */
static bool function_word(str s)
{
	static const char *const word[] = {"the",  "and",  "for",   "with", "from",
					   "are",  "was",  "not",   "has",  "your",
					   "must", "will", "which", "that", "have"};

	for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++)
		if (str_eq(s, str_of(word[i])))
			return true;
	return false;
}

/* mnemonic: or seed phrase: and the words of a wallet. */
static bool seed_phrase(const struct scan *c, size_t sep, struct hit *h)
{
	size_t name = name_end(c, sep), i = skip_gap(c, sep + 1, true), from, words = 0;

	if (!ends_in(c, name, STR("mnemonic")) && !ends_in(c, name, STR("seed phrase")) &&
	    !ends_in(c, name, STR("seed_phrase")) &&
	    !ends_in(c, name, STR("seedphrase")) &&
	    !ends_in(c, name, STR("recovery phrase")))
		return false;
	if (is_quote(at(c, i)))
		i++;
	for (from = i; words <= SEED_WORDS_MAX; i++) {
		size_t to = i;

		while (at(c, to) >= 'a' && at(c, to) <= 'z' && to - i <= SEED_LETTERS_MAX)
			to++;
		if (to - i < SEED_LETTERS_MIN || to - i > SEED_LETTERS_MAX ||
		    function_word(cut(c, i, to)))
			return false;
		words++;
		i = to;
		if (at(c, i) != ' ' || !(at(c, i + 1) >= 'a' && at(c, i + 1) <= 'z'))
			break;
	}
	return words >= SEED_WORDS_MIN && words <= SEED_WORDS_MAX &&
	       !token_byte(at(c, i)) && hit_set(h, from, i, "seed-phrase");
}

/* PIN: 839201 */
static bool pin_number(const struct scan *c, size_t sep, struct hit *h)
{
	size_t name = name_end(c, sep), from = skip_gap(c, sep + 1, true), to = from;

	if (name < c->done + 3 || !str_eq(cut(c, name - 3, name), STR("PIN")) ||
	    (name > c->done + 3 && str_is_alnum(c->s.p[name - 4])))
		return false;
	if (is_quote(at(c, from)))
		to = ++from;
	while (str_is_digit(at(c, to)) && to - from <= PIN_MAX)
		to++;
	if (to - from < PIN_MIN || to - from > PIN_MAX || token_byte(at(c, to)) ||
	    one_of(at(c, to), "/:%") ||
	    (one_of(at(c, to), ".,") && str_is_digit(at(c, to + 1))))
		return false;
	return hit_set(h, from, to, "pin");
}

static bool equals_rule(struct scan *c, size_t i, struct hit *h)
{
	char prev = before(c, i);
	size_t next = i + 1;
	enum form form = FORM_TIGHT;

	if (prev == '=' || prev == '<' || prev == '>' || prev == ':')
		return false;
	if (at(c, next) == '=') {
		form = FORM_EQUAL;
		next += at(c, next + 1) == '=' ? 2 : 1;
	} else if (at(c, next) == '>') {
		form = FORM_EQUALS;
		next++;
	} else if (prev == '!') {
		form = FORM_EQUAL;
	}
	if (next == i + 1 && (pin_number(c, i, h) || seed_phrase(c, i, h)))
		return true;
	return assignment(c, i, next, form, h);
}

static bool colon_rule(struct scan *c, size_t i, struct hit *h)
{
	char next = at(c, i + 1);

	if (next == ':' || before(c, i) == ':')
		return false;
	if (next == '/' && at(c, i + 2) == '/') {
		if (url_rule(c, i, h))
			return true;
		return false;
	}
	if (next == '=')
		return assignment(c, i, i + 2, FORM_EQUALS, h);
	if (putty_key(c, i, h) || pin_number(c, i, h) || seed_phrase(c, i, h))
		return true;
	return assignment(c, i, i + 1, FORM_COLON, h);
}

/* Full-width colon and equals sign. */
static bool wide_rule(struct scan *c, size_t i, struct hit *h)
{
	if (at(c, i + 1) != '\xbc')
		return false;
	if (at(c, i + 2) == '\x9a')
		return assignment(c, i, i + 3, FORM_COLON, h);
	if (at(c, i + 2) == '\x9d')
		return assignment(c, i, i + 3, FORM_EQUALS, h);
	return false;
}

/* curl -u user:password */
static bool user_option(struct scan *c, size_t from, struct hit *h)
{
	struct secret_name none = {0};
	struct value v = {.form = FORM_OPTION};
	size_t colon;
	str pass;

	if (!find_value(c, from, &none, &v) || v.to - v.from > VALUE_LOOK_BYTES)
		return false;
	colon = str_chr(cut(c, v.from, v.to), ':');
	if (colon == STR_NPOS || secret_placeholder(cut(c, v.from, v.to)))
		return false;
	pass = cut(c, v.from + colon + 1, v.to);
	if (pass.n < 3 || pass.p[0] == ':' || is_digits(pass) ||
	    secret_placeholder(pass) || memchr(pass.p, '/', pass.n) ||
	    memchr(pass.p, ' ', pass.n))
		return false;
	/* docker run -u user:group */
	if (identifier(pass) && count_digits(pass) == 0 &&
	    str_find(line_before(c, from, LINE_LOOK_BYTES), STR("curl")) == STR_NPOS)
		return false;
	return hit_set(h, v.from + colon + 1, v.to, "password");
}

/* Has a stretch of letters of both cases and digits that is no hash, no name and no number. */
static bool clearly_random(str s)
{
	size_t from = 0;

	if (s.n < KEY_OPTION_MIN || !run_of(s, 0, s.n, base64_byte) ||
	    memchr(s.p, '/', s.n) || !secret_random(s))
		return false;
	for (size_t i = 0; i <= s.n; i++) {
		size_t upper = 0, digits;

		if (i < s.n && str_is_alnum(s.p[i]))
			continue;
		str part = (str){s.p + from, i - from};
		from = i + 1;
		digits = count_digits(part);
		for (size_t k = 0; k < part.n; k++)
			upper += part.p[k] >= 'A' && part.p[k] <= 'Z';
		if (part.n >= KEY_STRETCH_MIN && digits >= 2 && upper >= 2 &&
		    part.n - digits - upper >= 2)
			return true;
	}
	return false;
}

/* -k x, --key x: a key of many kinds, most of them a name or a file. */
static bool key_option(struct scan *c, size_t from, struct hit *h)
{
	struct secret_name none = {0};
	struct value v = {.form = FORM_OPTION};

	return find_value(c, from, &none, &v) &&
	       clearly_random(str_head(cut(c, v.from, v.to), VALUE_LOOK_BYTES)) &&
	       hit_value(c, &v, &none, "secret", h);
}

/* One-letter options of commands that are known for them. */
static bool letter_option(struct scan *c, size_t dash, struct hit *h)
{
	char letter = at(c, dash + 1);
	size_t from = dash + 2;
	struct secret_name name = {.rank = SECRET_PASSWORD};
	struct value v = {.form = FORM_OPTION, .name = dash};
	str line;
	bool known;

	if (letter == 'u' && blank(at(c, from)))
		return user_option(c, skip_gap(c, from, false), h);
	if (letter == 'k' && blank(at(c, from)))
		return key_option(c, skip_gap(c, from, false), h);
	if (letter != 'p' && letter != 'a')
		return false;
	line = line_before(c, dash, LINE_LOOK_BYTES);
	if (letter == 'a') { /* redis-cli -a x */
		known = str_find(line, STR("redis-cli")) != STR_NPOS &&
			blank(at(c, from));
	} else {
		known = str_find(line, STR("sshpass")) != STR_NPOS ||
			(str_find(line, STR(" login ")) != STR_NPOS &&
			 blank(at(c, from))) ||
			(str_find(line, STR("mysql")) != STR_NPOS && !blank(at(c, from)));
		/* mysql -p asks, mysql -pX does not */
	}
	if (!known)
		return false;
	from = skip_gap(c, from, false);
	if (at(c, from) == '-' || !find_value(c, from, &name, &v))
		return false;
	str s = cut(c, v.from, v.to);
	return s.n >= 3 && !secret_placeholder(str_head(s, VALUE_LOOK_BYTES)) &&
	       hit_value(c, &v, &name, "password", h);
}

/* --password value; i is where the name begins. */
static bool option_rule(struct scan *c, size_t i, struct hit *h)
{
	size_t end = i;
	struct secret_name n;
	struct value v = {.form = FORM_OPTION, .name = i};

	while (token_byte(at(c, end)) && end - i < SECRET_NAME_MAX)
		end++;
	if (end < i + 2 || !blank(at(c, end)))
		return false;
	v.from = skip_gap(c, end, false);
	if (str_eq(cut(c, i, end), STR("user")) ||
	    str_eq(cut(c, i, end), STR("proxy-user")))
		return user_option(c, v.from, h);
	if (str_eq(cut(c, i, end), STR("key")))
		return key_option(c, v.from, h);
	if (at(c, v.from) == '-' || at(c, v.from) == '=' || !may_name(c, end) ||
	    !secret_name(cut(c, i, end), &n) || n.rank < SECRET_TOKEN)
		return false;
	return find_value(c, v.from, &n, &v) && judge(c, &v, &n) &&
	       hit_value(c, &v, &n, value_kind(&n), h);
}

static bool dash_rule(struct scan *c, size_t i, struct hit *h)
{
	if (i > c->done && c->s.p[i - 1] == '-') {
		if (at(c, i + 1) == '-')
			return at(c, i + 2) == '-' && pem_rule(c, i, h);
		return option_rule(c, i + 1, h);
	}
	return letter_option(c, i, h) || option_rule(c, i + 1, h);
}

/*
 * "for the staging server" from i: where it ends, at a verb or a colon; i if there is
 * nothing of the kind.
 */
static size_t said_what(const struct scan *c, size_t i)
{
	static const char *const prep[] = {"for ", "of ",  "on ", "to ",   "für ",
					   "von ", "vom ", "de ", "para ", "del "};
	size_t end = i, max;

	for (size_t k = 0; k < sizeof(prep) / sizeof(*prep) && end == i; k++)
		if (str_istarts(str_from(c->s, i), str_of(prep[k])))
			end += strlen(prep[k]);
	if (end == i)
		return i;
	max = end + SAID_WHAT_BYTES;
	while (end < max && (token_byte(at(c, end)) || one_of(at(c, end), " ./@"))) {
		if (at(c, end) == ' ' &&
		    (str_istarts(str_from(c->s, end), STR(" is ")) ||
		     str_istarts(str_from(c->s, end), STR(" was ")) ||
		     str_istarts(str_from(c->s, end), STR(" ist ")) ||
		     str_istarts(str_from(c->s, end), STR(" es "))))
			return end + 1;
		end++;
	}
	return at(c, end) == ':' && blank(at(c, end + 1)) ? end : i;
}

/* Behind "is": strong enough for prose, where a plain word is a remark. */
static bool said_value(const struct scan *c, const struct value *v, str s)
{
	if (is_digits(s))
		return s.n >= PIN_MIN && s.n <= VALUE_LOOK_BYTES && is_final(c, v) &&
		       !v->more;
	return count_digits(s) && has_letter(s) && s.n >= 6;
}

static bool said_word(str s)
{
	return secret_placeholder(s) || secret_plain_word(s, false) || label(s, 0) ||
	       expression(s) || is_path(s) || memchr(s.p, ' ', s.n) || has_high(s);
}

/* What follows a word for a password at [word, end). */
static bool said_rule(struct scan *c, size_t word, size_t end, struct hit *h)
{
	static const char *const verb[] = {"is ",     "was ",   "to ", "ist ", "| ",
					   "lautet ", "heißt ", "es ", ": "};
	struct secret_name n = {.rank = SECRET_PASSWORD};
	struct value v = {.form = FORM_COLON};
	size_t from, what;
	bool said = false;
	str s;

	if (!blank(at(c, end)))
		return false;
	from = skip_gap(c, end, false);
	what = said_what(c, from);
	for (size_t k = 0; k < sizeof(verb) / sizeof(*verb) && !said; k++)
		if (str_istarts(str_from(c->s, what), str_of(verb[k]))) {
			from = skip_gap(c, what + strlen(verb[k]), true);
			said = true;
		}
	if (at(c, from) == ':' && said && blank(at(c, from + 1)))
		from = skip_gap(c, from + 1, true);
	if (!find_value(c, from, &n, &v))
		return false;
	s = str_head(cut(c, v.from, v.to), VALUE_LOOK_BYTES);
	if (said_word(s))
		return false;
	bool netrc = !said && str_find(line_before(c, word, LINE_LOOK_BYTES),
				       STR("login ")) != STR_NPOS;
	if (!netrc && !said_value(c, &v, s))
		return false;
	if (!netrc && !said && !secret_random(s) && !memchr(s.p, '!', s.n) &&
	    !memchr(s.p, '#', s.n) && !memchr(s.p, '@', s.n) && !memchr(s.p, '$', s.n))
		return false;
	return hit_value(c, &v, &n, "password", h);
}

/* password is X, password X behind a login, <password>X</password>; i is the w */
static bool word_rule(struct scan *c, size_t i, struct hit *h)
{
	size_t end = i + 1;

	if (i < c->done + 4 || !str_ieq(cut(c, i - 4, i), STR("pass")))
		return false;
	if (str_istarts(str_from(c->s, end), STR("ord")) ||
	    str_istarts(str_from(c->s, end), STR("ort")))
		end += 3;
	else if (str_lower(at(c, end)) == 'd')
		end += 1;
	else
		return false;
	if (at(c, end) == '>')
		return in_element(c, end + 1, h);
	return said_rule(c, i - 4, end, h);
}

/* contraseña es X; i is the second byte of its ñ */
static bool spanish_rule(struct scan *c, size_t i, struct hit *h)
{
	str head = STR("contrase\xc3");

	if (i < c->done + head.n || !ends_in(c, i, head) ||
	    str_lower(at(c, i + 1)) != 'a')
		return false;
	return said_rule(c, i - head.n, i + 2, h);
}

/* 密码是X; i is the first byte of 是 */
static bool chinese_rule(struct scan *c, size_t i, struct hit *h)
{
	struct value v = {.form = FORM_COLON};
	struct secret_name n;
	size_t from = i + 3;
	str s;

	if (at(c, i + 1) != '\x98' || at(c, i + 2) != '\xaf' ||
	    !secret_name(line_before(c, i, SECRET_NAME_MAX), &n) || !n.cjk)
		return false;
	from = skip_gap(c, from, true);
	if (at(c, from) == ':')
		from++;
	else if (str_starts(str_from(c->s, from), STR("：")))
		from += 3;
	from = skip_gap(c, from, true);
	if (!find_value(c, from, &n, &v))
		return false;
	s = str_head(cut(c, v.from, v.to), VALUE_LOOK_BYTES);
	return !said_word(s) && said_value(c, &v, s) &&
	       (n.rank == SECRET_PASSWORD || secret_random(s)) &&
	       hit_value(c, &v, &n, value_kind(&n), h);
}

static bool mark_rule(struct scan *c, size_t i, struct hit *h)
{
	switch (c->s.p[i]) {
	case '=':
		return equals_rule(c, i, h);
	case ':':
		return colon_rule(c, i, h);
	case '-':
		return dash_rule(c, i, h);
	case 'w':
	case 'W':
		return word_rule(c, i, h);
	case '\xb1':
		return spanish_rule(c, i, h);
	case '\xe6':
		return chinese_rule(c, i, h);
	}
	return wide_rule(c, i, h);
}

/* the pass */

static void scan_init(struct scan *c, str s)
{
	*c = (struct scan){.s = s};
	sieve_init(&c->sieve, s);
}

/*
 * What stands right before a marker was looked at when the marker's secret was still there,
 * and found innocent as a whole: its first half alone is no reason to think again.
 */
static bool touches_marker(const struct scan *c, size_t i)
{
	for (int n = 0; n < 4 && one_of(at(c, i), "./+=-:"); n++)
		i++;
	return at(c, i) == '[' && str_starts(str_from(c->s, i), STR("[redacted:"));
}

static bool scan_end(struct scan *c, const struct hit *h)
{
	c->done = h->to;
	if (!c->ahead.to && str_eq(str_of(h->kind), STR("aws-key-id")))
		find_pair(c, h->to);
	sieve_skip(&c->sieve, h->to);
	return true;
}

/*
 * A rule may find a secret further on: the value of a name, the password of a URL. What
 * lies between, such as a token in the place of the user, must not be passed over.
 */
static bool scan_next(struct scan *c, struct hit *h)
{
	unsigned what;
	size_t i;

	while ((i = sieve_next(&c->sieve, &what)) != STR_NPOS) {
		if (c->ahead.to && i >= c->ahead.from)
			break;
		if (!((what & SIEVE_RUN) && run_rule(c, i, h)) &&
		    !((what & SIEVE_MARK) && mark_rule(c, i, h)))
			continue;
		if (h->from < c->done || touches_marker(c, h->to))
			continue;
		if (!c->ahead.to && h->from > i) {
			c->ahead = *h;
		} else if (!c->ahead.to || h->to <= c->ahead.from) {
			return scan_end(c, h);
		} else if (h->from < c->ahead.from) {
			/* one reaches into the other: both of it goes */
			c->ahead.from = h->from;
			c->ahead.to = h->to > c->ahead.to ? h->to : c->ahead.to;
		}
	}
	if (!c->ahead.to)
		return false;
	*h = c->ahead;
	c->ahead.to = 0;
	return scan_end(c, h);
}

static void add_marker(struct buf *out, const char *kind)
{
	buf_add(out, STR("[redacted:"));
	buf_add(out, str_of(kind));
	buf_byte(out, ']');
}

static size_t pass(struct buf *out, str s)
{
	struct scan c;
	struct hit h;
	size_t n = 0, done = 0;

	scan_init(&c, s);
	while (scan_next(&c, &h)) {
		buf_add(out, cut(&c, done, h.from));
		add_marker(out, h.kind);
		done = h.to;
		n++;
	}
	buf_add(out, str_from(s, done));
	return n;
}

/*
 * What is gone can make its surroundings look different: a rule that judges a sentence may see
 * a secret in it only now. Text with a secret, which is rare, is gone over until none is found.
 */
size_t redact(struct buf *out, str s)
{
	struct buf again = BUF_INIT(SIZE_MAX / 2);
	size_t from = out->n, n = pass(out, s), more = n;

	for (int i = 1; more && i < PASSES_MAX && !out->full; i++) {
		buf_reset(&again);
		buf_add(&again, str_from(buf_str(out), from));
		buf_cut(out, from);
		more = pass(out, buf_str(&again));
		n += more;
	}
	buf_release(&again);
	return n;
}

/* files whose every value is secret */

bool redact_is_env_file(str path)
{
	static const char *const name[] = {
		".env",    ".envrc",      ".netrc",          "_netrc",
		".pgpass", "credentials", ".git-credentials"};
	str base = str_basename(path);

	/* asked of every word of a command: by the first and last letters of the names first */
	if (!base.n || (base.p[0] != '.' && !one_of(base.p[base.n - 1], "vcs")))
		return false;
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		if (str_eq(base, str_of(name[i])))
			return true;
	return str_starts(base, STR(".env.")) || str_ends(base, STR(".env"));
}

/* The client shows files with line numbers: "    12<tab>" or "    12→". */
static size_t line_number(str line)
{
	size_t i = 0, digits;

	while (i < line.n && line.p[i] == ' ')
		i++;
	digits = i;
	while (i < line.n && str_is_digit(line.p[i]))
		i++;
	if (i == digits || i == line.n)
		return 0;
	if (line.p[i] == '\t')
		return i + 1;
	return str_starts(str_from(line, i), STR("\xe2\x86\x92")) ? i + 3 : 0;
}

static size_t add_value(struct buf *out, str value)
{
	str v = str_trim(value);
	char q = v.n > 1 && (v.p[0] == '"' || v.p[0] == '\'') && v.p[v.n - 1] == v.p[0]
			 ? v.p[0]
			 : 0;

	if (q)
		v = (str){v.p + 1, v.n - 2};
	if (v.n == 0 || str_starts(v, STR("[redacted:"))) {
		buf_add(out, value);
		return 0;
	}
	buf_add(out, (str){value.p, (size_t)(v.p - value.p)});
	add_marker(out, "env");
	buf_add(out, str_from(value, (size_t)(v.p - value.p) + v.n));
	return 1;
}

/* machine x login y password z, in any order, over lines or not */
static size_t netrc_line(struct buf *out, str line)
{
	str rest = line, word, last = STR_NONE;
	const char *done = line.p;
	size_t n = 0;

	while (str_word(&rest, &word)) {
		if (str_eq(last, STR("password")) || str_eq(last, STR("account"))) {
			buf_add(out, (str){done, (size_t)(word.p - done)});
			n += add_value(out, word);
			done = word.p + word.n;
			word = STR_NONE;
		}
		last = word;
	}
	buf_add(out, (str){done, (size_t)(line.p + line.n - done)});
	return n;
}

static size_t env_line(struct buf *out, str path, str line)
{
	str base = str_basename(path), text = str_trim(line);
	size_t sep;

	if (str_find(line, STR("[redacted:")) != STR_NPOS) {
		buf_add(out, line); /* was here before */
		return 0;
	}
	if (text.n == 0 || text.p[0] == '#' || text.p[0] == ';' || text.p[0] == '[')
		return redact(out, line);
	if (str_eq(base, STR(".netrc")) || str_eq(base, STR("_netrc")))
		return netrc_line(out, line);
	if (str_eq(base,
		   STR(".pgpass"))) /* the last field; a marker has a colon of its own */
		sep = str_rchr(str_head(line, str_find(line, STR("[redacted:"))), ':');
	else
		sep = str_chr(line, '=');
	if (sep == STR_NPOS && !str_eq(base, STR(".git-credentials"))) {
		sep = str_chr(line, ':');
		if (sep != STR_NPOS && str_starts(str_from(line, sep), STR("://")))
			sep = STR_NPOS;
	}
	if (sep == STR_NPOS)
		return redact(out, line);
	buf_add(out, str_head(line, sep + 1));
	return add_value(out, str_from(line, sep + 1));
}

size_t redact_file(struct buf *out, str path, str s)
{
	size_t n = 0;

	if (!redact_is_env_file(path))
		return redact(out, s);
	while (s.n) {
		size_t nl = str_chr(s, '\n');
		str line = str_head(s, nl == STR_NPOS ? s.n : nl);
		size_t number = line_number(line);

		buf_add(out, str_head(line, number));
		n += env_line(out, path, str_from(line, number));
		s = str_from(s, line.n);
		if (s.n) {
			buf_byte(out, '\n');
			s = str_from(s, 1);
		}
	}
	return n;
}

void redact_show(struct buf *out, str s, bool oneline)
{
	enum utf8_show how = oneline ? UTF8_ONELINE : UTF8_TEXT;
	struct buf plain = BUF_INIT(SIZE_MAX / 2), clean = BUF_INIT(SIZE_MAX / 2);
	struct scan c;
	struct hit h;

	/* colours inside a name or a token would hide it, and are dropped anyway */
	if (s.n && memchr(s.p, '\x1b', s.n)) {
		utf8_show(&plain, s, UTF8_TEXT);
		s = buf_str(&plain);
	}
	scan_init(&c, s);
	if (!scan_next(&c, &h)) {
		utf8_show(out, s, how);
	} else {
		redact(&clean, s);
		utf8_show(out, buf_str(&clean), how);
	}
	buf_release(&plain);
	buf_release(&clean);
}
