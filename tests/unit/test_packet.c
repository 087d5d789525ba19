#include "recorded.h"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/index.h"

static struct packet made(const struct record_store *s, struct packet_new n)
{
	struct packet p;
	struct err e = ERR_INIT;

	if (!n.summary.n)
		n.summary = STR("go on");
	if (packet_create(s, &n, &p, &e))
		fail_msg("%s", e.msg);
	return p;
}

/* Create one and forget it; its id stays in a buffer of its own. */
static const char *create(const struct record_store *s, struct packet_new n)
{
	static char ids[16][PACKET_ID_BYTES];
	static int next;
	struct packet p = made(s, n);
	char *id = ids[next++ % 16];

	memcpy(id, p.id, PACKET_ID_BYTES);
	packet_release(&p);
	return id;
}

static const char *create_nth(const struct record_store *s, int n)
{
	char summary[32];

	snprintf(summary, sizeof(summary), "go on with %d", n);
	return create(s, (struct packet_new){.summary = str_of(summary)});
}

/* What pickup gives: its id, or the message. */
static void pickup_is(const struct record_store *s, struct packet_ask ask,
		      const char *want)
{
	struct err e = ERR_INIT;
	struct packet p;
	int ret = packet_pickup(s, &ask, &p, &e);

	assert_string_equal(ret ? e.msg : p.id, want);
	packet_release(&p);
}

static void test_packet__what_is_written_reads_back(void **state)
{
	str done[] = {STR("crawled")}, next[] = {STR("first"), STR(" "), STR("second")};
	struct packet_ref ref = {.scope = STR("a"), .key = STR("k")};
	struct recorded r;
	struct packet p, back;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "1", 0.7);
	p = made(&r.s, (struct packet_new){.summary = STR("Two \x1b[31mlistings"),
					   .to = STR("executor"),
					   .done = done,
					   .ndone = 1,
					   .next = next,
					   .nnext = 3,
					   .refs = &ref,
					   .nrefs = 1});
	assert_true(packet_id_ok(str_of(p.id)));
	assert_int_equal(packet_read(&r.s, str_of(p.id), &back, NULL), 0);
	assert_false(back.corrupt || back.torn);
	assert_int_equal(back.status, PACKET_WAITING);
	assert_str(back.summary, STR("Two listings"));
	assert_str(back.from, STR("scout"));
	assert_str(back.session, STR("s1"));
	assert_str(back.to, STR("executor"));
	assert_str(back.created_at, STR("2026-02-12T18:00:00.000Z"));
	/* a blank line is none */
	assert_true(str_find(buf_str(&back.text), STR("\"first\",\n    \"second\"")) !=
		    STR_NPOS);
	packet_release(&p);
	packet_release(&back);
	recorded_close(&r);
}

static void
test_packet__a_pin_must_exist_and_without_a_version_is_the_current_one(void **state)
{
	struct packet_ref ref = {.scope = STR("a/k"), .version = 2};
	struct packet_new n = {.summary = STR("x"), .refs = &ref, .nrefs = 1};
	struct err e = ERR_INIT;
	struct recorded r;
	struct packet p;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/k", "1", 0.7);
	assert_int_equal(packet_create(&r.s, &n, &p, &e), HF_ENOTFOUND);
	assert_string_equal(e.msg, "a/k has no version 2; the newest is 1");
	packet_release(&p);
	assert_int_equal(test_entries("vault/_packets"), -1);
	ref.version = 0;
	p = made(&r.s, n);
	assert_true(str_find(buf_str(&p.text), STR("\"version\": 1")) != STR_NPOS);
	packet_release(&p);
	recorded_close(&r);
}

static void test_packet__a_blank_summary_and_too_much_are_refused(void **state)
{
	struct packet_new n = {.summary = STR(" \n")};
	struct buf big = BUF_INIT(1 << 20);
	struct err e = ERR_INIT;
	struct recorded r;
	struct packet p;
	str items[PACKET_LIST_MAX + 1];

	(void)state;
	recorded_open(&r);
	assert_int_equal(packet_create(&r.s, &n, &p, &e), HF_EUSAGE);
	packet_release(&p);
	buf_fill(&big, 'x', PACKET_ITEM_MAX + 1);
	for (size_t i = 0; i <= PACKET_LIST_MAX; i++)
		items[i] = STR("x");
	n = (struct packet_new){
		.summary = STR("x"), .next = items, .nnext = PACKET_LIST_MAX + 1};
	assert_int_equal(packet_create(&r.s, &n, &p, NULL), HF_ELIMIT);
	packet_release(&p);
	items[0] = buf_str(&big);
	n.nnext = 1;
	assert_int_equal(packet_create(&r.s, &n, &p, NULL), HF_ELIMIT);
	packet_release(&p);
	assert_int_equal(test_entries("vault/_packets"), -1);
	buf_release(&big);
	recorded_close(&r);
}

static void test_packet__addressed_first_then_oldest_and_never_ones_own(void **state)
{
	struct record_store mine_later;
	struct recorded r;
	const char *old, *own, *addressed, *elsewhere;

	(void)state;
	recorded_open(&r);
	old = create(&r.s, (struct packet_new){0});
	setenv("HANDOFF_NOW", "2026-02-12T18:00:01Z", 1);
	own = create(&r.other, (struct packet_new){0});
	elsewhere = create(&r.s, (struct packet_new){.to = STR("somebody")});
	addressed = create(&r.s, (struct packet_new){.to = STR("executor")});
	pickup_is(&r.other, (struct packet_ask){0}, addressed);
	pickup_is(&r.other, (struct packet_ask){0}, old);
	/* nothing more: its own is not for itself; what it has in hand comes again */
	{
		struct packet_ask ask = {0};
		struct packet p;

		assert_int_equal(packet_pickup(&r.other, &ask, &p, NULL), 0);
		assert_true(p.again);
		packet_release(&p);
	}
	/* the same agent in another session is another */
	mine_later = r.other;
	mine_later.session = "s3";
	pickup_is(&mine_later, (struct packet_ask){0}, own);
	pickup_is(&r.other, (struct packet_ask){.id = str_of(elsewhere)}, ({
		static char want[80];
		snprintf(want, sizeof(want), "%s waits for somebody, not for executor",
			 elsewhere);
		want;
	}));
	recorded_close(&r);
}

static void test_packet__a_filter_by_writer_holds(void **state)
{
	struct record_store third;
	struct recorded r;
	const char *two;

	(void)state;
	recorded_open(&r);
	create(&r.s, (struct packet_new){0});
	two = create(&r.other, (struct packet_new){0});
	third = (struct record_store){
		.vault = &r.vault, .agent = "third", .session = "s9"};
	pickup_is(&third, (struct packet_ask){.from = STR("executor")}, two);
	pickup_is(&third, (struct packet_ask){.from = STR("nobody")},
		  "no packet waits for third");
	recorded_close(&r);
}

static void test_packet__one_wins_and_the_other_is_told_who(void **state)
{
	struct record_store third;
	struct packet_ask ask = {0};
	struct recorded r;
	struct packet p;
	const char *id;

	(void)state;
	recorded_open(&r);
	id = create(&r.s, (struct packet_new){0});
	pickup_is(&r.other, ask, id);
	third = (struct record_store){
		.vault = &r.vault, .agent = "third", .session = "s9"};
	pickup_is(&third, ask, "no packet waits for third");
	ask.id = str_of(id);
	assert_int_equal(packet_pickup(&third, &ask, &p, NULL), 0);
	assert_true(p.taken);
	assert_string_equal(p.by, "executor");
	assert_string_equal(p.at, "2026-02-12T18:00:00.000Z");
	assert_non_null(p.body);
	packet_release(&p);
	ask.close = true;
	assert_int_equal(packet_pickup(&third, &ask, &p, NULL), HF_EUSAGE);
	packet_release(&p);
	recorded_close(&r);
}

static void test_packet__processes_at_once_take_each_packet_once(void **state)
{
	enum { PACKETS = 6, TAKERS = 4 };
	struct recorded r;
	int got = 0;

	(void)state;
	recorded_open(&r);
	for (int i = 0; i < PACKETS; i++)
		create_nth(&r.s, i);
	for (int w = 0; w < TAKERS; w++) {
		if (fork() == 0) {
			struct packet_ask ask = {0};
			struct vault own;
			char name[32];
			struct record_store s = {.vault = &own, .agent = name};
			int n = 0;

			snprintf(name, sizeof(name), "taker%d", w);
			if (vault_open(&own, r.vault.root, NULL))
				_exit(99);
			for (;;) {
				struct packet p;
				int ret = packet_pickup(&s, &ask, &p, NULL);

				packet_release(&p);
				if (ret)
					break;
				n++;
			}
			_exit(n);
		}
	}
	for (int w = 0; w < TAKERS; w++) {
		int status;

		assert_true(wait(&status) > 0 && WIFEXITED(status));
		got += WEXITSTATUS(status);
	}
	assert_int_equal(got, PACKETS);
	assert_true(recorded_finds(&r.s, 0));
	recorded_close(&r);
}

static void test_packet__after_a_crash_it_comes_again_by_its_id(void **state)
{
	struct record_store later;
	struct recorded r;
	char want[200];
	struct packet p;
	const char *id;

	(void)state;
	recorded_open(&r);
	id = create(&r.s, (struct packet_new){0});
	pickup_is(&r.other, (struct packet_ask){0}, id);
	later = (struct record_store){
		.vault = &r.vault, .agent = "executor", .session = "s7"};
	snprintf(
		want, sizeof(want),
		"no packet waits for executor; %s was picked up by executor in another session and "
		"is not closed: pick it up again by its id",
		id);
	pickup_is(&later, (struct packet_ask){0}, want);
	assert_int_equal(
		packet_pickup(&later, &(struct packet_ask){.id = str_of(id)}, &p, NULL),
		0);
	assert_true(p.again && !p.taken);
	packet_release(&p);
	recorded_close(&r);
}

static void test_packet__peeking_takes_nothing_and_closing_ends_it(void **state)
{
	struct recorded r;
	struct packet p;
	const char *id;

	(void)state;
	recorded_open(&r);
	id = create(&r.s, (struct packet_new){0});
	pickup_is(&r.other, (struct packet_ask){.peek = true}, id);
	packet_read(&r.s, str_of(id), &p, NULL);
	assert_int_equal(p.status, PACKET_WAITING);
	packet_release(&p);
	pickup_is(&r.other, (struct packet_ask){.id = str_of(id), .close = true}, id);
	packet_read(&r.s, str_of(id), &p, NULL);
	assert_int_equal(p.status, PACKET_CLOSED);
	assert_string_equal(p.by, "executor");
	packet_release(&p);
	pickup_is(&r.other, (struct packet_ask){0}, "no packet waits for executor");
	recorded_close(&r);
}

static void
test_packet__handing_back_closes_the_parent_and_carries_its_hazards(void **state)
{
	str hazards[] = {STR("never apply twice"), STR("ask before paying")};
	str more[] = {STR("ask before paying"), STR("the board is down")};
	struct recorded r;
	struct packet p;
	const char *id;
	str text;

	(void)state;
	recorded_open(&r);
	id = create(&r.s, (struct packet_new){.hazards = hazards, .nhazards = 2});
	pickup_is(&r.other, (struct packet_ask){0}, id);
	p = made(&r.other, (struct packet_new){
				   .parent = str_of(id), .hazards = more, .nhazards = 2});
	assert_str(p.parent, str_of(id));
	text = buf_str(&p.text);
	assert_true(
		str_find(text, STR("\"never apply twice\",\n    \"ask before paying\",\n"
				   "    \"the board is down\"\n")) != STR_NPOS);
	packet_release(&p);
	packet_read(&r.s, str_of(id), &p, NULL);
	assert_int_equal(p.status, PACKET_CLOSED);
	packet_release(&p);
	assert_true(recorded_finds(&r.s, 0));
	recorded_close(&r);
}

static void test_packet__a_waiting_one_of_ones_own_is_cancelled(void **state)
{
	struct recorded r;
	struct packet p;
	const char *id;

	(void)state;
	recorded_open(&r);
	id = create(&r.s, (struct packet_new){0});
	assert_int_equal(packet_cancel(&r.other, str_of(id), &p, NULL), HF_EUSAGE);
	packet_release(&p);
	assert_int_equal(packet_cancel(&r.s, str_of(id), &p, NULL), 0);
	packet_release(&p);
	pickup_is(&r.other, (struct packet_ask){0}, "no packet waits for executor");
	assert_int_equal(packet_cancel(&r.s, str_of(id), &p, NULL), HF_EUSAGE);
	packet_release(&p);
	recorded_close(&r);
}

struct pins {
	struct buf values, stale;
};

static int one_pin(const struct packet_pin *pin, void *arg)
{
	struct pins *p = arg;

	if (!pin->missing) {
		buf_add(&p->values, str_trim(pin->r.v->value));
		buf_byte(&p->values, ' ');
	}
	packet_stale(pin, &p->stale);
	return 0;
}

static void
test_packet__pinned_versions_are_served_and_what_is_stale_is_said(void **state)
{
	struct packet_ref refs[] = {{.scope = STR("a/moved")},
				    {.scope = STR("a/fell")},
				    {.scope = STR("a/same")},
				    {.scope = STR("a/edited")}};
	struct pins pins = {BUF_INIT(4096), BUF_INIT(4096)};
	struct packet_ask ask = {0};
	struct recorded r;
	struct packet p;

	(void)state;
	recorded_open(&r);
	recorded_write(&r.s, "a/moved", "\"apply\"", 0.7);
	recorded_write(&r.s, "a/fell", "2", 0.6);
	recorded_write(&r.s, "a/same", "3", 0.5);
	recorded_write(&r.s, "a/edited", "\"right\"", 0.5);
	create(&r.s, (struct packet_new){.refs = refs, .nrefs = 4});
	recorded_write(&r.s, "a/moved", "\"maybe\"", 0.5);
	recorded_outcome(&r.s, "a/fell", OUTCOME_FAILURE, 0);
	recorded_edit("vault/_records/a/edited.md", "right", "wrong");
	assert_int_equal(packet_pickup(&r.other, &ask, &p, NULL), 0);
	assert_int_equal(packet_resolve(&r.other, &p, one_pin, &pins, NULL), 0);
	assert_str(buf_str(&pins.values), STR("\"apply\" 2 3 \"wrong\" "));
	assert_str(buf_str(&pins.stale),
		   STR("a/moved was pinned at v1, now at v2\n"
		       "confidence of a/fell v1 fell since it was pinned: 60% -> 39%\n"
		       "a/edited v1 is corrupt: its hashes do not fit\n"));
	packet_release(&p);
	/* staleness is that of the moment */
	buf_reset(&pins.stale);
	recorded_write(&r.s, "a/moved", "\"no\"", 0.5);
	assert_int_equal(remove(test_path("vault/_records/a/same.md")), 0);
	assert_int_equal(packet_pickup(&r.other, &ask, &p, NULL), 0);
	packet_resolve(&r.other, &p, one_pin, &pins, NULL);
	assert_true(str_find(buf_str(&pins.stale),
			     STR("a/moved was pinned at v1, now at v3\n")) != STR_NPOS);
	assert_true(str_find(buf_str(&pins.stale),
			     STR("a/same v1 does not exist (any more)\n")) != STR_NPOS);
	packet_release(&p);
	buf_release(&pins.values);
	buf_release(&pins.stale);
	recorded_close(&r);
}

static void test_packet__an_edited_one_is_not_given_out(void **state)
{
	struct recorded r;
	struct packet p;
	char path[64];
	const char *id;

	(void)state;
	recorded_open(&r);
	id = create(&r.s, (struct packet_new){0});
	snprintf(path, sizeof(path), "vault/_packets/%s.md", id);
	recorded_edit(path, "\"go on\"", "\"rm -rf\"");
	pickup_is(
		&r.other, (struct packet_ask){0},
		"no packet waits for executor; 1 cannot be trusted, see `handoff record verify`");
	assert_int_equal(
		packet_pickup(&r.other, &(struct packet_ask){.id = str_of(id)}, &p, NULL),
		0);
	assert_true(p.corrupt);
	assert_int_equal(p.status, PACKET_WAITING);
	packet_release(&p);
	recorded_close(&r);
}

static void test_packet__cut_at_every_byte_it_is_none_or_the_whole(void **state)
{
	struct recorded r;
	char path[64];
	struct packet p;
	const char *id;
	size_t body;
	str text;

	(void)state;
	recorded_open(&r);
	id = create(&r.s, (struct packet_new){0});
	pickup_is(&r.other, (struct packet_ask){0}, id);
	snprintf(path, sizeof(path), "vault/_packets/%s.md", id);
	text = test_read(path);
	body = str_find(text, STR("<!-- status"));
	for (size_t n = 0; n <= text.n; n++) {
		int ret;

		test_write(path, (str){text.p, n});
		ret = packet_read(&r.s, str_of(id), &p, NULL);
		if (n + 1 < body) {
			assert_int_equal(ret, HF_EFORMAT);
			assert_true(p.torn);
		} else {
			assert_int_equal(ret, 0);
			assert_false(p.corrupt);
			assert_int_equal(p.status, n + 1 < text.n ? PACKET_WAITING
								  : PACKET_PICKED_UP);
		}
		packet_release(&p);
	}
	recorded_close(&r);
}

static void test_packet__whatever_call_fails_it_is_taken_whole_or_waits_on(void **state)
{
	bool met;
	int n = 0;

	(void)state;
	do {
		struct packet_ask ask = {0};
		struct recorded r;
		struct packet p;
		const char *id;
		int ret;

		recorded_open(&r);
		id = create(&r.s, (struct packet_new){0});
		fault_at(++n);
		ret = packet_pickup(&r.other, &ask, &p, NULL);
		met = fault_met();
		fault_off();
		packet_release(&p);
		assert_int_equal(packet_read(&r.s, str_of(id), &p, NULL), 0);
		assert_false(p.corrupt);
		if (!ret)
			assert_int_equal(p.status, PACKET_PICKED_UP);
		packet_release(&p);
		pickup_is(&r.other, (struct packet_ask){.id = str_of(id)}, id);
		recorded_close(&r);
	} while (met);
	assert_true(n > 10);
}

static void test_packet__what_waits_is_offered_a_line_each(void **state)
{
	struct buf b = BUF_INIT(1 << 16), want = BUF_INIT(1 << 16);
	struct recorded r;
	const char *one, *two;

	(void)state;
	recorded_open(&r);
	assert_int_equal(packet_offer(&r.other, 0, &b), 0);
	one = create(&r.s, (struct packet_new){.summary = STR("first\nthing")});
	create(&r.s, (struct packet_new){.to = STR("somebody")});
	create(&r.other, (struct packet_new){0});
	two = create(&r.s, (struct packet_new){.to = STR("executor"),
					       .summary = STR("second")});
	assert_int_equal(packet_offer(&r.other, 0, &b), 2);
	buf_printf(
		&want,
		"- %s from scout, 2026-02-12: second\n- %s from scout, 2026-02-12: first thing\n",
		two, one);
	assert_str(buf_str(&b), buf_str(&want));
	/* no time: nothing is said */
	buf_reset(&b);
	assert_int_equal(packet_offer(&r.other, 1, &b), 0);
	for (int i = 0; i < PACKET_OFFERS_MAX; i++)
		create_nth(&r.s, i);
	assert_int_equal(packet_offer(&r.other, 0, &b), PACKET_OFFERS_MAX + 2);
	buf_release(&b);
	buf_release(&want);
	recorded_close(&r);
}

static int made_old(const char *dir, const char *name, void *arg)
{
	struct timeval long_ago[2] = {{1700000000, 0}, {1700000000, 0}};
	struct buf path = BUF_INIT(4096);

	(void)arg;
	fs_join(&path, str_of(dir), str_of(name));
	assert_int_equal(utimes(buf_cstr(&path), long_ago), 0);
	buf_release(&path);
	return 0;
}

/* As if all packets had been written long ago. */
static void all_old(void)
{
	assert_int_equal(fs_each(test_path("vault/_packets"), made_old, NULL, NULL), 0);
}

/* System calls of a look at what waits. */
static int calls_of_offer(const struct record_store *s, size_t want)
{
	struct buf b = BUF_INIT(1 << 16);
	int calls;

	fault_at(1000000);
	assert_int_equal(packet_offer(s, 0, &b), want);
	calls = fault_calls();
	fault_off();
	buf_release(&b);
	return calls;
}

static void test_packet__files_that_did_not_change_are_not_read_again(void **state)
{
	struct packet_ask ask = {.close = true};
	struct buf list = BUF_INIT(4096);
	const char *id, *last;
	struct recorded r;
	int all, again;

	(void)state;
	recorded_open(&r);
	for (int i = 0; i < 40; i++) {
		id = create_nth(&r.s, i);
		if (i < 39) {
			ask.id = str_of(id);
			pickup_is(&r.other, ask, id);
		}
	}
	last = id;
	all_old();
	all = calls_of_offer(&r.other, 1);
	again = calls_of_offer(&r.other, 1);
	/* opened, looked at, read, closed: no more of that but for the one that is offered */
	assert_true(all - again >= 3 * 39);
	/* what another process does is seen at once */
	ask.id = str_of(last);
	ask.close = false;
	pickup_is(&r.s, ask, last);
	calls_of_offer(&r.other, 0);
	id = create_nth(&r.s, 50);
	calls_of_offer(&r.other, 1);
	pickup_is(&r.other, (struct packet_ask){.peek = true}, id);
	all_old();
	calls_of_offer(&r.other, 1);
	{
		char path[64];

		snprintf(path, sizeof(path), "vault/_packets/%s.md", id);
		assert_int_equal(remove(test_path(path)), 0);
	}
	calls_of_offer(&r.other, 0);
	/* a list that is damaged is none */
	assert_true(index_place(&r.vault, &list));
	buf_add(&list, STR("/packets"));
	assert_true(fs_is_file(buf_cstr(&list)));
	for (int i = 0; i < 3; i++) {
		static const char *const bad[] = {"", "handoff packets 1\nh_1234",
						  "something else\n"};

		test_write(buf_cstr(&list), str_of(bad[i]));
		calls_of_offer(&r.other, 0);
		pickup_is(&r.s, (struct packet_ask){0}, last);
	}
	buf_release(&list);
	recorded_close(&r);
}

static void
test_packet__what_there_was_no_time_for_is_looked_at_the_next_time(void **state)
{
	struct buf b = BUF_INIT(1 << 16);
	struct recorded r;

	(void)state;
	recorded_open(&r);
	for (int i = 0; i < 3; i++)
		create_nth(&r.s, i);
	all_old();
	assert_int_equal(packet_offer(&r.other, 1, &b), 0);
	assert_int_equal(packet_offer(&r.other, 0, &b), 3);
	/* what is known takes none */
	buf_reset(&b);
	assert_int_equal(packet_offer(&r.other, 1, &b), 3);
	create_nth(&r.s, 3);
	assert_int_equal(packet_offer(&r.other, 1, &b), 3);
	buf_release(&b);
	recorded_close(&r);
}

static void test_packet__handed_over_again_it_is_the_same_one(void **state)
{
	struct packet_ref ref = {.scope = STR("a"), .key = STR("k")};
	str next[] = {STR("draft"), STR("send")};
	struct packet_new n = {.summary = STR("two\nlistings"),
			       .next = next,
			       .nnext = 2,
			       .refs = &ref,
			       .nrefs = 1};
	struct record_store later = {.agent = "scout", .session = "s3"},
			    nobody = {.agent = "scout", .session = ""};
	struct recorded r;
	struct packet p;
	char id[PACKET_ID_BYTES];

	(void)state;
	recorded_open(&r);
	later.vault = nobody.vault = &r.vault;
	recorded_write(&r.s, "a/k", "1", 0.5);
	p = made(&r.s, n);
	assert_false(p.repeated);
	memcpy(id, p.id, sizeof(id));
	packet_release(&p);
	setenv("HANDOFF_NOW", "2026-02-12T18:30:00Z", 1);
	p = made(&r.s, n);
	assert_true(p.repeated);
	assert_string_equal(p.id, id);
	assert_str(p.created_at, STR("2026-02-12T18:00:00.000Z"));
	packet_release(&p);
	/* by another agent, in another session, or in none that is known */
	assert_string_not_equal(create(&r.other, n), id);
	assert_string_not_equal(create(&later, n), id);
	assert_string_not_equal(create(&nobody, n), create(&nobody, n));
	/* it says something else */
	n.nnext = 1;
	assert_string_not_equal(create(&r.s, n), id);
	n.nnext = 2;
	/* it pins something else */
	recorded_write(&r.s, "a/k", "2", 0.5);
	assert_string_not_equal(create(&r.s, n), id);
	ref.version = 1;
	assert_string_equal(create(&r.s, n), id);
	/* it was picked up: this is more work of the same kind */
	pickup_is(&r.other, (struct packet_ask){.id = str_of(id)}, id);
	assert_string_not_equal(create(&r.s, n), id);
	assert_true(recorded_finds(&r.s, 0));
	recorded_close(&r);
}

static void test_packet__an_answer_that_was_cut_off_closes_what_it_answers(void **state)
{
	struct packet_new n = {.summary = STR("done")};
	struct recorded r;
	struct packet p;
	const char *id, *answer;
	char path[64];
	str open;

	(void)state;
	recorded_open(&r);
	id = create(&r.s, (struct packet_new){0});
	pickup_is(&r.other, (struct packet_ask){.id = str_of(id)}, id);
	snprintf(path, sizeof(path), "vault/_packets/%s.md", id ? id : "");
	open = test_read(path);
	n.parent = str_of(id);
	answer = create(&r.other, n);
	/* as if the process had died between the two */
	test_write(path, open);
	assert_string_equal(create(&r.other, n), answer);
	assert_int_equal(packet_read(&r.s, str_of(id), &p, NULL), 0);
	assert_int_equal(p.status, PACKET_CLOSED);
	packet_release(&p);
	recorded_close(&r);
}

static void test_packet__no_secret_is_handed_over(void **state)
{
	str next[] = {STR("use ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789")};
	struct recorded r;
	struct packet p;

	(void)state;
	recorded_open(&r);
	p = made(&r.s,
		 (struct packet_new){
			 .summary = STR(
				 "key sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"),
			 .next = next,
			 .nnext = 1});
	assert_int_equal(p.secrets, 2);
	assert_true(str_find(buf_str(&p.text), STR("AbCdEfGh")) == STR_NPOS);
	packet_release(&p);
	recorded_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packet__what_is_written_reads_back),
		cmocka_unit_test(
			test_packet__a_pin_must_exist_and_without_a_version_is_the_current_one),
		cmocka_unit_test(test_packet__a_blank_summary_and_too_much_are_refused),
		cmocka_unit_test(
			test_packet__addressed_first_then_oldest_and_never_ones_own),
		cmocka_unit_test(test_packet__a_filter_by_writer_holds),
		cmocka_unit_test(test_packet__one_wins_and_the_other_is_told_who),
		cmocka_unit_test(test_packet__processes_at_once_take_each_packet_once),
		cmocka_unit_test(test_packet__after_a_crash_it_comes_again_by_its_id),
		cmocka_unit_test(test_packet__peeking_takes_nothing_and_closing_ends_it),
		cmocka_unit_test(
			test_packet__handing_back_closes_the_parent_and_carries_its_hazards),
		cmocka_unit_test(test_packet__a_waiting_one_of_ones_own_is_cancelled),
		cmocka_unit_test(
			test_packet__pinned_versions_are_served_and_what_is_stale_is_said),
		cmocka_unit_test(test_packet__an_edited_one_is_not_given_out),
		cmocka_unit_test(test_packet__cut_at_every_byte_it_is_none_or_the_whole),
		cmocka_unit_test(
			test_packet__whatever_call_fails_it_is_taken_whole_or_waits_on),
		cmocka_unit_test(test_packet__what_waits_is_offered_a_line_each),
		cmocka_unit_test(
			test_packet__files_that_did_not_change_are_not_read_again),
		cmocka_unit_test(
			test_packet__what_there_was_no_time_for_is_looked_at_the_next_time),
		cmocka_unit_test(test_packet__handed_over_again_it_is_the_same_one),
		cmocka_unit_test(
			test_packet__an_answer_that_was_cut_off_closes_what_it_answers),
		cmocka_unit_test(test_packet__no_secret_is_handed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
