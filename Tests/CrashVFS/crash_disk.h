// The disk behind the VFS: files in memory and the log of what was done to them. Callers hold crash_lock().
#ifndef CRASH_DISK_H
#define CRASH_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "include/crash_vfs.h"

typedef struct {
    unsigned char *bytes;
    size_t count;
    size_t capacity;
} crash_buffer;

// A file as the running program sees it.
typedef struct crash_file {
    struct crash_file *next;
    crash_disk *disk;
    char *name;           // the path behind the disk's prefix
    int linked;           // has a name in the folder
    crash_buffer content;
    // SQLite's file locks: holders by handle
    int shared;
    void *reserved;
    void *exclusive;
    void *pending;
    // shared memory of the write-ahead log: never survives
    void **regions;
    int region_count;
    int shm_users;
    int shm_shared[8];
    void *shm_exclusive[8];
} crash_file;

void crash_lock(void);
void crash_unlock(void);

crash_disk *crash_disk_of(const char *path, const char **name);
crash_file *crash_find(crash_disk *disk, const char *name);
void crash_handle_opened(crash_disk *disk);
void crash_handle_closed(crash_disk *disk);

// How long a sync takes on the file's disk.
uint64_t crash_sync_microseconds(crash_file *file);
// Whether a sync of the file has to wait; `count` is added to those that do. Takes no lock.
int crash_sync_stalls(crash_file *file, int count);

// Takes the number of the next read and tells whether it fails.
int crash_read_fails(crash_file *file);

// The operations. Each returns whether and how it failed; a failed write has done half of its work.
crash_fault crash_create(crash_disk *disk, const char *name, int durable, crash_file **file);
crash_fault crash_write(crash_file *file, uint64_t offset, const void *bytes, size_t count);
crash_fault crash_truncate(crash_file *file, uint64_t size);
crash_fault crash_sync(crash_file *file, int folder);
crash_fault crash_remove(crash_file *file, int folder);

#endif
