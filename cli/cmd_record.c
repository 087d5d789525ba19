/*
 * handoff record VERB [OPTION]... [ARGUMENT]...
 *
 * Versioned records: facts that agents share, each version kept.
 */
#include "commands.h"
#include "recopt.h"

static int run_write(const struct recopt *o, const struct record_store *s,
		     struct rectool *r, struct err *e)
{
	struct buf value = BUF_INIT(16 * RECORD_VALUE_MAX);
	struct record_new n = {.confidence = o->confidence,
			       .tags = o->tags.item,
			       .ntags = o->tags.n,
			       .note = str_of(o->note),
			       .ref = str_of(o->ref),
			       .if_changed = o->if_changed,
			       .expects = o->expects,
			       .expected = o->expected};
	int ret = recopt_value(o, o->word[1], &value, e);

	n.value = buf_str(&value);
	if (!ret)
		ret = rectool_write(s, str_of(o->word[0]), STR_NONE, &n, r, e);
	buf_release(&value);
	return ret;
}

/* "a/b@3" names a version as well. */
static int address_word(const struct recopt *o, const struct record_store *s,
			struct packet_ref *ref, struct err *e)
{
	int ret = rectool_ref(s, str_of(o->word[0]), ref, e);

	if (!ret && o->version)
		ref->version = o->version;
	return ret;
}

static int run_read(const struct recopt *o, const struct record_store *s,
		    struct rectool *r, struct err *e)
{
	struct rectool_read how = {.history = o->history,
				   .min_confidence = o->min_confidence};
	struct packet_ref ref;
	int ret = address_word(o, s, &ref, e);

	how.version = ref.version;
	return ret ? ret : rectool_read(s, ref.scope, STR_NONE, &how, r, e);
}

static int run_search(const struct recopt *o, const struct record_store *s,
		      struct rectool *r, struct err *e)
{
	struct buf words = BUF_INIT(1u << 16);
	struct recsearch q = {.scope_prefix = str_of(o->scope),
			      .tag = o->tags.n ? o->tags.item[0] : STR_NONE,
			      .agent = str_of(o->by),
			      .min_confidence = o->min_confidence,
			      .superseded = o->all,
			      .limit = (size_t)o->limit};
	int ret;

	for (int i = 0; i < o->nwords; i++) {
		buf_add(&words, str_of(o->word[i]));
		buf_byte(&words, ' ');
	}
	q.words = buf_str(&words);
	ret = rectool_search(s, &q, r, e);
	buf_release(&words);
	return ret;
}

static int run_outcome(const struct recopt *o, const struct record_store *s,
		       struct rectool *r, struct err *e)
{
	struct record_outcome with = {.ref = str_of(o->ref),
				      .note = str_of(o->note),
				      .packet = str_of(o->packet)};
	struct packet_ref ref;
	int ret = address_word(o, s, &ref, e);

	with.version = ref.version;
	return ret ? ret
		   : rectool_outcome(s, ref.scope, STR_NONE, str_of(o->word[1]), &with, r,
				     e);
}

static int run_stats(const struct recopt *o, const struct record_store *s,
		     struct rectool *r, struct err *e)
{
	(void)o;
	return rectool_stats(s, false, r, e);
}

static int run_verify(const struct recopt *o, const struct record_store *s,
		      struct rectool *r, struct err *e)
{
	(void)o;
	return rectool_stats(s, true, r, e);
}

static const struct recopt_verb verbs[] = {
	{"write", "SCOPE/KEY VALUE", "add a version; VALUE is JSON or words, - reads it",
	 RECOPT_WRITE, 2, 2, run_write},
	{"read", "SCOPE/KEY[@N]", "the current version, or version N", RECOPT_READ, 1, 1,
	 run_read},
	{"search", "[WORD]...", "records that fit the words", RECOPT_SEARCH, 0, 1000,
	 run_search},
	{"outcome", "SCOPE/KEY[@N] KIND", "report success, partial, failure, ...",
	 RECOPT_OUTCOME, 2, 2, run_outcome},
	{"stats", "", "what there is", 0, 0, 0, run_stats},
	{"verify", "",
	 "compute every hash anew; exit status 1 when something was changed", 0, 0, 0,
	 run_verify},
};

static int run(const struct args *a, struct err *e)
{
	return recopt_run("record", verbs, sizeof(verbs) / sizeof(*verbs), a->nwords + 1,
			  a->word - 1, e);
}

const struct command cmd_record = {
	.name = "record",
	.operands = "VERB",
	.summary =
		"versioned records that agents share: write, read, search, outcome, stats, verify",
	.verbs = verbs,
	.nverbs = sizeof(verbs) / sizeof(*verbs),
	.raw = true,
	.run = run,
};
