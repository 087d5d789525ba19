#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

#include "work/secret.h"

static void assert_rank(const char *text, enum secret_rank rank)
{
	struct secret_name n;
	bool found = secret_name(str_of(text), &n);

	if (n.rank != rank)
		print_message("%s: rank %d, not %d\n", text, n.rank, rank);
	assert_int_equal(n.rank, rank);
	assert_int_equal(found, rank != SECRET_NONE);
}

static void test_secret__last_parts_of_a_name_decide(void **state)
{
	static const struct {
		const char *name;
		enum secret_rank rank;
	} table[] = {
		{"password", SECRET_PASSWORD},
		{"Password", SECRET_PASSWORD},
		{"DB_PASS", SECRET_PASSWORD},
		{"db-password", SECRET_PASSWORD},
		{"dbPassword", SECRET_PASSWORD},
		{"PGPASSWORD", SECRET_PASSWORD},
		{"password2", SECRET_PASSWORD},
		{"password_old_2", SECRET_PASSWORD},
		{"spring.datasource.password", SECRET_PASSWORD},
		{"--from-literal=password", SECRET_PASSWORD},
		{"passphrase", SECRET_PASSWORD},
		{"apiKey", SECRET_TOKEN},
		{"APIKey", SECRET_TOKEN},
		{"API_KEY", SECRET_TOKEN},
		{"x-api-key", SECRET_TOKEN},
		{"githubtoken", SECRET_TOKEN},
		{"API_KEY_PROD", SECRET_TOKEN},
		{"client_secret", SECRET_TOKEN},
		{"Authorization", SECRET_TOKEN},
		{"API key", SECRET_TOKEN},
		{"key", SECRET_WEAK},
		{"session_id", SECRET_WEAK},
		{"PHPSESSID", SECRET_WEAK},
		{"password_hash", SECRET_WEAK},
		{"getPassword", SECRET_WEAK},
		{"SOME_KEY", SECRET_WEAK},
		{"", SECRET_NONE},
		{"_", SECRET_NONE},
		{"42", SECRET_NONE},
		{"PWD", SECRET_NONE},
		{"passwordField", SECRET_NONE},
		{"password_file", SECRET_NONE},
		{"password123Field", SECRET_NONE},
		{"tokens", SECRET_NONE},
		{"tokenizer", SECRET_NONE},
		{"compass", SECRET_NONE},
		{"bypass", SECRET_NONE},
		{"author", SECRET_NONE},
		{"monkey", SECRET_NONE},
		{"primaryKey", SECRET_NONE},
		{"PUBLIC_KEY", SECRET_NONE},
		{"user_id", SECRET_NONE},
		{"secretName", SECRET_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_rank(table[i].name, table[i].rank);
}

static void test_secret__names_of_other_languages_are_whole_words(void **state)
{
	(void)state;
	assert_rank("пароль", SECRET_PASSWORD);
	assert_rank("ПАРОЛЬ", SECRET_PASSWORD);
	assert_rank("Новый пароль", SECRET_PASSWORD);
	assert_rank("непароль", SECRET_NONE);
	assert_rank("паролька", SECRET_NONE);
	assert_rank("contraseña", SECRET_PASSWORD);
	assert_rank("Contraseña", SECRET_PASSWORD);
	assert_rank("mot de passe", SECRET_PASSWORD);
	assert_rank("数据库密码", SECRET_PASSWORD);
	assert_rank("数据库password", SECRET_PASSWORD);
	assert_rank("éтpassword", SECRET_NONE);
	assert_rank("2\xe2\x86\x92"
		    "DB_PASS",
		    SECRET_PASSWORD);
	assert_rank("\xe2\x80\x9cpassword", SECRET_PASSWORD);
	assert_rank("\xff\xfe", SECRET_NONE);
	assert_rank("\x8c\xd1\x8c", SECRET_NONE);
}

static void test_secret__says_where_a_name_begins_and_what_it_is(void **state)
{
	struct secret_name n;

	(void)state;
	assert_true(secret_name(STR("export DB_PASS"), &n));
	assert_int_equal(n.from, 7);
	assert_true(n.env && !n.bare && n.pass);
	assert_true(secret_name(STR("the API key"), &n));
	assert_int_equal(n.from, 4);
	assert_true(secret_name(STR("Set-Cookie"), &n));
	assert_true(n.header && n.cookie);
	assert_true(secret_name(STR("数据库密码"), &n));
	assert_true(n.cjk);
	assert_true(secret_name(STR("Proxy-Authorization"), &n));
	assert_true(n.auth);
}

static void assert_random(const char *value, bool want)
{
	bool is = secret_random(str_of(value));

	if (is != want)
		print_message("%s\n", value);
	assert_int_equal(is, want);
}

static void test_secret__random_values_are_told_from_names(void **state)
{
	static const char *const yes[] = {
		"50aaed0f11abc.ZpSh99Qx",
		"8f7d6e5c4b3a2918",
		"AbCdEfGhIjKlMnOpQrStUvWxYz012345",
		"qwzxkjhgfdsapoiuytrewq",
		"550e8400-e29b-41d4-a716-446655440000",
		"abcdefghijklmnopqrstuvwxyz",
		"9f86d081884c7d659a2feaa0c55ad015",
		"Zm9vYmFyYmF6cXV4Zm9v",
	};
	static const char *const no[] = {
		"",
		"password",
		"getPasswordFromKeychain",
		"user_password_reset_token",
		"my-app-secret-name",
		"sha256sum",
		"utf8mb4_unicode_ci",
		"oauth2_client_credentials",
		"XMLHttpRequest",
		"application/json",
		"2026-01-21T10:20:30.123Z",
		"v1.2.3-beta.4",
		"12345678901234567890",
		"Geschwindigkeitsbegrenzung",
		"contrasena_del_usuario",
		"internationalization",
		"s3_bucket_name",
		"localhost:8080",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		assert_random(yes[i], true);
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		assert_random(no[i], false);
	}
}

static void test_secret__most_random_values_count_as_random(void **state)
{
	static const char *const sets[] = {
		"0123456789abcdef",
		"abcdefghijklmnopqrstuvwxyz0123456789",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	};
	char value[33] = {0};

	(void)state;
	srand(1);
	for (size_t k = 0; k < sizeof(sets) / sizeof(*sets); k++) {
		int missed = 0;

		for (int round = 0; round < 1000; round++) {
			for (size_t i = 0; i < 32; i++)
				value[i] = sets[k][(size_t)rand() % strlen(sets[k])];
			missed += !secret_random(STR(value));
		}
		assert_true(missed < 10);
	}
}

static void test_secret__placeholders_and_remarks_are_no_values(void **state)
{
	static const char *const stand_in[] = {
		"",
		"${X}",
		"$X",
		"<token>",
		"{{ x }}",
		"%s",
		"xxxx",
		"****",
		"...",
		"YOUR_API_KEY",
		"your-key-here",
		"[redacted:password]",
		"sk-...",
		"a${B}c",
		"#{x}",
		"x[redacted:jwt]y",
		"(none)",
	};
	static const char *const real[] = {
		"hunter2",
		"geheim",
		"a",
		"$2b$12$abcdefghijklmnopqrstuu",
		"p@ss",
		"1111",
		"xYourZ8f7d6e5c4b3a2918",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stand_in) / sizeof(*stand_in); i++)
		assert_true(secret_placeholder(str_of(stand_in[i])));
	for (size_t i = 0; i < sizeof(real) / sizeof(*real); i++)
		assert_false(secret_placeholder(str_of(real[i])));
	assert_true(secret_plain_word(STR("None"), false));
	assert_true(secret_plain_word(STR("None"), true));
	assert_true(secret_plain_word(STR("data"), false));
	assert_false(secret_plain_word(STR("data"), true));
	assert_false(secret_plain_word(STR("hunter"), false));
	assert_true(secret_names_one(STR("new_password")));
	assert_true(secret_names_one(STR("DB_PASSWORD")));
	assert_true(secret_names_one(STR("accessToken")));
	assert_false(secret_names_one(STR("hunter")));
	assert_false(secret_names_one(STR("a;password")));
	assert_true(secret_is_uuid(STR("550e8400-e29b-41d4-a716-446655440000")));
	assert_false(secret_is_uuid(STR("550e8400-e29b-41d4-a716-44665544000g")));
	assert_false(secret_is_uuid(STR("550e8400+e29b-41d4-a716-446655440000")));
	assert_false(secret_is_uuid(STR("550e8400")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_secret__last_parts_of_a_name_decide),
		cmocka_unit_test(test_secret__names_of_other_languages_are_whole_words),
		cmocka_unit_test(test_secret__says_where_a_name_begins_and_what_it_is),
		cmocka_unit_test(test_secret__random_values_are_told_from_names),
		cmocka_unit_test(test_secret__most_random_values_count_as_random),
		cmocka_unit_test(test_secret__placeholders_and_remarks_are_no_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
