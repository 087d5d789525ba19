/*
 * digest: SHA-256 (FIPS 180-4). The only module that includes mbedTLS.
 */
#ifndef DATA_DIGEST_H
#define DATA_DIGEST_H

#include "base/str.h"

#define DIGEST_HEX_BYTES 65 /* 64 lower-case hex digits and NUL */

void digest_hex(str s, char out[DIGEST_HEX_BYTES]);

#endif
