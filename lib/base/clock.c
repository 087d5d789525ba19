/*
 * Dates are converted with the civil calendar arithmetic of Howard Hinnant (days from civil,
 * public domain), because the C library's conversions depend on the time zone or are not
 * the same everywhere.
 */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CLOCK_DAY_S      INT64_C(86400)
#define CLOCK_ERA_DAYS   INT64_C(146097)          /* 400 years */
#define CLOCK_EPOCH_DAYS INT64_C(719468)          /* 0000-03-01 to 1970-01-01 */
#define CLOCK_FIRST_MS   INT64_C(-62167219200000) /* 0000-01-01T00:00:00Z */
#define CLOCK_PAST_MS    INT64_C(253402300800000) /* 10000-01-01T00:00:00Z */

static bool clock_pin(const char *pin, int64_t *ms)
{
	return pin && (str_i64(str_of(pin), ms) || clock_parse(str_of(pin), ms));
}

bool clock_pin_ok(void)
{
	const char *pin = getenv("HANDOFF_NOW");
	int64_t ms;

	return !pin || !pin[0] || clock_pin(pin, &ms);
}

int64_t clock_now_us(void)
{
	struct timespec t;
	int64_t ms;

	if (clock_pin(getenv("HANDOFF_NOW"), &ms))
		return ms > INT64_MIN / 1000 && ms < INT64_MAX / 1000 ? ms * 1000 : 0;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_now(void)
{
	struct timespec t;
	int64_t ms;

	if (clock_pin(getenv("HANDOFF_NOW"), &ms))
		return ms;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t clock_days(int64_t year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t in_era = y - era * 400;
	int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * CLOCK_ERA_DAYS + in_era * 365 + in_era / 4 - in_era / 100 + in_year -
	       CLOCK_EPOCH_DAYS;
}

static void clock_civil(int64_t days, int *year, int *month, int *day)
{
	int64_t z = days + CLOCK_EPOCH_DAYS;
	int64_t era = (z >= 0 ? z : z - (CLOCK_ERA_DAYS - 1)) / CLOCK_ERA_DAYS;
	int64_t in_era = z - era * CLOCK_ERA_DAYS;
	int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * in_year + 2) / 153; /* from March */

	*day = (int)(in_year - (153 * m + 2) / 5 + 1);
	*month = (int)(m < 10 ? m + 3 : m - 9);
	*year = (int)(y + era * 400 + (*month <= 2));
}

/* 0 to 99 as two digits. */
static void clock_put_two(char *p, int v)
{
	p[0] = (char)('0' + v / 10);
	p[1] = (char)('0' + v % 10);
}

/* "YYYY-MM-DDTHH:MM:SS" without end; false (and "?") outside the years 0 to 9999. */
static bool clock_seconds(char *out, int64_t ms)
{
	int64_t s = (ms - CLOCK_FIRST_MS) / 1000;
	int year, month, day;
	int in_day;

	if (ms < CLOCK_FIRST_MS || ms >= CLOCK_PAST_MS) {
		memcpy(out, "?", 2);
		return false;
	}
	/* counted from year 0, so that all of it is positive and rounds down */
	in_day = (int)(s % CLOCK_DAY_S);
	clock_civil(s / CLOCK_DAY_S + CLOCK_FIRST_MS / 1000 / CLOCK_DAY_S, &year, &month,
		    &day);
	memcpy(out, "0000-00-00T00:00:00", 19);
	clock_put_two(out, year / 100);
	clock_put_two(out + 2, year % 100);
	clock_put_two(out + 5, month);
	clock_put_two(out + 8, day);
	clock_put_two(out + 11, in_day / 3600);
	clock_put_two(out + 14, in_day / 60 % 60);
	clock_put_two(out + 17, in_day % 60);
	return true;
}

void clock_iso(char out[CLOCK_ISO_BYTES], int64_t ms)
{
	int rest;

	if (!clock_seconds(out, ms))
		return;
	memcpy(out + 19, ".000Z", 6);
	rest = (int)((ms - CLOCK_FIRST_MS) % 1000);
	out[20] = (char)('0' + rest / 100);
	clock_put_two(out + 21, rest % 100);
}

void clock_iso_s(char out[CLOCK_ISO_BYTES], int64_t ms)
{
	if (clock_seconds(out, ms))
		memcpy(out + 19, "Z", 2);
}

/* Take n digits off *s into *v. */
static bool clock_take(str *s, size_t n, int *v)
{
	uint64_t u;

	if (s->n < n || !str_u64(str_head(*s, n), &u))
		return false;
	*v = (int)u;
	*s = str_from(*s, n);
	return true;
}

static bool clock_take_byte(str *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = str_from(*s, 1);
	return true;
}

static bool clock_take_date(str *s, int64_t *days)
{
	static const signed char month_days[12] = {31, 28, 31, 30, 31, 30,
						   31, 31, 30, 31, 30, 31};
	int y, m, d, last;

	if (!clock_take(s, 4, &y) || !clock_take_byte(s, '-') || !clock_take(s, 2, &m) ||
	    !clock_take_byte(s, '-') || !clock_take(s, 2, &d))
		return false;
	if (m < 1 || m > 12 || d < 1)
		return false;
	last = month_days[m - 1];
	if (m == 2 && y % 4 == 0 && (y % 100 != 0 || y % 400 == 0))
		last = 29;
	if (d > last)
		return false;
	*days = clock_days(y, m, d);
	return true;
}

/* ".123456": the first three digits count, the rest is only looked at. */
static bool clock_take_fraction(str *s, int64_t *ms)
{
	int scale = 100;

	if (s->n == 0 || !str_is_digit(s->p[0]))
		return false;
	*ms = 0;
	for (; s->n && str_is_digit(s->p[0]); *s = str_from(*s, 1), scale /= 10)
		*ms += (s->p[0] - '0') * scale;
	return true;
}

static bool clock_take_time(str *s, int64_t *ms)
{
	int h, m, sec;
	int64_t fraction = 0;

	if (!clock_take(s, 2, &h) || !clock_take_byte(s, ':') || !clock_take(s, 2, &m) ||
	    !clock_take_byte(s, ':') || !clock_take(s, 2, &sec))
		return false;
	if (h > 23 || m > 59 || sec > 60) /* 60: a leap second, the next second to us */
		return false;
	if ((clock_take_byte(s, '.') || clock_take_byte(s, ',')) &&
	    !clock_take_fraction(s, &fraction))
		return false;
	*ms = ((int64_t)h * 3600 + m * 60 + sec) * 1000 + fraction;
	return true;
}

/* "", "Z", "+hh:mm", "-hhmm" */
static bool clock_take_zone(str *s, int64_t *offset_ms)
{
	bool minus;
	int h, m;

	*offset_ms = 0;
	if (s->n == 0 || clock_take_byte(s, 'Z') || clock_take_byte(s, 'z'))
		return true;
	minus = s->p[0] == '-';
	if (!clock_take_byte(s, '-') && !clock_take_byte(s, '+'))
		return false;
	if (!clock_take(s, 2, &h))
		return false;
	clock_take_byte(s, ':');
	if (!clock_take(s, 2, &m) || h > 23 || m > 59)
		return false;
	*offset_ms = ((int64_t)h * 60 + m) * 60000 * (minus ? -1 : 1);
	return true;
}

/* The eight bytes at p are like those of form: digits where that has a 0, else the same. */
static bool clock_like(const char *p, const char *form)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t v, f, digit, zeros = ones * '0';

	memcpy(&v, p, 8);
	memcpy(&f, form, 8);
	v ^= f;
	/* what is added carries into the high bit: of a digit from 10 on, of the others from 1 on */
	f ^= zeros;
	digit = ((f | ((f & ones * 0x7f) + ones * 0x7f)) & ones * 0x80) >>
		7; /* 0 there */
	return !(((v + ones * 0x76 + digit * 9) | v) & ones * 0x80);
}

static int clock_two(const char *p)
{
	return (p[0] - '0') * 10 + (p[1] - '0');
}

/* The form that clients write, "2026-02-12T18:20:00.123Z", in a few steps. */
static bool clock_parse_usual(const char *p, int64_t *ms)
{
	int month, day, h, m, s;

	if (!clock_like(p, "0000-00-") || !clock_like(p + 8, "00T00:00") ||
	    !clock_like(p + 16, ":00.000Z"))
		return false;
	month = clock_two(p + 5);
	day = clock_two(p + 8);
	h = clock_two(p + 11);
	m = clock_two(p + 14);
	s = clock_two(p + 17);
	/* the last days of a month, a leap second and what is wrong are left to the others */
	if (month < 1 || month > 12 || day < 1 || day > (month == 2 ? 28 : 30) ||
	    h > 23 || m > 59 || s > 59)
		return false;
	*ms = (clock_days(clock_two(p) * 100 + clock_two(p + 2), month, day) *
		       CLOCK_DAY_S +
	       h * 3600 + m * 60 + s) *
		      1000 +
	      (p[20] - '0') * 100 + clock_two(p + 21);
	return true;
}

bool clock_parse(str s, int64_t *ms)
{
	int64_t days, in_day = 0, offset = 0;

	if (s.n == 24 && clock_parse_usual(s.p, ms))
		return true;
	*ms = CLOCK_NONE;
	if (!clock_take_date(&s, &days))
		return false;
	if (s.n) {
		if (!clock_take_byte(&s, 'T') && !clock_take_byte(&s, 't') &&
		    !clock_take_byte(&s, ' '))
			return false;
		if (!clock_take_time(&s, &in_day) || !clock_take_zone(&s, &offset) || s.n)
			return false;
	}
	*ms = days * CLOCK_DAY_S * 1000 + in_day - offset;
	return true;
}

void clock_span(char out[24], int64_t ms)
{
	int64_t s = ms > 0 ? ms / 1000 : 0;
	long long d = s / CLOCK_DAY_S, h = s / 3600 % 24, m = s / 60 % 60;

	if (d)
		snprintf(out, 24, "%lldd%lldh%lldm", d, h, m);
	else if (h)
		snprintf(out, 24, "%lldh%lldm%llds", h, m, (long long)(s % 60));
	else if (m)
		snprintf(out, 24, "%lldm%llds", m, (long long)(s % 60));
	else
		snprintf(out, 24, "%llds", (long long)s);
}
