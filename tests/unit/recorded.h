/*
 * recorded: a vault of records for tests: two writers, short ways to write, read and look.
 */
#ifndef UNIT_RECORDED_H
#define UNIT_RECORDED_H

#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fs.h"
#include "work/packet.h"
#include "work/record.h"
#include "work/verify.h"

struct recorded {
	struct vault vault;
	struct record_store s, other; /* scout in session s1; executor in session s2 */
};

static inline void recorded_open(struct recorded *r)
{
	test_dir();
	setenv("HANDOFF_NOW", "2026-02-12T18:00:00Z", 1);
	assert_int_equal(vault_open(&r->vault, test_path("vault"), NULL), 0);
	r->s = (struct record_store){
		.vault = &r->vault, .agent = "scout", .session = "s1"};
	r->other = (struct record_store){
		.vault = &r->vault, .agent = "executor", .session = "s2"};
}

static inline void recorded_close(struct recorded *r)
{
	vault_release(&r->vault);
}

static inline int recorded_write(const struct record_store *s, const char *at,
				 const char *json, double confidence)
{
	struct record_new n = {.value = str_of(json), .confidence = confidence};
	struct record_done d;
	struct err e = ERR_INIT;
	struct address a;
	int ret;

	assert_int_equal(address_of(&a, str_of(at), STR_NONE, NULL), 0);
	ret = record_write(s, &a, &n, &d, &e);
	if (!ret)
		ret = (int)d.version;
	record_done_release(&d);
	address_release(&a);
	return ret;
}

/* The record, to be released; fails the test when it is not there. */
static inline struct record_view recorded_read(const struct record_store *s,
					       const char *at, uint64_t version)
{
	struct err e = ERR_INIT;
	struct address a;
	struct record_view r;

	assert_int_equal(address_of(&a, str_of(at), STR_NONE, NULL), 0);
	if (record_read(s, &a, version, STR_NONE, &r, &e))
		fail_msg("%s", e.msg);
	address_release(&a);
	return r;
}

static inline bool recorded_is(const struct record_store *s, const char *at,
			       uint64_t version, const char *json)
{
	struct record_view r = recorded_read(s, at, version);
	struct buf b = BUF_INIT(1 << 20);
	bool is;

	buf_add(&b, str_trim(r.v->value));
	is = str_eq(buf_str(&b), str_of(json));
	if (!is)
		printf("value: %s\n", buf_cstr(&b));
	buf_release(&b);
	record_release(&r);
	return is;
}

static inline double recorded_confidence(const struct record_store *s, const char *at)
{
	struct record_view r = recorded_read(s, at, 0);
	double c = r.state.confidence;

	record_release(&r);
	return c;
}

static inline int recorded_outcome(const struct record_store *s, const char *at,
				   enum outcome_kind kind, uint64_t version)
{
	struct record_outcome o = {.kind = kind, .version = version};
	struct record_moved m;
	struct address a;
	int ret;

	assert_int_equal(address_of(&a, str_of(at), STR_NONE, NULL), 0);
	ret = record_report(s, &a, &o, &m, NULL);
	address_release(&a);
	return ret;
}

static inline struct verify recorded_verify(const struct record_store *s)
{
	struct verify_options o = {.check = true};
	struct verify v;

	assert_int_equal(verify_run(s, &o, &v, NULL), 0);
	return v;
}

/* Exactly these findings (a bit each, 1 << VERIFY_*). */
static inline bool recorded_finds(const struct record_store *s, unsigned kinds)
{
	struct verify v = recorded_verify(s);
	unsigned got = 0;

	for (int k = 0; k < VERIFY_KINDS; k++)
		if (v.findings[k])
			got |= 1u << k;
	if (got != kinds)
		for (int k = 0; k < VERIFY_KINDS; k++)
			if (v.findings[k])
				printf("found: %s\n",
				       verify_kind_name((enum verify_kind)k));
	verify_release(&v);
	return got == kinds;
}

/* Replace the first `from` in a file by `to`; fails when there is none. */
static inline void recorded_edit(const char *path, const char *from, const char *to)
{
	str text = test_read(path);
	size_t at = str_find(text, str_of(from));
	struct buf b = BUF_INIT(1 << 24);

	assert_true(at != STR_NPOS);
	buf_add(&b, str_head(text, at));
	buf_add(&b, str_of(to));
	buf_add(&b, str_from(text, at + strlen(from)));
	test_write(path, buf_str(&b));
	buf_release(&b);
}

#endif
