#include <assert.h>
#include <mbedtls/md.h>

#include "data/digest.h"

void digest_hex(str s, char out[DIGEST_HEX_BYTES])
{
	static const char hex[] = "0123456789abcdef";
	unsigned char sum[32];
	size_t i;
	int ret;

	/* fails only for an unknown algorithm or out of memory within a few hundred bytes */
	ret = mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256),
			 (const unsigned char *)(s.p ? s.p : ""), s.n, sum);
	assert(ret == 0);
	(void)ret;
	for (i = 0; i < sizeof(sum); i++) {
		out[2 * i] = hex[sum[i] >> 4];
		out[2 * i + 1] = hex[sum[i] & 15];
	}
	out[2 * sizeof(sum)] = '\0';
}
