/* Cases as data stand in tests/cases/redact-*.case; see read_case for their form. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "work/redact.h"

#define CASES_DIR     "tests/cases"
#define TEXT_MAX      (64u << 20)
#define TWICE_ROUNDS  20000
#define HOSTILE_BYTES (256u << 10)
#define HOSTILE_NS                                                                       \
	2000000000 /* quadratic would be minutes; linear is a tenth, sanitizers included */

/*
 * A case file is a list of
 *
 *   == title
 *   input, any number of lines
 *   --
 *   expected output
 *
 * The last newline of input and output belongs to the file, not to the text. UPDATE=1
 * rewrites the outputs.
 */
struct a_case {
	str title, input, output;
};

static bool read_case(str *rest, struct a_case *c)
{
	str line, *to = &c->input;

	*c = (struct a_case){0};
	if (!str_line(rest, &line) || !str_starts(line, STR("== ")))
		return false;
	c->title = str_from(line, 3);
	while (rest->n && !str_starts(*rest, STR("== "))) {
		const char *at = rest->p;

		str_line(rest, &line);
		if (str_eq(line, STR("--")) && to == &c->input) {
			to = &c->output;
			continue;
		}
		if (!to->p)
			to->p = at;
		to->n = (size_t)(line.p + line.n - to->p);
	}
	return to == &c->output;
}

static str redacted(struct buf *out, str s)
{
	buf_reset(out);
	redact(out, s);
	assert_false(out->full);
	return buf_str(out);
}

static void same_again(str once, str title)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	if (!str_eq(redacted(&b, once), once))
		print_message("not idempotent: %.*s\n", STR_ARG(title));
	assert_str(buf_str(&b), once);
	buf_release(&b);
}

/* Wherever the text lies: the pass works in blocks of 64 bytes. */
static void same_everywhere(str in, str out)
{
	struct buf text = BUF_INIT(TEXT_MAX), b = BUF_INIT(TEXT_MAX);

	for (size_t n = 1; n < 66; n++) {
		buf_reset(&text);
		buf_fill(&text, '\n', n);
		buf_add(&text, in);
		redacted(&b, buf_str(&text));
		assert_str(str_from(buf_str(&b), n), out);
	}
	buf_release(&text);
	buf_release(&b);
}

static int walk_file(const char *dir, const char *name, void *arg)
{
	struct buf path = BUF_INIT(4096), text = BUF_INIT(TEXT_MAX),
		   out = BUF_INIT(TEXT_MAX);
	struct buf fresh = BUF_INIT(TEXT_MAX);
	struct err e = ERR_INIT;
	struct a_case c;
	int *n = arg;
	str rest;

	if (!str_starts(str_of(name), STR("redact-")) ||
	    !str_ends(str_of(name), STR(".case")))
		return 0;
	fs_join(&path, str_of(dir), str_of(name));
	assert_int_equal(fs_read(buf_cstr(&path), &text, &e), 0);
	rest = buf_str(&text);
	while (rest.n) {
		assert_true(read_case(&rest, &c));
		redacted(&out, c.input);
		if (!getenv("UPDATE") && !str_eq(buf_str(&out), c.output)) {
			print_message("%s: %.*s\n", name, STR_ARG(c.title));
			assert_str(buf_str(&out), c.output);
		}
		same_again(buf_str(&out), c.title);
		same_everywhere(c.input, buf_str(&out));
		buf_printf(&fresh, "== %.*s\n%.*s\n--\n%.*s\n", STR_ARG(c.title),
			   STR_ARG(c.input), STR_ARG(buf_str(&out)));
		++*n;
	}
	if (getenv("UPDATE"))
		assert_int_equal(
			fs_write_atomic(buf_cstr(&path), buf_str(&fresh), 0644, &e), 0);
	buf_release(&path);
	buf_release(&text);
	buf_release(&out);
	buf_release(&fresh);
	return 0;
}

static void test_redact__cases_give_their_expected_output(void **state)
{
	int n = 0;

	(void)state;
	assert_int_equal(fs_each(CASES_DIR, walk_file, &n, NULL), 0);
	assert_true(n > 60);
}

/* Pieces that rules begin, go on or end with; joined at random they make hard cases. */
static const char *const piece[] = {
	"password",
	"token",
	"API_KEY",
	"DB_PASS",
	"пароль",
	"密码",
	"Authorization",
	"Cookie",
	"session",
	"key",
	"value",
	"name",
	"Bearer ",
	"Basic ",
	"--password ",
	"--token ",
	"-p ",
	"-u ",
	"curl ",
	"sshpass ",
	"login ",
	"is ",
	"=",
	":",
	" = ",
	": ",
	"=>",
	":=",
	"==",
	"：",
	"://",
	"@",
	"/",
	"?",
	"&",
	";",
	",",
	".",
	"\"",
	"'",
	"`",
	"\\\"",
	"\\n",
	"\n",
	"\r\n",
	" ",
	"\t",
	"(",
	")",
	"[",
	"]",
	"{",
	"}",
	"<",
	">",
	"$",
	"${",
	"%",
	"#",
	"*",
	"**",
	"|",
	"-",
	"--",
	"-----",
	"-----BEGIN RSA PRIVATE KEY-----\n",
	"-----END RSA PRIVATE KEY-----",
	"MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu3aozN3tihPmljnnudb9G3HECdnH",
	"hunter2",
	"geheim",
	"ghp_16C7e42F292c6912E7710c838347Ae178B4a",
	"sk-sp-ABCdef1234567890",
	".abcDEF123456",
	"AKIAIOSFODNN7EXAMPLE",
	"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"eyJhbGciOiJIUzI1NiJ9",
	".eyJzdWIiOiIxMjM0NTY3ODkwIn0",
	"8f7d6e5c4b3a29188f7d6e5c4b3a2918",
	"50aaed1234567890abcdef12",
	"$2b$12$abcdefghijklmnopqrstuu",
	"dXNlcjpwYXNz",
	"xxxx",
	"None",
	"string",
	"the",
	"a",
	"x9",
	"\x1b[32m",
	"\x1b[0m",
	"\xc2\xa0",
	"“",
	"”",
	"\xff",
	"\xef",
	"[redacted:password]",
	"[redacted:",
	"https://",
	"123456789:",
	"hvs.",
	"SG.",
	"1//0",
	"Q~",
	"password for ",
	"contraseña es ",
	"Passwort lautet ",
	"是",
	"PIN",
	"839201",
	"mnemonic: ",
	"lamp river stone copper violin garden ",
	"marble orbit pepper candle tiger window",
	"Private-Lines: 2\n",
	"-k ",
	"--key ",
	"Kv7rTz41qBn8wLs2D",
	"EAAA"};

static void random_text(struct buf *b, unsigned *seed)
{
	int n = 1 + rand_r(seed) % 24;

	buf_reset(b);
	while (n--)
		buf_add(b, str_of(piece[(size_t)rand_r(seed) %
					(sizeof(piece) / sizeof(*piece))]));
}

static void test_redact__twice_is_once(void **state)
{
	struct buf text = BUF_INIT(TEXT_MAX), once = BUF_INIT(TEXT_MAX);

	(void)state;
	for (unsigned round = 0; round < TWICE_ROUNDS; round++) {
		unsigned seed = round;

		random_text(&text, &seed);
		redacted(&once, buf_str(&text));
		same_again(buf_str(&once), buf_str(&text));
	}
	buf_release(&text);
	buf_release(&once);
}

static void test_redact__a_text_cut_at_every_byte_stays_stable(void **state)
{
	static const char text[] =
		"curl -H \"Authorization: Bearer abc123DEF456ghi789\" https://u:geheim@h/x?token=0a1b2c3d4e\n"
		"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1c7+9z5Pad7Oejecs\n-----END RSA PRIVATE KEY-----\n"
		"{\"password\": \"a \\\"b\\\" c9\"} export X_TOKEN='0a1b2c3d' пароль：ёжик AKIAIOSFODNN7EXAMPLE";
	struct buf once = BUF_INIT(TEXT_MAX);

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++)
		for (size_t from = 0; from < n; from += 1 + from / 8) {
			/* of exactly its size, so that a sanitizer sees a read past its ends */
			char *copy = malloc(n - from);

			memcpy(copy, text + from, n - from);
			redacted(&once, (str){copy, n - from});
			same_again(buf_str(&once), (str){copy, n - from});
			free(copy);
		}
	buf_release(&once);
}

static void test_redact__a_secret_is_found_at_every_offset(void **state)
{
	struct buf text = BUF_INIT(TEXT_MAX), out = BUF_INIT(TEXT_MAX);

	(void)state;
	for (size_t n = 0; n < 200; n++) {
		buf_reset(&text);
		buf_fill(&text, '.', n);
		buf_add(&text,
			STR(" password=hunter2 ghp_16C7e42F292c6912E7710c838347Ae178B4a"));
		buf_reset(&out);
		assert_int_equal(redact(&out, buf_str(&text)), 2);
		assert_int_equal(str_find(buf_str(&out), STR("hunter2")), STR_NPOS);
		assert_int_equal(str_find(buf_str(&out), STR("ghp_")), STR_NPOS);
	}
	buf_release(&text);
	buf_release(&out);
}

/* A filter stands in front of the names: none of them may be lost in it. */
static void test_redact__every_name_gets_through_to_its_value(void **state)
{
	static const char *const name[] = {"password",
					   "passwd",
					   "passphrase",
					   "DB_PASS",
					   "passcode",
					   "pwd",
					   "user_pw",
					   "pswd",
					   "psw",
					   "passwort",
					   "kennwort",
					   "contrasena",
					   "senha",
					   "heslo",
					   "haslo",
					   "wachtwoord",
					   "losenord",
					   "salasana",
					   "adgangskode",
					   "sifre",
					   "jelszo",
					   "mnemonic",
					   "sshpass",
					   "dbpass",
					   "userpass",
					   "requirepass",
					   "masterauth",
					   "storepass",
					   "keypass",
					   "passe",
					   "sandi",
					   "mdp",
					   "lozinka",
					   "geslo",
					   "token",
					   "secret",
					   "apikey",
					   "api_key",
					   "apiKey",
					   "credential",
					   "credentials",
					   "creds",
					   "jwt",
					   "bearer",
					   "clave",
					   "chave",
					   "parola",
					   "parole",
					   "jeton",
					   "github_pat",
					   "auth",
					   "sig",
					   "signature",
					   "cookie",
					   "session",
					   "sessionid",
					   "sessionId",
					   "session_id",
					   "sid",
					   "sessid",
					   "PHPSESSID",
					   "sess",
					   "salt",
					   "hmac",
					   "password_hash",
					   "PGPASSWORD",
					   "githubtoken",
					   "mysecret",
					   "secretkey",
					   "accesskey",
					   "privatekey",
					   "authkey",
					   "licensekey",
					   "encryptionkey",
					   "masterkey",
					   "accountkey",
					   "signingkey",
					   "TOKEN_PROD",
					   "token_production",
					   "token_dev",
					   "token_development",
					   "token_staging",
					   "token_stage",
					   "token_test",
					   "token_testing",
					   "token_live",
					   "token_local",
					   "token_base64",
					   "token_b64",
					   "token_hex",
					   "token_pem",
					   "token_value",
					   "tokenString",
					   "token_raw",
					   "token_plain",
					   "token_old",
					   "token_new",
					   "token_current",
					   "token_previous",
					   "token_primary",
					   "token_secondary",
					   "token_backup",
					   "password_confirm",
					   "password_confirmation",
					   "token_default",
					   "token2",
					   "password_2",
					   "пароль",
					   "ПАРОЛЯ",
					   "токен",
					   "contraseña",
					   "hasło",
					   "lösenord",
					   "şifre",
					   "jelszó",
					   "slaptažodis",
					   "mật khẩu",
					   "κωδικός",
					   "סיסמה",
					   "كلمة المرور",
					   "पासवर्ड",
					   "รหัสผ่าน",
					   "密码",
					   "密碼",
					   "口令",
					   "パスワード",
					   "비밀번호",
					   "令牌",
					   "密钥",
					   "密鑰"};
	struct buf text = BUF_INIT(4096), out = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		buf_reset(&text);
		buf_printf(&text, "%s=8f7d6e5c4b3a2918", name[i]);
		redacted(&out, buf_str(&text));
		if (str_find(buf_str(&out), STR("8f7d")) != STR_NPOS)
			print_message("%s\n", name[i]);
		assert_int_equal(str_find(buf_str(&out), STR("8f7d")), STR_NPOS);
		assert_true(str_starts(buf_str(&out), str_of(name[i])));
	}
	buf_release(&text);
	buf_release(&out);
}

static void test_redact__every_provider_is_known_by_its_prefix(void **state)
{
#define HEX   "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define UPPER "0A1B2C3D4E5F6071"
#define LONG  HEX HEX HEX
	static const struct {
		const char *token, *kind;
	} table[] = {
		{"A3-ASWWYB-798JRYLJVD4-23DC2-86TVM-H43EB", "1password-key"},
		{"ABIA" UPPER, "aws-key-id"},
		{"ACCA" UPPER, "aws-key-id"},
		{"AKIA" UPPER, "aws-key-id"},
		{"AROA" UPPER, "aws-key-id"},
		{"ASIA" UPPER, "aws-key-id"},
		{"ABSK" LONG, "aws-bedrock-key"},
		{"AC" HEX, "twilio-id"},
		{"SK" HEX, "twilio-key"},
		{"AGE-SECRET-KEY-1" UPPER UPPER, "age-key"},
		{"AIza" LONG, "google-key"},
		{"AKCp" LONG, "artifactory-key"},
		{"AKID" LONG, "tencent-key-id"},
		{"API-" UPPER UPPER, "octopus-key"},
		{"AQVN" LONG, "yandex-key"},
		{"ATATT3" LONG, "atlassian-token"},
		{"ATCTT3" LONG, "atlassian-token"},
		{"ATBB" LONG, "bitbucket-token"},
		{"CFPAT-" LONG, "contentful-token"},
		{"CLOJARS_" LONG, "clojars-token"},
		{"EAA" LONG, "facebook-token"},
		{"EZAK" LONG, "easypost-key"},
		{"EZTK" LONG, "easypost-key"},
		{"FLWSECK_TEST-" LONG "-X", "flutterwave-key"},
		{"GOCSPX-" LONG, "google-secret"},
		{"GR1348941" LONG, "gitlab-token"},
		{"HRKU-" LONG, "heroku-key"},
		{"LTAI" LONG, "alibaba-key-id"},
		{"NRAK-" LONG, "newrelic-key"},
		{"NRII-" LONG, "newrelic-key"},
		{"PMAK-" LONG, "postman-key"},
		{"SG." HEX "." LONG, "sendgrid-key"},
		{"access-production-" LONG, "plaid-token"},
		{"access-sandbox-" LONG, "plaid-token"},
		{"api_org_" LONG, "huggingface-token"},
		{"dapi" HEX, "databricks-token"},
		{"dckr_oat_" LONG, "docker-token"},
		{"dckr_pat_" LONG, "docker-token"},
		{"dnkey-" LONG, "defined-token"},
		{"doo_v1_" LONG, "digitalocean-token"},
		{"dop_v1_" LONG, "digitalocean-token"},
		{"dor_v1_" LONG, "digitalocean-token"},
		{"dp.pt." LONG, "doppler-token"},
		{"dt0c01." LONG "." LONG, "dynatrace-token"},
		{"duffel_live_" LONG, "duffel-token"},
		{"duffel_test_" LONG, "duffel-token"},
		{"figd_" LONG, "figma-token"},
		{"fio-u-" LONG, "frameio-token"},
		{"fm1a_" LONG, "fly-token"},
		{"fm1r_" LONG, "fly-token"},
		{"fm2_" LONG, "fly-token"},
		{"fo1_" LONG, "fly-token"},
		{"FlyV1" LONG, "fly-token"},
		{"fw_" LONG, "fireworks-key"},
		{"gho_" LONG, "github-token"},
		{"ghp_" LONG, "github-token"},
		{"ghr_" LONG, "github-token"},
		{"ghs_" LONG, "github-token"},
		{"ghu_" LONG, "github-token"},
		{"github_pat_" LONG, "github-token"},
		{"glagent-" LONG, "gitlab-token"},
		{"glc_" LONG, "grafana-token"},
		{"glcbt-" LONG, "gitlab-token"},
		{"gldt-" LONG, "gitlab-token"},
		{"glffct-" LONG, "gitlab-token"},
		{"glft-" LONG, "gitlab-token"},
		{"glimt-" LONG, "gitlab-token"},
		{"gloas-" LONG, "gitlab-token"},
		{"glpat-" LONG, "gitlab-token"},
		{"glptt-" LONG, "gitlab-token"},
		{"glrt-" LONG, "gitlab-token"},
		{"glsa_" LONG, "grafana-token"},
		{"glsoat-" LONG, "gitlab-token"},
		{"gsk_" LONG, "groq-key"},
		{"hf_" LONG, "huggingface-token"},
		{"hvb." LONG, "vault-token"},
		{"hvr." LONG, "vault-token"},
		{"hvs." LONG, "vault-token"},
		{"ico-" LONG, "infracost-key"},
		{"key-" HEX, "mailgun-key"},
		{"lin_api_" LONG, "linear-key"},
		{"lsv2_pt_" LONG, "langsmith-key"},
		{"nfp_" LONG, "netlify-token"},
		{"npm_" LONG, "npm-token"},
		{"ntn_" LONG, "notion-token"},
		{"ops_eyJ" LONG, "1password-token"},
		{"oy2" LONG, "nuget-key"},
		{"p8e-" LONG, "adobe-secret"},
		{"pcsk_" LONG, "pinecone-key"},
		{"phc_" LONG, "posthog-key"},
		{"phx_" LONG, "posthog-key"},
		{"pnu_" LONG, "prefect-token"},
		{"pplx-" LONG, "perplexity-key"},
		{"pscale_oauth_" LONG, "planetscale-token"},
		{"pscale_pw_" LONG, "planetscale-token"},
		{"pscale_tkn_" LONG, "planetscale-token"},
		{"pul-" LONG, "pulumi-token"},
		{"pypi-" LONG, "pypi-token"},
		{"r8_" LONG, "replicate-token"},
		{"rdme_" LONG, "readme-token"},
		{"re_" LONG, "resend-key"},
		{"rk_live_" LONG, "stripe-key"},
		{"rk_test_" LONG, "stripe-key"},
		{"rubygems_" LONG, "rubygems-key"},
		{"s-s4t2ud-" LONG, "intra42-secret"},
		{"sb_secret_" LONG, "supabase-key"},
		{"sbp_" LONG, "supabase-token"},
		{"scw_" LONG, "scaleway-key"},
		{"secret_" LONG, "notion-token"},
		{"sgp_" LONG, "sourcegraph-token"},
		{"shpat_" LONG, "shopify-token"},
		{"shpca_" LONG, "shopify-token"},
		{"shppa_" LONG, "shopify-token"},
		{"shpss_" LONG, "shopify-token"},
		{"sk-" LONG, "api-key"},
		{"sk-ant-" LONG, "anthropic-key"},
		{"sk-or-v1-" LONG, "openrouter-key"},
		{"sk-proj-" LONG, "openai-key"},
		{"sk_" LONG, "api-key"},
		{"sk_live_" LONG, "stripe-key"},
		{"sk_prod_" LONG, "stripe-key"},
		{"sk_test_" LONG, "stripe-key"},
		{"sl." LONG, "dropbox-token"},
		{"sntryi_" LONG, "sentry-token"},
		{"sntrys_" LONG, "sentry-token"},
		{"sntryu_" LONG, "sentry-token"},
		{"sq0atp-" LONG, "square-token"},
		{"sq0csp-" LONG, "square-token"},
		{"tfp_" LONG, "typeform-token"},
		{"tskey-auth-" LONG, "tailscale-key"},
		{"v1.0-" LONG "-" LONG, "cloudflare-key"},
		{"vck_" LONG, "vercel-token"},
		{"whsec_" LONG, "webhook-secret"},
		{"xai-" LONG, "xai-key"},
		{"xapp-" LONG, "slack-token"},
		{"xoxa-" LONG, "slack-token"},
		{"xoxb-" LONG, "slack-token"},
		{"xoxc-" LONG, "slack-token"},
		{"xoxd-" LONG, "slack-token"},
		{"xoxe-" LONG, "slack-token"},
		{"xoxe.xoxp-" LONG, "slack-token"},
		{"xoxo-" LONG, "slack-token"},
		{"xoxp-" LONG, "slack-token"},
		{"xoxr-" LONG, "slack-token"},
		{"xoxs-" LONG, "slack-token"},
		{"y0_" LONG, "yandex-token"},
		{"ya29." LONG, "google-token"},
	};
	struct buf text = BUF_INIT(4096), out = BUF_INIT(4096), want = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		buf_reset(&text);
		buf_reset(&want);
		buf_printf(&text, "(%s)", table[i].token);
		buf_printf(&want, "([redacted:%s])", table[i].kind);
		assert_str(redacted(&out, buf_str(&text)), buf_str(&want));
	}
	buf_release(&text);
	buf_release(&out);
	buf_release(&want);
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A quarter of a megabyte of one thing: what a rule that looks too far would take minutes for. */
static void test_redact__time_is_linear_in_hostile_texts(void **state)
{
	static const char *const unit[] = {
		"=",
		":",
		"\"",
		"'",
		"-",
		"--",
		"-----",
		": ",
		"= ",
		"a",
		"_",
		"sw",
		"://",
		"@",
		"a:",
		"a=",
		"\xef\xbc\x9a",
		"password",
		"password=",
		"password:",
		"password=\"",
		"password: \"x",
		"password for ",
		"密码是",
		"contraseña es",
		"PIN:",
		"mnemonic: lamp ",
		"Private-Lines: 9999\n",
		"Private-Lines: 9\nAAAA ",
		" -k \"",
		"token='",
		"token=",
		"token=a.",
		"token=\"\\\"",
		"key=`",
		"://a:",
		"://a:b/",
		"x@",
		"-----BEGIN RSA PRIVATE KEY-----",
		"-----BEGIN RSA PRIVATE KEY-----\n",
		"-----END RSA PRIVATE KEY-----",
		"MIIEpAIBAAKCAQEA1c7+9z5Pad7O\n",
		"MIIEpAIBAAKCAQEA1c7+9z5Pad7O\n-----END RSA PRIVATE KEY-----",
		"ghp_",
		"sk-",
		"eyJ",
		"eyJ.",
		"AKIAIOSFODNN7EXAMPLE",
		"AKIAIOSFODNN7EXAMPLE ",
		"Cookie: a=",
		"Cookie:",
		"Authorization: Basic ",
		"Authorization: ",
		"$2b$",
		"$",
		"$2b$12$aaaaaaaaaaaaaaaaaaaaaaa ",
		"value: name: ",
		"--password ",
		"--password x ",
		"-p ",
		"sshpass -p ",
		"curl -u a:b ",
		"<token>",
		"<password>",
		"password ",
		"password is ",
		" \t",
		"\x1b[",
		"\x1b[32m",
		"mot de passe",
		"密码",
		"пароль",
		"A.a-",
		"a.b.c.d",
		"hvs.",
		"atlasv1.",
		"aaaaaaaaaaaaaaaa.",
		"[redacted:x]",
		"password=[redacted:",
		"\\",
		"\\\"",
		"token=\\\"",
		"a\n",
		"token:\n",
		"0123456789:AA"};
	struct buf text = BUF_INIT(TEXT_MAX), out = BUF_INIT(TEXT_MAX);

	(void)state;
	for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++) {
		int64_t start;

		buf_reset(&text);
		while (text.n < HOSTILE_BYTES)
			buf_add(&text, str_of(unit[i]));
		start = cpu_ns();
		redacted(&out, buf_str(&text));
		start = cpu_ns() - start;
		if (getenv("VERBOSE"))
			print_message("%6lld us %s\n", (long long)start / 1000, unit[i]);
		if (start > HOSTILE_NS)
			print_message("%lld ms: %s\n", (long long)start / 1000000,
				      unit[i]);
		assert_true(start <=
			    4000000000); /* under a sanitizer and valgrind as well */
		same_again(buf_str(&out), str_of(unit[i]));
	}
	buf_release(&text);
	buf_release(&out);
}

static void test_redact__counts_what_it_replaced_and_keeps_to_the_limit(void **state)
{
	struct buf b = BUF_INIT(10), none = BUF_INIT(0);

	(void)state;
	assert_int_equal(redact(&b, STR("a password=hunter2 token=0a1b2c3d")), 2);
	assert_true(b.full);
	assert_true(b.n <= 10);
	assert_int_equal(redact(&none, STR("")), 0);
	assert_false(none.full);
	assert_int_equal(redact(&none, STR_NONE), 0);
	buf_release(&b);
	buf_release(&none);
}

static void test_redact__environment_files_are_known_by_name(void **state)
{
	static const char *const yes[] = {".env",
					  "/a/.env",
					  ".env.local",
					  "prod.env",
					  ".netrc",
					  "a/_netrc",
					  ".pgpass",
					  ".envrc",
					  "/home/x/.aws/credentials",
					  ".git-credentials"};
	static const char *const no[] = {
		"",         "env",        "environment",    ".environment",
		"x.env.ts", "a/.env/b.c", "credentials.go", "src/env.rs",
		".environ"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_true(redact_is_env_file(str_of(yes[i])));
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_false(redact_is_env_file(str_of(no[i])));
}

static void assert_file(const char *path, const char *text, const char *want)
{
	struct buf b = BUF_INIT(TEXT_MAX), again = BUF_INIT(TEXT_MAX);

	redact_file(&b, str_of(path), str_of(text));
	assert_str(buf_str(&b), str_of(want));
	redact_file(&again, str_of(path), buf_str(&b));
	assert_str(buf_str(&again), str_of(want));
	buf_release(&b);
	buf_release(&again);
}

static void test_redact__every_value_of_an_environment_file_goes(void **state)
{
	(void)state;
	assert_file(
		"/app/.env",
		"# see password=hunter2\nTZ=UTC\nexport NAME=\"two words\"\n\nEMPTY=\nA = b # c\r\nlast='x'",
		"# see password=[redacted:password]\nTZ=[redacted:env]\nexport NAME=\"[redacted:env]\"\n\n"
		"EMPTY=\nA = [redacted:env]\r\nlast='[redacted:env]'");
	assert_file(".env", "     1\xe2\x86\x92TZ=UTC\n    12\tX=1\n",
		    "     1\xe2\x86\x92TZ=[redacted:env]\n    12\tX=[redacted:env]\n");
	assert_file("a.env", "12\nnot an assignment\n", "12\nnot an assignment\n");
	assert_file(
		".aws/credentials",
		"[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\nregion=eu\n",
		"[default]\naws_access_key_id = [redacted:env]\nregion=[redacted:env]\n");
	assert_file(
		".netrc", "machine h login bob password geheim\n  password x account y\n",
		"machine h login bob password [redacted:env]\n  password [redacted:env] account [redacted:env]\n");
	assert_file(".pgpass", "host:5432:db:user:geheim\n",
		    "host:5432:db:user:[redacted:env]\n");
	assert_file(".git-credentials", "https://bob:geheim@example.com\n",
		    "https://bob:[redacted:url-password]@example.com\n");
	assert_file("main.c", "TZ=UTC\npassword=hunter2\n",
		    "TZ=UTC\npassword=[redacted:password]\n");
}

static void assert_show(const char *text, bool oneline, const char *want)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	redact_show(&b, str_of(text), oneline);
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
}

static void test_redact__show_redacts_first_and_then_makes_safe(void **state)
{
	(void)state;
	assert_show("plain\ntext", false, "plain\ntext");
	assert_show("plain\n\ttext ", true, "plain text");
	assert_show("a\x07 password: hunter2\nb", false,
		    "a\\x07 password: [redacted:password]\nb");
	assert_show("password: hunter2\nnext", true,
		    "password: [redacted:password] next");
	assert_show(
		"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----\nx",
		true, "[redacted:private-key] x");
	/* colours inside a name or a value do not hide it */
	assert_show("\x1b[32mpass\x1b[0mword\x1b[0m: hun\x1b[1mter2\x1b[0m\n", false,
		    "password: [redacted:password]\n");
	assert_show("gh\x1b[31mp_16C7e42F292c6912E7710c838347Ae178B4a", true,
		    "[redacted:github-token]");
	assert_show("\xff password=\xff\xfe", false,
		    "\xef\xbf\xbd password=[redacted:password]");
	assert_show("", false, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_redact__cases_give_their_expected_output),
		cmocka_unit_test(test_redact__twice_is_once),
		cmocka_unit_test(test_redact__a_text_cut_at_every_byte_stays_stable),
		cmocka_unit_test(test_redact__a_secret_is_found_at_every_offset),
		cmocka_unit_test(test_redact__every_name_gets_through_to_its_value),
		cmocka_unit_test(test_redact__every_provider_is_known_by_its_prefix),
		cmocka_unit_test(test_redact__time_is_linear_in_hostile_texts),
		cmocka_unit_test(
			test_redact__counts_what_it_replaced_and_keeps_to_the_limit),
		cmocka_unit_test(test_redact__environment_files_are_known_by_name),
		cmocka_unit_test(test_redact__every_value_of_an_environment_file_goes),
		cmocka_unit_test(test_redact__show_redacts_first_and_then_makes_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
