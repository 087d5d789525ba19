#include "base/lanes.h"

signed char lanes_wide_known = -1;

bool lanes_wide_look(void)
{
#if defined(__x86_64__)
	lanes_wide_known = __builtin_cpu_supports("avx512bw") &&
			   __builtin_cpu_supports("avx512vl") &&
			   __builtin_cpu_supports("avx512vbmi") &&
			   __builtin_cpu_supports("avx512vbmi2") &&
			   __builtin_cpu_supports("bmi2");
#else
	lanes_wide_known = 0;
#endif
	return lanes_wide_known;
}

bool lanes_wide_use(bool on)
{
	bool have = lanes_wide_look();

	if (!on)
		lanes_wide_known = 0;
	return have;
}
