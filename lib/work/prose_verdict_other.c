/*
 * The same in other languages: only what says by itself that somebody chose, or that
 * something is no way. Small letters; translated, not counted.
 */
#include "work/prose_impl.h"

/* Supposed, asked, or left to somebody else. */
static const str OPEN_OTHER[] = {
	STR("vielleicht"),  STR("eventuell"), STR("sollen wir"), STR("soll ich"),
	STR("möchtest du"), STR("falls "),    STR("peut-être"),  STR("voulez-vous"),
	STR("si vous "),    STR("quizás"),    STR("si quieres"), STR("talvez"),
	STR("se você"),     STR("forse "),    STR("se vuoi"),    STR("может быть"),
	STR("возможно"),    STR("если "),     STR("如果"),       STR("可能"),
	STR("或者"),        STR("也许"),      STR("もし"),       STR("かもしれ"),
	STR("でしょうか"),  STR("ますか"),    STR("你决定"),     STR("您决定"),
};

/* Who chose, then from FAILED on what is no way: one list, since each costs a pass. */
#define FAILED 42
static const str SETTLED[] = {
	STR("habe mich entschieden"),
	STR("haben uns entschieden"),
	STR("habe mich für "),
	STR("haben uns für "),
	STR("habe mich dafür entschieden"),
	STR("haben uns dafür entschieden"),
	STR("wir bleiben bei "),
	STR("ich bleibe bei "),
	STR("j'ai décidé "),
	STR("nous avons décidé "),
	STR("j'ai choisi "),
	STR("nous avons choisi "),
	STR("on part sur "),
	STR("j'ai opté pour"),
	STR("he decidido "),
	STR("hemos decidido "),
	STR("decidí "),
	STR("decidimos "),
	STR("opté por "),
	STR("optamos por "),
	STR("decidi usar"),
	STR("decidi manter"),
	STR("optei por "),
	STR("ho deciso "),
	STR("abbiamo deciso "),
	STR("ho scelto "),
	STR("я решил"),
	STR("мы решили"),
	STR("решено "),
	STR("мы выбрали"),
	STR("我决定"),
	STR("我们决定"),
	STR("决定采用"),
	STR("决定使用"),
	STR("决定改用"),
	STR("最终决定"),
	STR("決定採用"),
	STR("ことにしました"),
	STR("ことにします"),
	STR("に決めました"),
	STR("に決定しました"),
	STR("を採用します"),
	STR("funktioniert nicht, weil"),
	STR("funktionierte nicht, weil"),
	STR("hat nicht geholfen"),
	STR("ist eine sackgasse"),
	STR("ne fonctionne pas car"),
	STR("ne fonctionne pas parce"),
	STR("n'a pas fonctionné"),
	STR("est une impasse"),
	STR("no funciona porque"),
	STR("no funcionó porque"),
	STR("não funciona porque"),
	STR("não funcionou porque"),
	STR("non funziona perché"),
	STR("non ha funzionato"),
	STR("не работает, потому что"),
	STR("не сработал"),
	STR("行不通"),
	STR("此路不通"),
	STR("不可行"),
	STR("うまくいきませんでした"),
	STR("サポートされていません"),
	STR("実現できません"),
};
_Static_assert(COUNT(SETTLED) <= PROSE_SET_MAX, "one bit a word");

enum prose_verdict prose_verdict_other(str low)
{
	uint64_t found = prose_find_set(low, SETTLED, COUNT(SETTLED), NULL);

	if (!found || HAS(low, OPEN_OTHER))
		return PROSE_VERDICT_NONE;
	return found >> FAILED ? PROSE_VERDICT_DEADEND : PROSE_VERDICT_DECISION;
}
