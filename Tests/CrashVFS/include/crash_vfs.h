// A disk for SQLite that loses data which no sync has made durable.
//
// Every file whose path begins with a disk's prefix is in memory on that disk. SQLite opens all other paths in the
// real file system. The disk logs its operations (creation, write, truncation, sync, removal). From this log, one run
// of a program gives the state after a power cut at each of its operations, without a repetition of the run.
#ifndef CRASH_VFS_H
#define CRASH_VFS_H

#include <stdint.h>

typedef struct crash_disk crash_disk;

// The part of the unsynced operations that survives a power cut.
typedef enum {
    CRASH_KEEP_NONE = 0,  // none: only synced data survive
    CRASH_KEEP_ALL = 1,   // all: only the process ended, the machine did not
    CRASH_KEEP_SOME = 2,  // any subset, which the seed selects; of a write, a prefix of any length may survive
    CRASH_LOSE_LAST = 3   // like NONE, but the last sync is also lost: a faulty disk, to test the tests
} crash_survival;

// The way in which an operation fails.
typedef enum {
    CRASH_FAULT_NONE = 0,
    CRASH_FAULT_FULL = 1,  // ENOSPC: only the first half of a write is written
    CRASH_FAULT_IO = 2,    // EIO: like FULL; after a failed sync the kernel does not write the data again
    CRASH_FAULT_READONLY = 3  // the operation changes nothing
} crash_fault;

// Makes this VFS the default VFS of the process. Further calls have no effect.
void crash_vfs_install(void);

// Returns a new, empty disk for the paths that begin with `prefix`. Aborts if memory is exhausted.
crash_disk *crash_disk_create(const char *prefix);

// Frees the disk. All its files must be closed.
void crash_disk_destroy(crash_disk *disk);

// Returns the number of operations so far, including failed ones.
uint64_t crash_disk_operations(crash_disk *disk);

// Returns how many operations at the start of the log only wrote the content that crash_disk_cut() copied.
uint64_t crash_disk_base(crash_disk *disk);

// Returns a hash of the names and contents of the disk's files, as the running program sees them.
uint64_t crash_disk_fingerprint(crash_disk *disk);

// Returns whether one file, as the running program sees it, contains these `count` bytes in sequence.
int crash_disk_holds(crash_disk *disk, const void *bytes, uint64_t count);

// Returns the number of open handles.
uint64_t crash_disk_handles(crash_disk *disk);

// Returns the number of syncs so far, including failed ones.
uint64_t crash_disk_syncs(crash_disk *disk);

// Returns the number of bytes written so far.
uint64_t crash_disk_bytes(crash_disk *disk);

// Sets the duration of every later sync. Several syncs may run at the same time.
void crash_disk_slow(crash_disk *disk, uint64_t microseconds);

// While `stalled` is not 0, every sync of a file waits, except a sync of a write-ahead log.
void crash_disk_stall(crash_disk *disk, int stalled);

// Returns the number of syncs that wait now because of crash_disk_stall().
uint64_t crash_disk_stalled(crash_disk *disk);

// Makes the `count` operations from number `first` (counted from 0) fail in the way `fault`.
void crash_disk_fail(crash_disk *disk, uint64_t first, uint64_t count, crash_fault fault);

// Returns the number of reads so far.
uint64_t crash_disk_reads(crash_disk *disk);

// Makes the `count` reads from number `first` (counted from 0) fail.
void crash_disk_fail_reads(crash_disk *disk, uint64_t first, uint64_t count);

// Fills the empty disk `to` with the data that survive a power cut immediately before operation `boundary` of `from`.
void crash_disk_cut(crash_disk *from, uint64_t boundary, crash_survival survival, uint64_t seed, crash_disk *to);

#endif
