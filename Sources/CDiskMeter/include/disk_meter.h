// Counts the writes of SQLite below a folder of the real disk, and can make each sync take longer.
//
// Files, locks, the order of writes and the effect of a sync are those of SQLite's own file layer. The bench uses the
// meter to simulate a slow card with the real ledger.
#ifndef DISK_METER_H
#define DISK_METER_H

#include <stdint.h>

typedef struct disk_meter disk_meter;

// The counts so far.
typedef struct {
    uint64_t bytes;   // handed to the file system
    uint64_t blocks;  // of 4,096 bytes that had to go to the disk: each touched one, once for each sync
    uint64_t syncs;
} disk_counts;

// Watches all files whose path begins with `prefix` and that SQLite opens from now on. Returns NULL without memory. The
// meter exists until the process ends, because files refer to it.
disk_meter *disk_meter_create(const char *prefix);

// Makes every sync take longer by `microseconds` from now on; several syncs may run at the same time.
void disk_meter_slow(disk_meter *meter, uint64_t microseconds);

// Counts a write and its sync of a file that is not SQLite's, and waits as long as a sync of SQLite's would.
void disk_meter_note(disk_meter *meter, uint64_t bytes);

// Returns the counts so far.
disk_counts disk_meter_read(disk_meter *meter);

#endif
