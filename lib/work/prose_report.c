/*
 * What a person tells of how something went. Only what is told as a fact: a question, an
 * order, a wish are none, and neither is a word such as "done" alone, which is said of
 * anything.
 */
#include "work/prose_impl.h"
#include "base/utf8.h"

#define REPORT_BYTES   600 /* of a text are looked at */
#define SENTENCE_BYTES 300

/* of what was spoken of last, at the head of a clause */
/* clang-format off */
static const str IT[] = {
	STR("it ran"), STR("it has run"), STR("it did run"), STR("it did not run"),
	STR("it didn't run"), STR("it never ran"), STR("it finished"),
	STR("it has finished"), STR("it didn't finish"), STR("it did not finish"),
	STR("it completed"), STR("it went through"), STR("it succeeded"),
	STR("it worked"), STR("it failed"), STR("it is done"), STR("it's done"),
	STR("it was applied"), STR("it is applied"), STR("it was not applied"),
	STR("it was killed"), STR("it was stopped"), STR("i rolled it back"),
	STR("i reverted it"), STR("i undid it"), STR("i ran it"), STR("i've run it"),
	STR("i finished it"), STR("i killed it"), STR("i stopped it"),
	STR("er ist durch"), STR("es ist durch"), STR("es lief durch"),
	STR("er lief durch"), STR("sie lief durch"), STR("ist durchgelaufen"),
	STR("es hat geklappt"), STR("hat geklappt"), STR("lief nicht"),
	STR("es ist fertig"), STR("ya terminó"), STR("terminó"), STR("se ejecutó"),
	STR("no se ejecutó"), STR("funcionó"), STR("falló"), STR("il a fini"),
	STR("ça a marché"), STR("elle a fini"), STR("ça a échoué"), STR("è finito"),
	STR("ha funzionato"), STR("terminou"), STR("funcionou"), STR("он отработал"),
	STR("она отработала"), STR("всё прошло"), STR("оно прошло")
};

/* the same anywhere in a clause that names what it is about */
static const str OUTCOMES[] = {
	STR(" ran "), STR(" ran"), STR(" finished"), STR(" completed"),
	STR(" succeeded"), STR(" failed"), STR(" went through"), STR(" worked"),
	STR(" was applied"), STR(" is applied"), STR(" is done"), STR(" did not run"),
	STR(" didn't run"), STR(" never ran"), STR(" rolled back"), STR(" reverted"),
	STR(" was killed"), STR(" durchgelaufen"), STR(" ist fertig"),
	STR(" fehlgeschlagen"), STR(" lief durch"), STR(" terminó"), STR(" falló"),
	STR(" se ejecutó"), STR(" a fini"), STR(" a échoué"), STR(" a marché"),
	STR(" è finito"), STR(" è fallito"), STR(" terminou"), STR(" falhou"),
	STR(" отработал"), STR(" завершил"), STR(" упал"), STR("执行完"), STR("跑完"),
	STR("成功了"), STR("失败了"), STR("没有执行"), STR("終わった"), STR("完了した"),
	STR("失敗した"), STR("끝났"), STR("실패했")
};

/* what begins with these supposes or asks */
static const str SUPPOSES[] = {
	STR("if "), STR("when "), STR("once "), STR("after "), STR("until "),
	STR("did "), STR("has "), STR("is "), STR("was "), STR("check "),
	STR("see "), STR("make sure"), STR("run "), STR("verify"), STR("tell me"), STR("wenn "),
	STR("si "), STR("se "), STR("если ")
};
/* clang-format on */

/* ... and what has one of these inside is not known */
static const str UNSURE[] = {STR(" if "),       STR("whether"),    STR("not know"),
			     STR("don't know"), STR("not sure"),   STR("i think"),
			     STR(" ob "),       STR("weiß nicht"), STR("no sé"),
			     STR("не знаю"),    STR("不知道"),     STR("不确定")};

/* The next sentence, or line; its stop. */
static bool next_sentence(str *rest, str *sentence, char *stop)
{
	size_t i = 0;

	if (rest->n == 0)
		return false;
	for (; i < rest->n; i++) {
		char b = rest->p[i], next = i + 1 < rest->n ? rest->p[i + 1] : ' ';

		if (b == '\n' || (b && strchr(".!?;", b) && str_is_space(next)))
			break;
	}
	*sentence = str_trim(str_head(*rest, i));
	*stop = i < rest->n ? rest->p[i] : '.';
	*rest = str_from(*rest, i < rest->n ? i + 1 : i);
	return true;
}

/* Of a sentence in small letters that tells something. */
static enum prose_report of_sentence(str low)
{
	enum prose_report found = PROSE_REPORT_NONE;
	str clause;

	while (str_split(&low, ',', &clause)) {
		clause = str_trim(clause);
		if (STARTS(clause, SUPPOSES))
			continue;
		if (STARTS(clause, IT))
			return PROSE_REPORT_IT;
		if (HAS(clause, OUTCOMES))
			found = PROSE_REPORT;
	}
	return found;
}

enum prose_report prose_reports(str text)
{
	char low[SENTENCE_BYTES];
	str rest = utf8_head(text, REPORT_BYTES), sentence;
	enum prose_report found = PROSE_REPORT_NONE, one;
	char stop;

	while (next_sentence(&rest, &sentence, &stop)) {
		str s = prose_lower_head(sentence, low, sizeof low);

		if (stop == '?' || prose_asks(sentence) || HAS(s, UNSURE))
			continue;
		one = of_sentence(s);
		if (one == PROSE_REPORT_IT)
			return one;
		found = one ? one : found;
	}
	return found;
}
