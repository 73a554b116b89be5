#include "disk_meter.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { block_bytes = 4096 };

struct disk_meter {
    char *prefix;
    _Atomic uint64_t delay, bytes, blocks, syncs;
    disk_meter *next;
};

// An open file: SQLite's own methods, three of which are replaced. `methods` must be the first member, because SQLite
// has a pointer to it.
typedef struct {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *real;
    disk_meter *meter;
    uint8_t *dirty;  // one byte for each block: 1 if it was written since the last sync
    size_t dirty_count;
} metered_file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static disk_meter *meters;
static int (*real_open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);

static metered_file *of(sqlite3_file *file) { return (metered_file *)file->pMethods; }

static void pause_for(disk_meter *meter) {
    uint64_t delay = atomic_load(&meter->delay);
    if (delay > 0) usleep((useconds_t)delay);
}

// Marks the blocks of a write as dirty. SQLite uses a file from one thread at a time, so the data of a file need no
// lock.
static void touch(metered_file *file, sqlite3_int64 offset, int count) {
    size_t first = (size_t)offset / block_bytes, last = ((size_t)offset + (size_t)count - 1) / block_bytes;
    if (last >= file->dirty_count) {
        size_t wanted = 2 * (last + 1);
        uint8_t *larger = realloc(file->dirty, wanted);
        if (larger == NULL) return;
        memset(larger + file->dirty_count, 0, wanted - file->dirty_count);
        file->dirty = larger;
        file->dirty_count = wanted;
    }
    memset(file->dirty + first, 1, last - first + 1);
}

static void settle(metered_file *file) {
    uint64_t blocks = 0;
    for (size_t i = 0; i < file->dirty_count; i++) blocks += file->dirty[i];
    if (blocks > 0) memset(file->dirty, 0, file->dirty_count);
    atomic_fetch_add(&file->meter->blocks, blocks);
}

static int metered_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    metered_file *file = of(base);
    if (count > 0) {
        atomic_fetch_add(&file->meter->bytes, (uint64_t)count);
        touch(file, offset, count);
    }
    return file->real->xWrite(base, bytes, count, offset);
}

static int metered_sync(sqlite3_file *base, int flags) {
    metered_file *file = of(base);
    settle(file);
    atomic_fetch_add(&file->meter->syncs, 1);
    pause_for(file->meter);
    return file->real->xSync(base, flags);
}

static int metered_close(sqlite3_file *base) {
    metered_file *file = of(base);
    settle(file);
    int code = file->real->xClose(base);
    free(file->dirty);
    free(file);
    return code;
}

static disk_meter *meter_of(const char *path) {
    pthread_mutex_lock(&lock);
    disk_meter *meter = meters;
    while (meter != NULL && strncmp(path, meter->prefix, strlen(meter->prefix)) != 0) meter = meter->next;
    pthread_mutex_unlock(&lock);
    return meter;
}

static int metered_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out) {
    int code = real_open(vfs, path, base, flags, out);
    disk_meter *meter = code == SQLITE_OK && path != NULL ? meter_of(path) : NULL;
    if (meter == NULL) return code;
    metered_file *file = calloc(1, sizeof *file);
    if (file == NULL) return code;
    file->real = base->pMethods;
    file->meter = meter;
    file->methods = *base->pMethods;
    file->methods.xWrite = metered_write;
    file->methods.xSync = metered_sync;
    file->methods.xClose = metered_close;
    // Writes through a memory mapping would not be counted, so offer SQLite no methods for mappings.
    if (file->methods.iVersion > 2) file->methods.iVersion = 2;
    base->pMethods = &file->methods;
    return code;
}

// Replaces the open function of the default VFS. Does not install another default, so that other wrappers of the
// default VFS still work.
static void install(void) {
    sqlite3_initialize();
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    real_open = vfs->xOpen;
    vfs->xOpen = metered_open;
}

disk_meter *disk_meter_create(const char *prefix) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    disk_meter *meter = calloc(1, sizeof *meter);
    if (meter == NULL) return NULL;
    meter->prefix = strdup(prefix);
    if (meter->prefix == NULL) {
        free(meter);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    meter->next = meters;
    meters = meter;
    pthread_mutex_unlock(&lock);
    return meter;
}

void disk_meter_slow(disk_meter *meter, uint64_t microseconds) { atomic_store(&meter->delay, microseconds); }

void disk_meter_note(disk_meter *meter, uint64_t bytes) {
    atomic_fetch_add(&meter->bytes, bytes);
    atomic_fetch_add(&meter->blocks, (bytes + block_bytes - 1) / block_bytes);
    atomic_fetch_add(&meter->syncs, 1);
    pause_for(meter);
}

disk_counts disk_meter_read(disk_meter *meter) {
    return (disk_counts){atomic_load(&meter->bytes), atomic_load(&meter->blocks), atomic_load(&meter->syncs)};
}
