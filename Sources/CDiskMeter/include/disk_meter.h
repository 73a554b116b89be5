// Counts what SQLite writes below a folder of the real disk, and can let each of its syncs take longer.
//
// Nothing else changes: the files, their locks and the order of writes are those of SQLite's own file layer, and what a sync has
// made durable is durable. For the bench: a slow card under the real ledger.
#ifndef DISK_METER_H
#define DISK_METER_H

#include <stdint.h>

typedef struct disk_meter disk_meter;

// What was written so far.
typedef struct {
    uint64_t bytes;   // handed to the file system
    uint64_t blocks;  // of 4,096 bytes that had to go to the disk: each touched one, once for each sync
    uint64_t syncs;
} disk_counts;

// Watches all files whose path begins with `prefix` and which SQLite opens from now on. NULL without memory. Lives as long as
// the process: files know it.
disk_meter *disk_meter_create(const char *prefix);

// Lets every sync take that much longer from now on; several may be under way at the same time.
void disk_meter_slow(disk_meter *meter, uint64_t microseconds);

// Takes in a write and its sync of a file that is not SQLite's, and waits as long as one of SQLite's would.
void disk_meter_note(disk_meter *meter, uint64_t bytes);

// The counts so far.
disk_counts disk_meter_read(disk_meter *meter);

#endif
