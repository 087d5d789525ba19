/* A time that parses and lies in the years 0 to 9999 is written and read back the same. */
#include "base/clock.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	str s = {(const char *)data, size};
	char out[CLOCK_ISO_BYTES];
	int64_t ms, back;

	if (!clock_parse(s, &ms)) {
		if (ms != CLOCK_NONE)
			abort();
		return 0;
	}
	clock_iso(out, ms);
	if (out[0] != '?' && (!clock_parse(str_of(out), &back) || back != ms))
		abort();
	return 0;
}
