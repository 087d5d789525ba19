#include "base/options.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#define HELP_COLUMN 24 /* width of "  -q, --quiet" */

static bool has_letter(const struct option_row *r)
{
	return r->key < 256;
}

/* getopt has seen something wrong: say what, as it was written. */
static int wrong(char **argv, bool missing, struct err *e)
{
	const char *last = argv[optind - 1];
	bool is_long =
		strncmp(last, "--", 2) == 0 && (missing || !optopt || strchr(last, '='));

	if (!is_long)
		return err_set(
			e, HF_EUSAGE,
			missing ? "option -%c needs a value"
			: str_is_digit((char)optopt)
				? "unknown option -%c: a word that begins with - stands behind --"
				: "unknown option -%c",
			optopt);
	if (missing)
		return err_set(e, HF_EUSAGE, "option %s needs a value", last);
	return err_set(e, HF_EUSAGE,
		       optopt ? "option %s takes no value" : "unknown option %s", last);
}

int options_parse(const struct option_row *rows, size_t n, unsigned allowed, int argc,
		  char **argv,
		  int (*take)(void *arg, int key, const char *value, struct err *e),
		  void *arg, int *first, struct err *e)
{
	struct option longs[OPTIONS_MAX + 1] = {{0}};
	char shorts[2 * OPTIONS_MAX + 2] = ":";
	size_t longs_n = 0, shorts_n = 1;
	int key, ret;

	for (size_t i = 0; i < n && longs_n < OPTIONS_MAX; i++) {
		const struct option_row *r = &rows[i];

		if (!(r->set & allowed))
			continue;
		longs[longs_n++] = (struct option){
			r->name, r->value ? required_argument : no_argument, NULL,
			r->key};
		if (has_letter(r)) {
			shorts[shorts_n++] = (char)r->key;
			if (r->value)
				shorts[shorts_n++] = ':';
		}
	}
	opterr = 0;
#ifdef __APPLE__
	optind = optreset = 1;
#else
	optind = 0; /* start anew: getopt_long(3), Notes */
#endif
	while ((key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (key == '?' || key == ':')
			return wrong(argv, key == ':', e);
		ret = take(arg, key, optarg, e);
		if (ret)
			return ret;
	}
	*first = optind;
	return 0;
}

void options_help(const struct option_row *rows, size_t n, unsigned allowed,
		  struct out *o)
{
	for (size_t i = 0; i < n; i++) {
		const struct option_row *r = &rows[i];
		struct buf left = BUF_INIT(128);

		if (!(r->set & allowed))
			continue;
		if (has_letter(r))
			buf_printf(&left, "  -%c, ", r->key);
		else
			buf_add(&left, STR("      "));
		buf_printf(&left, "--%s%s%s", r->name, r->value ? " " : "",
			   r->value ? r->value : "");
		out_printf(o, "%-*s  %s\n", HELP_COLUMN, buf_cstr(&left), r->help);
		buf_release(&left);
	}
}

/* What is put in a closed one's place fails like it: reading ends, writing is an error. */
bool options_begin(void)
{
	signal(SIGPIPE, SIG_IGN);
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

int options_status(int ret, const struct err *e)
{
	if (ret == 0)
		return EXIT_SUCCESS;
	log_warn("%s", e->msg[0] ? e->msg : "failed");
	return ret == HF_EUSAGE ? OPTIONS_EXIT_USAGE : EXIT_FAILURE;
}
