#include "data/seal.h"

static const str BEGIN = {"<!-- ", 5}, END = {" -->", 4};

void seal_add(struct buf *b, str word, str json, char hash[DIGEST_HEX_BYTES])
{
	char hex[DIGEST_HEX_BYTES];
	size_t at;

	buf_add(b, BEGIN);
	buf_add(b, word);
	buf_byte(b, ' ');
	at = b->n;
	while (json.n) {
		size_t n = str_chr(json, '>');

		buf_add(b, str_head(json, n));
		if (n == STR_NPOS)
			break;
		buf_add(b, STR("\\u003e"));
		json = str_from(json, n + 1);
	}
	digest_hex(str_from(buf_str(b), at), hex);
	buf_printf(b, " %s", hex);
	buf_add(b, END);
	buf_byte(b, '\n');
	if (hash)
		memcpy(hash, hex, sizeof(hex));
}

bool seal_is_hash(str s)
{
	unsigned char other = 0;

	if (s.n != SEAL_HEX)
		return false;
	/* all of them, whatever comes first: without a branch for each */
	for (size_t i = 0; i < SEAL_HEX; i++) {
		unsigned char c = (unsigned char)s.p[i];

		other |= ((unsigned char)(c - '0') > 9) & ((unsigned char)(c - 'a') > 5);
	}
	return !other;
}

bool seal_cut(str line, struct seal *s)
{
	size_t n;

	line = str_trim_right(line);
	if (!str_starts(line, BEGIN) || !str_ends(line, END) ||
	    line.n < BEGIN.n + END.n + SEAL_HEX + 5)
		return false;
	line = (str){line.p + BEGIN.n, line.n - BEGIN.n - END.n};
	n = str_chr(line, ' ');
	s->hash = str_from(line, line.n - SEAL_HEX);
	if (n == STR_NPOS || n + 3 + SEAL_HEX >= line.n || !seal_is_hash(s->hash) ||
	    line.p[line.n - SEAL_HEX - 1] != ' ')
		return false;
	s->word = str_head(line, n);
	s->json = (str){line.p + n + 1, line.n - n - SEAL_HEX - 2};
	if (s->json.p[0] != '{' || s->json.p[s->json.n - 1] != '}')
		return false;
	s->fits = false;
	return true;
}

bool seal_parse(str line, struct seal *s)
{
	char hex[DIGEST_HEX_BYTES];

	if (!seal_cut(line, s))
		return false;
	digest_hex(s->json, hex);
	s->fits = str_eq(s->hash, str_of(hex));
	return true;
}
