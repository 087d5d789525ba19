/*
 * fs: files: read, replace atomically, append durably, lock, walk, make folders.
 *
 *   struct buf text = BUF_INIT(1 << 20);
 *   if (fs_read(path, &text, &e) < 0) ...
 *   fs_write_atomic(path, buf_str(&text), 0600, &e);      old or new, never half
 *
 * Only regular files are read or written: a FIFO, device or directory is refused by type
 * (HF_EFORMAT), so nothing here can hang. Interrupted calls are repeated.
 * Paths are NUL-terminated; a message begins with the path.
 */
#ifndef BASE_FS_H
#define BASE_FS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"

#define FS_EACH_MAX_BYTES (64u << 20)

/*
 * Open a regular file for reading (close-on-exec, never blocks). Returns the descriptor,
 * or a negative HF_E*: HF_ENOTFOUND if it does not exist. st may be NULL.
 */
int fs_open(const char *path, struct stat *st, struct err *e);
/* Append the whole file to out. Larger than out's room: HF_ELIMIT, out unchanged. */
int fs_read(const char *path, struct buf *out, struct err *e);
/*
 * Append up to the n bytes at off (fewer at the end of the file); returns bytes read or
 * HF_E*, HF_ELIMIT if n bytes would not fit. On failure out is unchanged.
 */
long fs_read_at(int fd, uint64_t off, size_t n, struct buf *out, struct err *e);
/* Write all of s to fd, across short writes and a full pipe. `name` is for the message. */
int fs_write_all(int fd, str s, const char *name, struct err *e);
/*
 * 0 if path may be replaced: it is missing, a regular file, or a link that leads to one or
 * nowhere (the link is replaced, never its target). HF_EFORMAT for a folder, a FIFO, a device,
 * and for links to them or into /proc, as /dev/stdout is.
 */
int fs_replaceable(const char *path, struct err *e);
/*
 * Replace path: temporary file in the same folder, fsync, rename, fsync of the folder.
 * On any failure the old file stands and the temporary one is removed; only when the very
 * last step, the fsync of the folder, fails does the new one stand, and might be gone after
 * a power loss. A symbolic link at path is replaced, not followed.
 */
int fs_write_atomic(const char *path, str s, mode_t mode, struct err *e);
/* The same with the temporary file in temp_dir, which must exist on the same file system. */
int fs_write_through(const char *path, const char *temp_dir, str s, mode_t mode,
		     struct err *e);
/* The same without forcing it to disk: old or new after a crash of the program, either or an
 * empty file after a power cut. For what can be made again. */
int fs_write_quick(const char *path, str s, mode_t mode, struct err *e);
/*
 * Write s over the file as it lies there (made with `mode` when there is none), with no temporary
 * one: a crash, a failure, or a reader in between finds a mixture. For what carries a checksum,
 * can be made again, and is written so often that making and dropping files is felt.
 */
int fs_write_over(const char *path, str s, mode_t mode, struct err *e);
/*
 * Remove from dir the temporary files that writers left who were killed: of the names that are made
 * here, not written to for older_s seconds (0: all, where no writer can be at work). Best effort.
 */
void fs_sweep(const char *dir, int64_t older_s);
/* Rename a file (replacing `to`) and make both folders durable; HF_ENOTFOUND when there is none. */
int fs_rename(const char *from, const char *to, struct err *e);
/*
 * Append one record durably: one write with O_APPEND, fdatasync. Creates the file with
 * mode 0600. After a rename in between (inode changed) it appends again to the new file.
 * A part that a full disk let through is taken back, unless someone appended after it; so is
 * a file that was made for it.
 * A symbolic link at path is refused.
 */
int fs_append(const char *path, str s, struct err *e);
/*
 * Both in two steps, for callers that hold a lock which others wait for: begin writes and
 * renames, which takes microseconds, finish waits for the disk. Between them the bytes can
 * be read but are not safe. begin appends to a file (as fs_append does), or creates one with
 * s in it (through temp_dir; a file at path is replaced). After a begin that returned 0,
 * finish is called once: 1 when it is durable and path still names that file; 0 when it is
 * durable but another file has taken its place, which may or may not hold s; HF_E*.
 */
struct fs_pending {
	int fd;
	bool made;      /* the file is new: its folder has to be made durable as well */
	struct stat st; /* of the file, before the bytes were written */
};
int fs_begin_append(struct fs_pending *p, const char *path, str s, struct err *e);
int fs_begin_create(struct fs_pending *p, const char *path, const char *temp_dir, str s,
		    struct err *e);
int fs_finish(struct fs_pending *p, const char *path, struct err *e);
/* Create a folder and its missing parents with `mode`. An existing folder, or a link to one, is fine. */
int fs_mkdirs(const char *path, mode_t mode, struct err *e);
/*
 * Take an exclusive lock on the file (created 0600), waiting up to wait_ms. Returns the
 * descriptor to hand to fs_unlock, HF_ETIME when someone else holds it, or HF_E*. The lock
 * ends with the process, however it ends.
 */
int fs_lock(const char *path, int wait_ms, struct err *e);
void fs_unlock(int fd);
/*
 * Call fn for each entry of dir except . and .., in byte order of the names. fn returns 0
 * to go on; anything else stops and is returned. HF_ENOTFOUND when there is no such folder,
 * HF_ELIMIT when its names take over FS_EACH_MAX_BYTES. All names are read before the first
 * call, so fn may change the folder.
 */
int fs_each(const char *dir, int (*fn)(const char *dir, const char *name, void *arg),
	    void *arg, struct err *e);
/* b = dir "/" name (one slash, none after an empty dir); what b held is gone. */
void fs_join(struct buf *b, str dir, str name);
bool fs_is_dir(const char *path);
bool fs_is_file(const char *path);
/* An unlinked, empty, private temporary file (mode 0600, below TMPDIR or /tmp) open for reading and writing. */
int fs_temp(struct err *e);
/* "/tmp: temporary file", for messages about writing to it; valid until the next call. */
const char *fs_temp_place(void);

#endif
