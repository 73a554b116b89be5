#define _GNU_SOURCE
#include "disk_call_log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local char lines[1 << 14];
static _Thread_local int used = -1;
static _Thread_local int left;

void disk_call_log_begin(int failing) {
    used = 0;
    lines[0] = 0;
    left = failing;
}

void disk_call_log_end(char *text, int size) {
    used = -1;
    snprintf(text, (size_t)size, "%s", lines);
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
    if (used < 0) return;
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(lines + used, sizeof lines - (size_t)used, format, arguments);
    va_end(arguments);
    if (count > 0 && (size_t)(used + count) < sizeof lines) used += count;
    errno = error;
}

static void note_sync(int descriptor) {
    if (used < 0) return;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        note("sync %s %lld\n", last_part(path), (long long)status.st_size);
    else
        note("sync %s\n", last_part(path));
}

int fsync(int descriptor) {
    note_sync(descriptor);
    if (used >= 0 && left > 0 && --left == 0) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, descriptor);
}

int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned int flags) {
    note("%s %s %s\n", flags & RENAME_EXCHANGE ? "exchange" : "rename", last_part(old_path), last_part(new_path));
    return (int)syscall(SYS_renameat2, old_folder, old_path, new_folder, new_path, flags);
}

int renameat(int old_folder, const char *old_path, int new_folder, const char *new_path) {
    return renameat2(old_folder, old_path, new_folder, new_path, 0);
}

int rename(const char *old_path, const char *new_path) {
    return renameat2(AT_FDCWD, old_path, AT_FDCWD, new_path, 0);
}
