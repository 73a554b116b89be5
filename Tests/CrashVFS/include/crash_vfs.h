// A disk for SQLite that loses what was not synced.
//
// Every file whose path begins with a disk's prefix lives in memory on that disk; all other paths go to the real file
// system. The disk keeps a log of its operations (creation, write, truncation, sync, removal), so that one run of a
// program yields the state after a power cut at each of its operations, without repeating the run.
#ifndef CRASH_VFS_H
#define CRASH_VFS_H

#include <stdint.h>

typedef struct crash_disk crash_disk;

// What of the unsynced operations a power cut leaves.
typedef enum {
    CRASH_KEEP_NONE = 0,  // only what was synced
    CRASH_KEEP_ALL = 1,   // everything: the process died, the machine did not
    CRASH_KEEP_SOME = 2,  // any subset, chosen by the seed; a write may be torn: a prefix of any length survives
    CRASH_LOSE_LAST = 3   // only what was synced, and not the last sync: a disk that lies, to test the tests
} crash_survival;

// How an operation fails.
typedef enum {
    CRASH_FAULT_NONE = 0,
    CRASH_FAULT_FULL = 1,  // ENOSPC: half of a write may get through
    CRASH_FAULT_IO = 2,    // EIO: likewise; after a failed sync the kernel believes its pages to be clean
    CRASH_FAULT_READONLY = 3  // nothing can be changed
} crash_fault;

// Makes this the process's default VFS. May be called often.
void crash_vfs_install(void);

// A new, empty disk for the paths that begin with `prefix`. NULL without memory.
crash_disk *crash_disk_create(const char *prefix);

// Frees the disk; its files must have been closed.
void crash_disk_destroy(crash_disk *disk);

// Operations tried so far.
uint64_t crash_disk_operations(crash_disk *disk);

// How many of them only put the content of a cut disk there.
uint64_t crash_disk_base(crash_disk *disk);

// Equal for disks with equal files, as the running program sees them.
uint64_t crash_disk_fingerprint(crash_disk *disk);

// Whether one of its files, as the running program sees them, holds these bytes one after the other.
int crash_disk_holds(crash_disk *disk, const void *bytes, uint64_t count);

// Handles that are open.
uint64_t crash_disk_handles(crash_disk *disk);

// Syncs tried so far.
uint64_t crash_disk_syncs(crash_disk *disk);

// Bytes written so far.
uint64_t crash_disk_bytes(crash_disk *disk);

// Lets every sync take that long from now on; several may be under way at the same time.
void crash_disk_slow(crash_disk *disk, uint64_t microseconds);

// Holds up every sync of the database file itself, though not of its log, as long as `stalled` is not 0.
void crash_disk_stall(crash_disk *disk, int stalled);

// Syncs that are held up now.
uint64_t crash_disk_stalled(crash_disk *disk);

// Lets the operations with these numbers (counted from 0) fail.
void crash_disk_fail(crash_disk *disk, uint64_t first, uint64_t count, crash_fault fault);

// Reads so far.
uint64_t crash_disk_reads(crash_disk *disk);

// Lets the reads with these numbers (counted from 0) fail.
void crash_disk_fail_reads(crash_disk *disk, uint64_t first, uint64_t count);

// Fills the empty disk `to` with what a power cut just before operation `boundary` of `from` leaves.
void crash_disk_cut(crash_disk *from, uint64_t boundary, crash_survival survival, uint64_t seed, crash_disk *to);

#endif
