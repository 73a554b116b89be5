// A meter that counts what SQLite writes below a folder of the real disk, and that can make each sync take longer.
//
// Files, locks, the order of writes and the effect of a sync are those of SQLite's own file layer. The bench uses the
// meter to run the real ledger on a simulated slow card.
#ifndef DISK_METER_H
#define DISK_METER_H

#include <stdint.h>

typedef struct disk_meter disk_meter;

// What was written since the meter was created.
typedef struct {
    uint64_t bytes;   // written to the file system
    uint64_t blocks;  // blocks of 4,096 bytes that changed, counted once for each sync
    uint64_t syncs;
} disk_counts;

// Creates a meter for all files whose path begins with `prefix` and that SQLite opens from now on. Returns NULL if
// there is no memory. The meter exists until the process ends, because open files refer to it.
disk_meter *disk_meter_create(const char *prefix);

// Makes every later sync take `microseconds` longer. Several syncs may wait at the same time.
void disk_meter_slow(disk_meter *meter, uint64_t microseconds);

// Counts a write of `bytes` bytes and its sync for a file that is not SQLite's, and waits as long as a sync of SQLite
// would.
void disk_meter_note(disk_meter *meter, uint64_t bytes);

// Returns what was written since the meter was created.
disk_counts disk_meter_read(disk_meter *meter);

#endif
