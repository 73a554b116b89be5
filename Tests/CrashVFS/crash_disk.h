// The disk model below the VFS: files in memory, and the log of the operations on them. The caller must hold
// crash_lock(), unless a function says otherwise.
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

// A file as the running program sees it, including the data that is not durable yet.
typedef struct crash_file {
    struct crash_file *next;
    crash_disk *disk;
    char *name;           // the path after the disk's prefix
    int linked;           // whether the folder contains the name; 0 after a removal
    crash_buffer content;
    // SQLite's file locks: the number of handles with a shared lock, and the handle that has each other lock
    int shared;
    void *reserved;
    void *exclusive;
    void *pending;
    // shared memory of the write-ahead log: a power cut always loses it
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

// Returns the duration of a sync on the file's disk, in microseconds.
uint64_t crash_sync_microseconds(crash_file *file);
// Adds `count` to the number of waiting syncs, and returns whether a sync of the file must wait now. The caller must
// not hold crash_lock().
int crash_sync_stalls(crash_file *file, int count);

// Takes the number of the next read. Returns whether this read fails.
int crash_read_fails(crash_file *file);

// The operations. Each returns the kind of its failure, or CRASH_FAULT_NONE. Except with CRASH_FAULT_READONLY, a
// failed write has written the first half of its bytes.
crash_fault crash_create(crash_disk *disk, const char *name, int durable, crash_file **file);
crash_fault crash_write(crash_file *file, uint64_t offset, const void *bytes, size_t count);
crash_fault crash_truncate(crash_file *file, uint64_t size);
crash_fault crash_sync(crash_file *file, int folder);
crash_fault crash_remove(crash_file *file, int folder);

#endif
