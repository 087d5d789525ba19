#include "base/proc.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/io.h"

#define STAT_MAX   4096u
#define STAT_STATE 3 /* fields, counted from 1 */
#define STAT_PPID  4
#define STAT_START 22
#define READ_BYTES 4096u

bool proc_read(int64_t pid, const char *name, struct buf *b)
{
	char path[64];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%lld/%s", (long long)pid, name);
	fd = io.open(path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	while (b->n < b->max) {
		size_t room = b->max - b->n < READ_BYTES ? b->max - b->n : READ_BYTES;

		n = io.read(fd, buf_room(b, room), room);
		if (n <= 0)
			break;
		b->n += (size_t)n;
	}
	io.close(fd);
	return n >= 0;
}

/* The second field is in parentheses and may hold anything. */
bool proc_stat(int64_t pid, struct proc *p)
{
	struct buf b = BUF_INIT(STAT_MAX);
	bool whole = false;
	str rest, word;
	size_t paren;

	*p = (struct proc){0};
	if (proc_read(pid, "stat", &b)) {
		paren = str_rchr(buf_str(&b), ')');
		rest = str_from(buf_str(&b), paren == STR_NPOS ? b.n : paren + 1);
		for (int i = STAT_STATE; i <= STAT_START && str_word(&rest, &word); i++) {
			if (i == STAT_STATE)
				p->ended =
					str_eq(word, STR("Z")) || str_eq(word, STR("X"));
			if (i == STAT_PPID)
				str_i64(word, &p->parent);
			if (i == STAT_START)
				whole = str_u64(word, &p->start);
		}
	}
	buf_release(&b);
	return whole;
}
