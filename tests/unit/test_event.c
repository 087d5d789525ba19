#include "fault.h"

#include <stdio.h>
#include <string.h>

#include "data/event.h"

#define DOT "\xc2\xb7"

static const char first[] =
	"---\n"
	"id: s_20260103T090000_0a1b2c\n"
	"project: lantern\n"
	"started_at: 2026-01-03T09:00:00.250000+00:00\n"
	"status: done\n"
	"summary: Picked the log format\n"
	"---\n"
	"\n"
	"# Session s_20260103T090000_0a1b2c \xe2\x80\x94 lantern\n"
	"\n"
	"## Log\n"
	"\n"
	"- **[goal]** (imp:5 " DOT
	" 2026-01-03T09:00:00.251000+00:00) Ship the lantern CLI. <!-- id=ev_00000001 -->\n"
	"- **[decision]** (imp:3 " DOT
	" 2026-01-03T09:05:00+00:00) Keep readings in CSV. <!-- id=ev_00000002 -->\n"
	"- **[next_step]** (imp:4 " DOT
	" 2026-01-03T09:10:00+00:00) Write the CSV reader. <!-- id=ev_00000003 -->\n"
	"- **[question]** (imp:2 " DOT
	" 2026-01-03T09:12:00+00:00) Is <!-- x --> legal in notes? <!-- id=ev_00000004 -->\n";

static const char second_head[] =
	"---\n"
	"id: s_20260104T101500_3d4e5f\n"
	"project: lantern\n"
	"started_at: 2026-01-04T10:15:30.000100+00:00\n"
	"status: active\n"
	"summary: \n"
	"---\n"
	"\n"
	"# Session s_20260104T101500_3d4e5f \xe2\x80\x94 lantern\n"
	"\n"
	"## Log\n"
	"\n";

static const char second_lines[] =
	"- **[decision]** (imp:4 " DOT
	" 2026-01-04T10:15:30.000125+00:00) Keep readings in SQLite, see [[Storage]]. <!-- id=ev_00000005 supersedes=ev_00000002 -->\n"
	"- **[next_step]** (imp:3 " DOT
	" 2026-01-04T10:20:00+00:00) Write the schema. <!-- id=ev_00000006 supersedes=ev_00000003 -->\n";

/* Render every event of the body again. */
static void render_again(struct buf *b, str body)
{
	struct event ev;
	str line;

	while (event_cut(&body, &line))
		if (event_parse(line, &ev))
			event_render(b, &ev);
}

static void test_event__the_sample_vault_is_read_and_written_byte_for_byte(void **state)
{
	struct buf b = BUF_INIT(1 << 16);
	struct event_note n;

	(void)state;
	event_note_read(&n, str_of(first));
	assert_str(n.id, STR("s_20260103T090000_0a1b2c"));
	assert_str(n.project, STR("lantern"));
	assert_str(n.summary, STR("Picked the log format"));
	assert_true(n.front && n.done && !n.twice);
	assert_int_equal(n.started_us, INT64_C(1767430800250000));
	render_again(&b, n.body);
	assert_str(buf_str(&b), str_of(strstr(first, "- **[goal]")));

	event_note_read(&n, str_of(second_head));
	assert_false(n.done);
	assert_str(n.summary, STR(""));
	buf_reset(&b);
	event_note_header(&b, n.id, n.project, n.started_us);
	assert_str(buf_str(&b), str_of(second_head));
	buf_reset(&b);
	render_again(&b, str_of(second_lines));
	assert_str(buf_str(&b), str_of(second_lines));
	buf_release(&b);
}

static void test_event__the_parts_of_a_line(void **state)
{
	struct event ev;
	str id, list;

	(void)state;
	assert_true(event_parse(
		STR("- **[decision]** (imp:4 " DOT
		    " 2026-01-04T10:15:30.000125+00:00)  Keep <!-- id=ev_fake "
		    "supersedes=ev_z --> it.  <!-- id=ev_5 supersedes=,a,,b, junk x=y "
		    "origin=derived from=u-1 --> \r"),
		&ev));
	assert_int_equal(ev.type, EVENT_DECISION);
	assert_int_equal(ev.importance, 4);
	assert_int_equal(ev.at_us, INT64_C(1767521730000125));
	assert_str(ev.content, STR("Keep <!-- id=ev_fake supersedes=ev_z --> it."));
	assert_str(ev.id, STR("ev_5"));
	assert_str(ev.from, STR("u-1"));
	assert_int_equal(ev.origin, EVENT_DERIVED);
	list = ev.supersedes;
	assert_true(event_superseded(&list, &id));
	assert_str(id, STR("a"));
	assert_true(event_superseded(&list, &id));
	assert_str(id, STR("b"));
	assert_false(event_superseded(&list, &id));
}

static void test_event__what_is_odd_is_mended_or_no_event(void **state)
{
	static const struct {
		const char *line;
		int importance; /* 0: no event */
	} row[] = {
		{"- **[goal]** (imp:9 " DOT " 2026-01-03) a <!-- id=x -->", 5},
		{"- **[goal]** (imp:0 " DOT " 2026-01-03) a <!-- id=x -->", 1},
		{"- **[goal]** (imp:99999999999999999999 " DOT " never) a <!-- id=x -->",
		 5},
		{"- **[goal]** (imp:3 " DOT " t)    <!-- id=x -->", 0},
		{"- **[goal]** (imp:3 " DOT " t) \xe2\x80\xa8 <!-- id=x -->", 0},
		{"- **[goal]** (imp:3 " DOT " t) <!-- id=x -->", 0},
		{"- **[goal]** (imp:3 " DOT " t) a <!-- id= -->", 0},
		{"- **[goal]** (imp:3 " DOT " t) a <!-- id=x --", 0},
		{"- **[goal]** (imp:3 " DOT " t) a <!-- xid=x -->", 0},
		{"- **[goal]** (imp: " DOT " t) a <!-- id=x -->", 0},
		{"- **[goal]** (imp:3 " DOT " ) a <!-- id=x -->", 0},
		{"- **[goals]** (imp:3 " DOT " t) a <!-- id=x -->", 0},
		{" - **[goal]** (imp:3 " DOT " t) a <!-- id=x -->", 0},
		{"- **[goal]** (imp:3 . t) a <!-- id=x -->", 0},
		{"", 0},
	};
	struct event ev;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		bool is = event_parse(str_of(row[i].line), &ev);

		if (is != (row[i].importance > 0) ||
		    (is && ev.importance != row[i].importance))
			fail_msg("row %zu: %s", i, row[i].line);
	}
	assert_true(event_parse(
		STR("- **[goal]** (imp:3 " DOT " 2026-13-77T99) a <!-- id=x -->"), &ev));
	assert_int_equal(ev.at_us, 0);
}

static void test_event__cut_at_every_byte_gives_whole_events_or_none(void **state)
{
	struct event ev;
	str line, rest;

	(void)state;
	for (size_t n = 0; n <= sizeof second_lines - 1; n++) {
		size_t events = 0;

		rest = (str){second_lines, n};
		while (event_cut(&rest, &line))
			if (event_parse(line, &ev)) {
				events++;
				assert_true(str_starts(ev.id, STR("ev_0000000")));
				assert_int_equal(ev.id.n, 11);
			}
		/* an event is there from its closing comment on, its newline or not */
		assert_int_equal(events,
				 (n >= sizeof second_lines - 2) +
					 (n >= (size_t)(strchr(second_lines, '\n') -
							second_lines)));
	}
	for (size_t n = 0; n < sizeof first; n++) {
		struct event_note note;

		event_note_read(&note, (str){first, n});
		assert_true(note.front || note.body.n == n);
	}
}

static void test_event__lines_end_at_lf_alone_and_glued_ones_are_cut(void **state)
{
	static const char text[] =
		"- **[goal]** (imp:3 " DOT " t) a\xe2\x80\xa8 b\x0c c <!-- id=x -->"
		"- **[file]** (imp:1 " DOT " t) d <!-- id=y -->\r\nrest";
	struct event ev;
	str rest = str_of(text), line;

	(void)state;
	assert_true(event_cut(&rest, &line) && event_parse(line, &ev));
	assert_str(ev.content, STR("a\xe2\x80\xa8 b\x0c c"));
	assert_str(ev.id, STR("x"));
	assert_true(event_cut(&rest, &line) && event_parse(line, &ev));
	assert_str(ev.content, STR("d"));
	assert_true(event_cut(&rest, &line));
	assert_str(line, STR("rest"));
	assert_false(event_cut(&rest, &line));
}

static void test_event__no_content_can_be_read_as_a_second_event(void **state)
{
	struct event ev = {.type = EVENT_GOAL,
			   .importance = 3,
			   .id = STR("ev_1"),
			   .at = STR("2026-01-03T09:00:00+00:00"),
			   .content = STR("x <!-- id=ev_2 -->- **[goal]** (imp:3 " DOT
					  " t) y")},
		     back;
	struct buf b = BUF_INIT(4096);
	str rest, line;

	(void)state;
	event_render(&b, &ev);
	rest = buf_str(&b);
	assert_true(event_cut(&rest, &line) && event_parse(line, &back));
	assert_str(back.id, STR("ev_1"));
	assert_int_equal(rest.n, 0);
	buf_release(&b);
}

static void test_event__content_becomes_one_line(void **state)
{
	static const struct {
		const char *in, *out;
	} row[] = {
		{"  a  \n\r\n\t b\tc  d ", "a b\tc  d"},
		{"a\xc2\x85 b\xe2\x80\xa8"
		 "c\xe2\x80\xa9",
		 "a b c"},
		{"\x01"
		 "a\x7f\x0b"
		 "b\x1f",
		 "ab"},
		{" \n\t\xc2\xa0\xe3\x80\x80", ""},
		{"", ""},
		{"a\xff"
		 "b",
		 "a\xef\xbf\xbd"
		 "b"},
		{"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac"},
	};
	struct buf b = BUF_INIT(4096), again = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		buf_reset(&b);
		buf_reset(&again);
		event_normalise(&b, str_of(row[i].in));
		assert_str(buf_str(&b), str_of(row[i].out));
		event_normalise(&again, buf_str(&b));
		assert_str(buf_str(&b), buf_str(&again));
	}
	buf_release(&b);
	buf_release(&again);
}

static void test_event__times_are_pythons(void **state)
{
	static const struct {
		const char *text;
		int64_t us;
		const char *out;
	} row[] = {
		{"2026-01-04T10:15:30.000125+00:00", INT64_C(1767521730000125), NULL},
		{"2026-01-03T09:05:00+00:00", INT64_C(1767431100000000), NULL},
		{"2026-01-03T11:05:00.5+02:00", INT64_C(1767431100500000),
		 "2026-01-03T09:05:00.500000+00:00"},
		{"2026-01-03 09:05:00", INT64_C(1767431100000000),
		 "2026-01-03T09:05:00+00:00"},
		{"2026-01-03T09:05Z", INT64_C(1767431100000000),
		 "2026-01-03T09:05:00+00:00"},
		{"1969-12-31T23:59:59.999999+00:00", -1, NULL},
		{"0001-01-01T00:00:00+00:00", INT64_C(-62135596800000000), NULL},
	};
	struct buf b = BUF_INIT(64);
	int64_t us;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		assert_true(event_time_parse(str_of(row[i].text), &us));
		assert_int_equal(us, row[i].us);
		buf_reset(&b);
		event_time(&b, us);
		assert_str(buf_str(&b), str_of(row[i].out ? row[i].out : row[i].text));
	}
	assert_false(event_time_parse(STR("yesterday"), &us));
	assert_false(event_time_parse(STR("2026-01-03T09:0x"), &us));
	assert_false(event_time_parse(STR(""), &us));
	buf_release(&b);
}

static void test_event__links_as_they_stand(void **state)
{
	static const char text[] =
		"see [[A]], [[ B \n c ]] [[]] [[ ]] [[x]y]] [[[z]] [[D|e#f]] [[open";
	static const char *const want[] = {"A", "B c", "[z", "D|e#f"};
	struct buf b = BUF_INIT(64);
	size_t it = 0, n = 0;

	(void)state;
	while (event_link(str_of(text), &it, &b)) {
		assert_true(n < 4);
		assert_str(buf_str(&b), str_of(want[n++]));
	}
	assert_int_equal(n, 4);
	buf_release(&b);
}

static void test_event__entity_file_names(void **state)
{
	static const struct {
		const char *in, *out;
	} row[] = {
		{"..", "_"},
		{".", "_"},
		{"", "_"},
		{"a/b/c", "a_b_c"},
		{"Auth ", "Auth"},
		{"Auth.. .", "Auth"},
		{"CON", "_CON"},
		{"com1.txt", "_com1.txt"},
		{"com0", "com0"},
		{"console", "console"},
		{"Component: API/Gateway", "Component_ API_Gateway"},
		{"\n\xc3\xa9t\xc3\xa9\xe3\x80\x80", "_\xc3\xa9t\xc3\xa9"},
	};
	struct buf b = BUF_INIT(4096), name = BUF_INIT(4096), c = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		buf_reset(&b);
		event_entity_file(&b, str_of(row[i].in));
		assert_str(buf_str(&b), str_of(row[i].out));
	}
	buf_reset(&b);
	for (int i = 0; i < 150; i++)
		buf_add(&name, STR("\xc3\xa9"));
	event_entity_file(&b, buf_str(&name));
	assert_true(b.n <= EVENT_FILE_MAX);
	buf_add(&name, STR("x"));
	event_entity_file(&c, buf_str(&name));
	assert_false(str_eq(buf_str(&b), buf_str(&c)));
	buf_reset(&b);
	event_entity_file_apart(&b, STR("auth"));
	assert_true(str_starts(buf_str(&b), STR("auth-")) && b.n == 13);
	buf_release(&b);
	buf_release(&c);
	buf_release(&name);
}

static void test_event__ids(void **state)
{
	struct buf a = BUF_INIT(64), b = BUF_INIT(64);
	char longest[EVENT_ID_MAX + 2];

	(void)state;
	event_new_id(&a);
	event_new_id(&b);
	assert_true(a.n == 11 && str_starts(buf_str(&a), STR("ev_")));
	assert_false(str_eq(buf_str(&a), buf_str(&b)));
	assert_true(event_id_ok(buf_str(&a)));
	assert_true(event_id_ok(STR("ev_ct_6f0a-1_goal")));
	memset(longest, 'a', sizeof longest);
	assert_true(event_id_ok((str){longest, EVENT_ID_MAX}));
	assert_false(event_id_ok((str){longest, EVENT_ID_MAX + 1}));
	assert_false(event_id_ok(STR("")));
	assert_false(event_id_ok(STR("a b")));
	assert_false(event_id_ok(STR("a,b")));
	assert_false(event_id_ok(STR("a-->")));
	assert_false(event_id_ok(STR("a\nb")));
	assert_false(event_id_ok(STR("a\xe2\x80\xa8")));
	assert_false(event_id_ok(STR("a\x1f")));
	assert_false(event_id_ok(STR("a\xff")));
	buf_release(&a);
	buf_release(&b);
}

static void test_event__odd_headers_of_notes(void **state)
{
	struct event_note n;

	(void)state;
	event_note_read(
		&n, STR("\xef\xbb\xbf---\r\nid: a\r\nid : b\r\nx\r\nstarted_at: soon\r\n"
			"summary: c: d # e\r\n---\r\nbody"));
	assert_true(n.front && n.twice);
	assert_str(n.id, STR("b"));
	assert_str(n.summary, STR("c: d # e"));
	assert_int_equal(n.started_us, 0);
	assert_str(n.body, STR("body"));
	event_note_read(&n, STR("---\nid: a\nno end"));
	assert_false(n.front);
	assert_str(n.id, STR(""));
	assert_str(n.body, STR("---\nid: a\nno end"));
	event_note_read(&n, STR("# heading\n---\nid: a\n---\n"));
	assert_false(n.front);
	event_note_read(&n, STR(""));
	assert_false(n.front);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_event__the_sample_vault_is_read_and_written_byte_for_byte),
		cmocka_unit_test(test_event__the_parts_of_a_line),
		cmocka_unit_test(test_event__what_is_odd_is_mended_or_no_event),
		cmocka_unit_test(
			test_event__cut_at_every_byte_gives_whole_events_or_none),
		cmocka_unit_test(
			test_event__lines_end_at_lf_alone_and_glued_ones_are_cut),
		cmocka_unit_test(test_event__no_content_can_be_read_as_a_second_event),
		cmocka_unit_test(test_event__content_becomes_one_line),
		cmocka_unit_test(test_event__times_are_pythons),
		cmocka_unit_test(test_event__links_as_they_stand),
		cmocka_unit_test(test_event__entity_file_names),
		cmocka_unit_test(test_event__ids),
		cmocka_unit_test(test_event__odd_headers_of_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
