#include <stdlib.h>

#include "fault.h"
#include "base/buf.h"
#include "work/gitsaid.h"

#define FAR                                                                              \
	"On branch topic\nYour branch and 'origin/topic' have diverged,\n"               \
	"and have 2 and 13 different commits each, respectively.\n"                      \
	"  (use \"git pull\" to merge the remote branch into yours)\n\n"

/* branch|detached|upstream|ahead behind, with marks for what is not told. */
static void head_is(const char *status, const char *want)
{
	struct gitsaid_head h = gitsaid_head(str_of(status));
	struct buf b = BUF_INIT(1000);

	buf_printf(&b, "%.*s%s|%.*s|%.*s%s|", STR_ARG(h.branch), h.no_branch ? "!" : "",
		   STR_ARG(h.detached), STR_ARG(h.upstream), h.gone ? "!" : "");
	if (h.apart)
		buf_printf(&b, "%llu %llu", (unsigned long long)h.ahead,
			   (unsigned long long)h.behind);
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
}

static void test_gitsaid__the_long_form_tells_branch_and_distance(void **state)
{
	(void)state;
	head_is("", "|||");
	head_is("On branch main\nnothing to commit, working tree clean\n", "main|||");
	head_is("On branch main\nYour branch is up to date with 'origin/main'.\n",
		"main||origin/main|0 0");
	head_is("On branch main\nYour branch is up-to-date with 'origin/main'.\n",
		"main||origin/main|0 0");
	head_is("On branch main\nYour branch is ahead of 'origin/main' by 1 commit.\n",
		"main||origin/main|1 0");
	head_is("On branch a/b\nYour branch is behind 'o/a/b' by 31 commits, and can be fast-forwarded.\n",
		"a/b||o/a/b|0 31");
	head_is(FAR, "topic||origin/topic|2 13");
	head_is("On branch x\nYour branch is based on 'origin/x', but the upstream is gone.\n",
		"x||origin/x!|");
	head_is("HEAD detached at 1f2e3d4\nnothing to commit", "!|1f2e3d4||");
	head_is("HEAD detached from v1.2\n", "!|v1.2||");
	head_is("Not currently on any branch.\n", "!|||");
	/* words of an entry are no head */
	head_is("On branch main\n\tmodified:   On branch other\n", "main|||");
}

static void test_gitsaid__the_short_forms_tell_it_too(void **state)
{
	(void)state;
	head_is("## main\n M a.c\n", "main|||");
	head_is("## main...origin/main\n", "main||origin/main|0 0");
	head_is("## v1.2...origin/v1.2 [ahead 2, behind 1]\n", "v1.2||origin/v1.2|2 1");
	head_is("## main...origin/main [behind 4]\n", "main||origin/main|0 4");
	head_is("## main...origin/main [gone]\n", "main||origin/main!|");
	head_is("## HEAD (no branch)\n", "!|||");
	head_is("## No commits yet on main\n", "main|||");
	head_is(" M a.c\n", "|||");
	head_is("# branch.oid 1f2e\n# branch.head topic\n# branch.upstream origin/topic\n# branch.ab +3 -12\n",
		"topic||origin/topic|3 12");
	head_is("# branch.oid 1f2e\n# branch.head (detached)\n", "!|||");
}

static void entries_are(const char *status, const char *want)
{
	struct buf b = BUF_INIT(1000);
	str rest = str_of(status), path;
	char mark;

	while (gitsaid_entry(&rest, &mark, &path))
		buf_printf(&b, "%c %.*s\n", mark, STR_ARG(path));
	assert_str(buf_str(&b), str_of(want));
	buf_release(&b);
}

static void test_gitsaid__entries_of_both_forms(void **state)
{
	(void)state;
	entries_are("", "");
	entries_are(FAR
		    "Changes to be committed:\n  (use \"git restore\" ...)\n"
		    "\tnew file:   a.c\n\trenamed:    b.c -> c.c\n\n"
		    "Changes not staged for commit:\n\tmodified:   src/dim.c\n"
		    "\tdeleted:    old name.c\n\ttypechange: link\n\n"
		    "Unmerged paths:\n\tboth modified:   m.c\n\tdeleted by us:   n.c\n\n"
		    "Untracked files:\n  (use \"git add\" ...)\n\tnotes.txt\n\tbin/\n",
		    "A a.c\nR b.c -> c.c\nM src/dim.c\nD old name.c\nT link\n"
		    "U m.c\nU n.c\n? notes.txt\n? bin/\n");
	entries_are("## main\nM  a.c\n M b.c\nMM c.c\nAU d.c\n?? e f.c\nR  g -> h\n",
		    "M a.c\nM b.c\nM c.c\nU d.c\n? e f.c\nR g -> h\n");
	/* no entries: prose, a log, a list */
	entries_are(
		"Everything is in order\n 3 files\nA  \nAM\n1f2e3d4 lamp: dim\n- a b\n",
		"");
}

static void test_gitsaid__nothing_is_told_from_something(void **state)
{
	static const char *const clean[] = {
		"",
		"\n",
		"## main...origin/main [ahead 1]\n",
		"# branch.oid 1f2e\n# branch.head topic\n",
		"On branch main\nYour branch is up to date with 'origin/main'.\n\n"
		"nothing to commit, working tree clean\n",
		"(Bash completed with no output)",
		"Shell cwd was reset to /home/dev/lantern",
	};
	static const char *const not [] = {
		" M a.c\n",
		"?? a.c\n",
		"On branch main\nChanges not staged for commit:\n\tmodified:   a.c\n",
		"On branch main\nUntracked files:\n\ta.c\n\n"
		"nothing added to commit but untracked files present\n",
		"On branch main\n", /* cut short */
		"fatal: not a git repository (or any of the parent directories): .git",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(clean) / sizeof(*clean); i++)
		assert_true(gitsaid_clean(str_of(clean[i])));
	for (size_t i = 0; i < sizeof(not ) / sizeof(*not ); i++)
		assert_false(gitsaid_clean(str_of(not [i])));
	assert_true(gitsaid_silent(STR("")));
	assert_true(gitsaid_silent(STR(" \n(Bash completed with no output)\n")));
	assert_true(gitsaid_silent(STR("Shell cwd was reset to /home/dev")));
	assert_false(gitsaid_silent(STR("\n a.c | 2 +-\n")));
}

static void test_gitsaid__cut_at_every_byte(void **state)
{
	static const char text[] =
		FAR "\tmodified:   a.c\n## v1...o/v1 [ahead 2, behind 1]\n M b.c\n"
		    "# branch.ab +3 -12\nHEAD detached at 1f2e3d4\n";

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		char *copy = malloc(n ? n : 1); /* a sanitizer sees what is read behind */
		str s = {copy, n}, rest = s, path;
		struct gitsaid_head h;
		char mark;

		assert_non_null(copy);
		memcpy(copy, text, n);
		h = gitsaid_head(s);
		assert_true(h.branch.n <= n && h.ahead <= 3 && h.behind <= 13);
		while (gitsaid_entry(&rest, &mark, &path))
			assert_true(path.n > 0);
		(void)gitsaid_clean(s);
		(void)gitsaid_silent(s);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gitsaid__the_long_form_tells_branch_and_distance),
		cmocka_unit_test(test_gitsaid__the_short_forms_tell_it_too),
		cmocka_unit_test(test_gitsaid__entries_of_both_forms),
		cmocka_unit_test(test_gitsaid__nothing_is_told_from_something),
		cmocka_unit_test(test_gitsaid__cut_at_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
