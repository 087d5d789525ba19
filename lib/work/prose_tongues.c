/*
 * Constraints in other languages than English. Each language has the words by which it
 * forbids, and those that look like it and soothe or tell; where the form of a verb decides
 * (Russian and Italian), its ending is looked at. A clause comes in small letters.
 */
#include "work/prose_impl.h"

/* soothe, muse, tell: no orders */
/* clang-format off */
static const str NO_ORDERS[] = {
	STR("nicht schlecht"), STR("nicht sicher"), STR("nicht schlimm"), STR("nicht nötig"),
	STR("keine ahnung"), STR("keine sorge"), STR("keine frage"), STR("kein problem"),
	STR("keine eile"), STR("kein stress"), STR("keine idee"), STR("keine angst"),
	STR("kein fehler"), STR("keine fehler"), STR("kein wunder"), STR("keine zeit"),
	STR("kein thema"), STR("keine panik"), STR("keine ausgabe"), STR("keine lust"),
	STR("ne t'inqui"), STR("ne vous inqui"), STR("n'hésit"), STR("n'oubli"),
	STR("ne t'en fais"), STR("pas de souci"), STR("pas de problème"),
	STR("pas de panique"), STR("pas de quoi"), STR("pas de chance"),
	STR("no te preocup"), STR("no se preocup"), STR("no olvides"), STR("no dudes"),
	STR("no entiend"), STR("no funciona"), STR("no sé "), STR("no puedo"),
	STR("no puede "), STR("no es "), STR("no hay "), STR("no está"), STR("no veo"),
	STR("no creo"), STR("no me "), STR("no se "), STR("no lo "), STR("no la "),
	STR("no hace "), STR("no tiene"), STR("no pasa"), STR("no importa"),
	STR("no compila"), STR("no encuentr"), STR("no sirve"), STR("no quiero saber"),
	STR("no tengo"), STR("no recuerdo"), STR("no aparece"), STR("no sale"),
	STR("sin problema"), STR("sin duda"), STR("sin embargo"), STR("não se preocupe"),
	STR("não te preocupes"), STR("não esqueça"), STR("não hesite"), STR("sem problema"),
	STR("non ti preoccupare"), STR("non preoccuparti"), STR("non esitare"),
	STR("non dimenticare"), STR("non importa"), STR("не волнуй"), STR("не пережива"),
	STR("не беспокой"), STR("не забуд"), STR("не спеши"), STR("не стесняй"),
	STR("не очень"), STR("не знать"), STR("без проблем"), STR("без шуток"),
	STR("别担心"), STR("别着急"), STR("别急"), STR("别客气"), STR("别的"), STR("别人"),
	STR("别忘"), STR("别怕"), STR("不要担心"), STR("不要紧"), STR("不要客气"), STR("不要着急"),
	STR("不要忘"), STR("心配しないで"), STR("気にしないで"), STR("忘れないで"), STR("걱정하지"),
	STR("잊지")
};

/* heads */
static const str HEADS[] = {
	STR("nicht "), STR("nichts "), STR("nie "), STR("niemals"), STR("auf keinen fall"),
	STR("keinesfalls"), STR("kein "), STR("keine "), STR("keinen "),
	STR("finger weg"), STR("frag mich "), STR("frage mich "), STR("frag mich, "),
	STR("frag vorher"), STR("frag zuerst"), STR("warte auf mein"), STR("warte, bis ich"),
	STR("warte bis ich"), STR("halte dich an "), STR("halt dich an "),
	STR("bleib auf "), STR("bleib in "), STR("bleib bei "), STR("du darfst nicht"),
	STR("du darfst nur"), STR("du darfst kein"), STR("du sollst nicht"),
	STR("du sollst kein"), STR("ab jetzt"), STR("ab sofort"), STR("von nun an"),
	STR("ne pas "), STR("surtout pas"), STR("surtout ne"), STR("jamais "),
	STR("touche pas"), STR("touchez pas"), STR("pas de "), STR("pas d'"),
	STR("demande-moi avant"), STR("demandez-moi avant"), STR("attends mon "),
	STR("attends ma "), STR("attends que je"), STR("attendez mon "),
	STR("à partir de maintenant"), STR("dorénavant"), STR("désormais"),
	STR("reste sur "), STR("tu ne dois "), STR("vous ne devez "), STR("interdit de "),
	STR("no toqu"), STR("no cambie"), STR("no borre"), STR("no hagas"), STR("no haga "),
	STR("no subas"), STR("no suba "), STR("no edite"), STR("no modifiqu"),
	STR("no elimine"), STR("no ejecut"), STR("no uses"), STR("no añad"),
	STR("no agregu"), STR("no instale"), STR("no crees "), STR("no mueva"),
	STR("no renombr"), STR("no escriba"), STR("no desplie"), STR("no commite"),
	STR("no pushe"), STR("no rompas"), STR("no quites"), STR("no metas"),
	STR("nunca "), STR("jamás "), STR("pregúntame"), STR("preguntame"),
	STR("consúltame"), STR("espera mi "), STR("espera a que yo"), STR("nada de "),
	STR("a partir de ahora"), STR("de ahora en adelante"), STR("quédate en "),
	STR("sin "), STR("prohibido"), STR("não mexa"), STR("não toque"), STR("não mude"),
	STR("não altere"), STR("não apague"), STR("não remova"), STR("não edite"),
	STR("não faça"), STR("não commite"), STR("não use"), STR("não crie"),
	STR("não suba"), STR("não delete"), STR("não instale"), STR("não rode"),
	STR("não execute"), STR("não modifique"), STR("não exclua"), STR("não quebre"),
	STR("sem "), STR("pergunte antes"), STR("me pergunte antes"),
	STR("espere minha"), STR("espere meu"), STR("a partir de agora"),
	STR("chiedimi prima"), STR("chiedi prima"), STR("aspetta il mio"),
	STR("aspetta la mia"), STR("mai "), STR("niente "), STR("d'ora in poi"),
	STR("никогда"), STR("нельзя"), STR("спроси меня"), STR("спросите меня"),
	STR("жди моего"), STR("дождись моего"), STR("отныне"), STR("с этого момента"),
	STR("без "), STR("запрещ"), STR("не надо "), STR("не нужно "),
	STR("不要"), STR("别"), STR("請不要"), STR("请不要"), STR("请勿"), STR("勿"), STR("不准"),
	STR("不许"), STR("不得"), STR("禁止"), STR("千万"), STR("切勿"), STR("未经"),
	STR("只修改"), STR("只改"), STR("只动"), STR("只能"), STR("只准"), STR("只许"),
	STR("只允许"), STR("先问我"), STR("没有我的"), STR("從現在起"), STR("从现在起")
};

/* anywhere, where the verb comes last or the words have no other use */
static const str INSIDE[] = {
	STR("nicht ändern"), STR("nicht anfassen"), STR("nicht committen"),
	STR("nicht pushen"), STR("nicht löschen"), STR("nicht verändern"),
	STR(" unangetastet"), STR(" bleibt unverändert"), STR(" bleibt, wie"),
	STR(" bleibt wie"), STR(" ohne meine"), STR(" ohne zu fragen"),
	STR(" ohne rückfrage"), STR(" ist tabu"), STR(" verboten"), STR(" bevor ich es "),
	STR(" sans mon accord"), STR(" sans ma permission"), STR(" sans me demander"),
	STR(" est interdit"), STR(" sin mi permiso"), STR(" sin preguntar"),
	STR(" sin mi aprobación"), STR(" está prohibido"), STR(" sem minha permissão"),
	STR(" sem perguntar"), STR(" senza chiedere"), STR(" senza il mio"),
	STR(" без моего"), STR(" без спроса"), STR("先问我"), STR("问过我"), STR("征得我"),
	STR("我的同意"), STR("经过我同意"), STR("保持不变"), STR("保持原样"), STR("不要动"),
	STR("不要改"), STR("しないで"), STR("ないでください"), STR("らないで"), STR("さないで"),
	STR("してはいけ"), STR("変更しない"), STR("触らない"), STR("禁止"), STR("許可なく"),
	STR("だけを変更して"), STR("だけ変更して"), STR("だけを編集して"), STR("だけを修正して"),
	STR("のみを変更して"), STR("のみ変更して"), STR("そのままにして"), STR("하지 마"),
	STR("하지마"), STR("지 마"), STR("지 말"), STR("금지"), STR("만 수정"), STR("만 변경"),
	STR("그대로 두"), STR("허락 없이")
};

/* German verbs at the head of an order */
static const str GERMAN[] = {
	STR("rühr"), STR("rühre"), STR("fass"), STR("fasse"), STR("ändere"), STR("änder"),
	STR("lösche"), STR("lösch"), STR("committe"), STR("pushe"), STR("push"),
	STR("verwende"), STR("benutze"), STR("benutz"), STR("nutze"), STR("nimm"),
	STR("schreib"), STR("schreibe"), STR("starte"), STR("installiere"),
	STR("verändere"), STR("entferne"), STR("mach"), STR("mache"), STR("führe"),
	STR("füge"), STR("bearbeite"), STR("überschreibe"), STR("lass"), STR("lasst"),
	STR("merge"), STR("deploye"), STR("lege"), STR("leg"), STR("arbeite")
};
static const str GERMAN_LIMITS[] = {
	STR(" nicht "), STR(" nichts "), STR(" kein"), STR(" nur "), STR(" erst, wenn "),
	STR(" erst wenn "), STR(" in ruhe"), STR(" unverändert"), STR(" unangetastet"),
	STR(" so, wie"), STR(" so wie"), STR(" wie er ist"), STR(" wie sie ist"),
	STR(" wie es ist"), STR(" wie sie sind"), STR(" nie"), STR(" ausschließlich ")
};

/* of Romance languages: an order's verb, and what limits it */
static const str ROMANCE[] = {
	STR("modifie"), STR("modifiez"), STR("change"), STR("touche"), STR("édite"),
	STR("utilise"), STR("travaille"), STR("modifica"), STR("cambia"), STR("edita"),
	STR("toca"), STR("usa"), STR("trabaja"), STR("altere"), STR("edite"), STR("mude"),
	STR("use"), STR("trabalhe"), STR("tocca"), STR("laisse"), STR("laissez"),
	STR("deja"), STR("deixe"), STR("lascia"), STR("garde"), STR("mantén"),
	STR("mantenha"), STR("mantieni")
};
static const str ROMANCE_LIMITS[] = {
	STR(" seulement "), STR(" uniquement "), STR(" tel quel"), STR(" telle quelle"),
	STR(" tels quels"), STR(" tranquille"), STR(" comme elle est"),
	STR(" comme il est"), STR(" solo "), STR(" sólo "), STR(" solamente "),
	STR(" únicamente "), STR(" como está"), STR(" en paz"), STR(" intact"),
	STR(" só "), STR(" apenas "), STR(" somente "), STR(" soltanto "), STR(" com'è"),
	STR(" come è"), STR(" stare "), STR(" tal como"), STR(" compatible")
};
static const str FRENCH_NEGATIONS[] = {STR(" pas "),   STR(" pas"),    STR(" rien"),
				       STR(" aucun"),  STR(" jamais"), STR(" que "),
				       STR(" plus ")};
/* clang-format on */

static bool ends_with_any(str w, const str *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_ends(w, list[i]))
			return true;
	}
	return false;
}

#define ENDS(w, list) ends_with_any((w), (list), COUNT(list))

static str word_at(str c, size_t k)
{
	str w = STR_NONE;

	for (size_t i = 0; i <= k; i++) {
		if (!str_word(&c, &w))
			return STR_NONE;
	}
	return prose_strip_chars(w, "\"'`().,;:!");
}

/* An imperative, or an infinitive that stands for one. */
static bool russian_order(str w)
{
	static const str ends[] = {STR("й"),   STR("йте"), STR("и"),
				   STR("ите"), STR("ь"),   STR("ьте"),
				   STR("ть"),  STR("йся"), STR("тесь")};

	return w.n >= 6 && ENDS(w, ends);
}

static bool russian(str c)
{
	str first = word_at(c, 0), second = word_at(c, 1);

	if (str_eq(first, STR("не")))
		return russian_order(second);
	if (str_eq(first, STR("ничего")) && str_eq(second, STR("не")))
		return russian_order(word_at(c, 2));
	if (str_eq(first, STR("только")))
		return russian_order(second);
	if (str_starts(first, STR("остав")))
		return prose_has(c, STR("как есть")) || prose_has(c, STR("в покое"));
	return russian_order(first) && prose_has(c, STR(" только "));
}

/* "non toccare": of a verb in its basic form an order, of another one told. */
static bool italian(str c)
{
	static const str ends[] = {STR("are"),  STR("ere"),  STR("ire"), STR("arlo"),
				   STR("arla"), STR("arli"), STR("erlo")};

	return str_eq(word_at(c, 0), STR("non")) && ENDS(word_at(c, 1), ends);
}

/* A sentence whose first word is a verb and that holds one of the limits. */
static bool limited(str c, const str *verb, size_t nverb, const str *limit, size_t nlimit)
{
	return prose_in_list(word_at(c, 0), verb, nverb) &&
	       prose_find_set(c, limit, nlimit, NULL) != 0;
}

static bool has_inside(str c)
{
	size_t half = COUNT(INSIDE) / 2;

	_Static_assert(COUNT(INSIDE) < 2 * PROSE_SET_MAX, "one bit a word");
	return prose_find_set(c, INSIDE, half, NULL) != 0 ||
	       prose_find_set(c, INSIDE + half, COUNT(INSIDE) - half, NULL) != 0;
}

enum prose_tongue prose_order_abroad(str c)
{
	if (STARTS(c, NO_ORDERS))
		return PROSE_NO_ORDER;
	if ((str_starts(c, STR("ne ")) || str_starts(c, STR("n'"))) &&
	    HAS(c, FRENCH_NEGATIONS))
		return PROSE_ORDER;
	if (STARTS(c, HEADS) || has_inside(c) || russian(c) || italian(c) ||
	    limited(c, GERMAN, COUNT(GERMAN), GERMAN_LIMITS, COUNT(GERMAN_LIMITS)) ||
	    limited(c, ROMANCE, COUNT(ROMANCE), ROMANCE_LIMITS, COUNT(ROMANCE_LIMITS)))
		return PROSE_ORDER;
	return PROSE_NEITHER;
}
