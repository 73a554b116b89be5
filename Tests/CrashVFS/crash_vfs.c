// The methods of a SQLite VFS (https://www.sqlite.org/vfs.html) that work on the disk model of crash_disk.h.
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash_disk.h"

typedef struct {
    sqlite3_file base;
    crash_file *file;
    int level;         // the lock of this handle: SQLITE_LOCK_…
    int sync_folder;   // the next sync makes the folder durable too, as SQLite's unix VFS does for logs and journals
    int remove_on_close;
    int mapped;
    unsigned shm_shared;
    unsigned shm_exclusive;
} handle;

static sqlite3_vfs *real;
static sqlite3_vfs vfs;

static int io_close(sqlite3_file *base) {
    handle *h = (handle *)base;
    crash_lock();
    if (h->remove_on_close) crash_remove(h->file, 0);
    crash_handle_closed(h->file->disk);
    crash_unlock();
    return SQLITE_OK;
}

static int io_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    handle *h = (handle *)base;
    crash_lock();
    if (crash_read_fails(h->file)) {
        crash_unlock();
        return SQLITE_IOERR_READ;
    }
    const crash_buffer *content = &h->file->content;
    size_t there = (size_t)offset >= content->count ? 0 : content->count - (size_t)offset;
    if (there > (size_t)count) there = (size_t)count;
    if (there > 0) memcpy(bytes, content->bytes + offset, there);
    crash_unlock();
    if (there == (size_t)count) return SQLITE_OK;
    memset((char *)bytes + there, 0, (size_t)count - there);
    return SQLITE_IOERR_SHORT_READ;
}

static int result(crash_fault fault, int io_code) {
    switch (fault) {
        case CRASH_FAULT_NONE: return SQLITE_OK;
        case CRASH_FAULT_FULL: return SQLITE_FULL;
        case CRASH_FAULT_READONLY: return SQLITE_READONLY;
        default: return io_code;
    }
}

static int io_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    crash_lock();
    crash_fault fault = crash_write(((handle *)base)->file, (uint64_t)offset, bytes, (size_t)count);
    crash_unlock();
    return result(fault, SQLITE_IOERR_WRITE);
}

static int io_truncate(sqlite3_file *base, sqlite3_int64 size) {
    crash_lock();
    crash_fault fault = crash_truncate(((handle *)base)->file, (uint64_t)size);
    crash_unlock();
    return fault == CRASH_FAULT_NONE ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int io_sync(sqlite3_file *base, int flags) {
    (void)flags;
    handle *h = (handle *)base;
    crash_lock();
    crash_fault fault = crash_sync(h->file, h->sync_folder);
    if (fault == CRASH_FAULT_NONE) h->sync_folder = 0;
    uint64_t microseconds = crash_sync_microseconds(h->file);
    crash_unlock();
    if (microseconds > 0) usleep((useconds_t)microseconds);
    if (crash_sync_stalls(h->file, 0)) {
        crash_sync_stalls(h->file, 1);
        while (crash_sync_stalls(h->file, 0)) usleep(1000);
        crash_sync_stalls(h->file, -1);
    }
    return fault == CRASH_FAULT_NONE ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int io_size(sqlite3_file *base, sqlite3_int64 *size) {
    crash_lock();
    *size = (sqlite3_int64)((handle *)base)->file->content.count;
    crash_unlock();
    return SQLITE_OK;
}

static int io_lock(sqlite3_file *base, int level) {
    handle *h = (handle *)base;
    crash_file *f = h->file;
    int code = SQLITE_OK;
    crash_lock();
    if (level > h->level) {
        int others = f->shared - (h->level >= SQLITE_LOCK_SHARED ? 1 : 0);
        if ((f->exclusive != NULL && f->exclusive != h) || (f->pending != NULL && f->pending != h)
            || (level >= SQLITE_LOCK_RESERVED && f->reserved != NULL && f->reserved != h)) {
            code = SQLITE_BUSY;
        } else if (level == SQLITE_LOCK_EXCLUSIVE && others > 0) {
            f->pending = h;
            h->level = SQLITE_LOCK_PENDING;
            code = SQLITE_BUSY;
        } else {
            if (h->level == SQLITE_LOCK_NONE) f->shared++;
            if (level >= SQLITE_LOCK_RESERVED) f->reserved = h;
            if (level == SQLITE_LOCK_EXCLUSIVE) f->exclusive = h;
            h->level = level;
        }
    }
    crash_unlock();
    return code;
}

static int io_unlock(sqlite3_file *base, int level) {
    handle *h = (handle *)base;
    crash_file *f = h->file;
    crash_lock();
    if (level < h->level) {
        if (f->reserved == h) f->reserved = NULL;
        if (f->pending == h) f->pending = NULL;
        if (f->exclusive == h) f->exclusive = NULL;
        if (level == SQLITE_LOCK_NONE) f->shared--;
        h->level = level;
    }
    crash_unlock();
    return SQLITE_OK;
}

static int io_check_reserved(sqlite3_file *base, int *reserved) {
    crash_lock();
    *reserved = ((handle *)base)->file->reserved != NULL;
    crash_unlock();
    return SQLITE_OK;
}

static int io_control(sqlite3_file *base, int op, void *argument) {
    (void)base, (void)op, (void)argument;
    return SQLITE_NOTFOUND;
}

static int io_sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

// Returns what SQLite's unix VFS reports by default: a power cut during a write never damages the adjacent bytes.
static int io_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int io_shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **memory) {
    handle *h = (handle *)base;
    crash_file *f = h->file;
    crash_lock();
    if (!h->mapped) {
        h->mapped = 1;
        f->shm_users++;
    }
    while (extend && f->region_count <= region) {
        f->regions = realloc(f->regions, (size_t)(f->region_count + 1) * sizeof *f->regions);
        f->regions[f->region_count++] = calloc(1, (size_t)size);
    }
    *memory = region < f->region_count ? f->regions[region] : NULL;
    crash_unlock();
    return SQLITE_OK;
}

static int io_shm_lock(sqlite3_file *base, int first, int count, int flags) {
    handle *h = (handle *)base;
    crash_file *f = h->file;
    unsigned mask = ((1u << count) - 1) << first;
    int code = SQLITE_OK;
    crash_lock();
    if (flags & SQLITE_SHM_UNLOCK) {
        for (int i = first; i < first + count; i++) {
            if (h->shm_exclusive & (1u << i)) f->shm_exclusive[i] = NULL;
            if (h->shm_shared & (1u << i)) f->shm_shared[i]--;
        }
        h->shm_exclusive &= ~mask;
        h->shm_shared &= ~mask;
    } else {
        for (int i = first; i < first + count; i++) {
            int own = (h->shm_shared >> i) & 1;
            if (f->shm_exclusive[i] != NULL && f->shm_exclusive[i] != h) code = SQLITE_BUSY;
            if ((flags & SQLITE_SHM_EXCLUSIVE) && f->shm_shared[i] - own > 0) code = SQLITE_BUSY;
        }
        for (int i = first; code == SQLITE_OK && i < first + count; i++) {
            if (flags & SQLITE_SHM_EXCLUSIVE) {
                f->shm_exclusive[i] = h;
                h->shm_exclusive |= 1u << i;
            } else if (!(h->shm_shared & (1u << i))) {
                f->shm_shared[i]++;
                h->shm_shared |= 1u << i;
            }
        }
    }
    crash_unlock();
    return code;
}

static void io_shm_barrier(sqlite3_file *base) {
    (void)base;
    crash_lock();
    crash_unlock();
}

static int io_shm_unmap(sqlite3_file *base, int remove) {
    (void)remove;
    handle *h = (handle *)base;
    crash_file *f = h->file;
    crash_lock();
    if (h->mapped) {
        for (int i = 0; i < 8; i++) {
            if (h->shm_exclusive & (1u << i)) f->shm_exclusive[i] = NULL;
            if (h->shm_shared & (1u << i)) f->shm_shared[i]--;
        }
        h->shm_exclusive = h->shm_shared = 0;
        h->mapped = 0;
        if (--f->shm_users == 0) {
            for (int i = 0; i < f->region_count; i++) free(f->regions[i]);
            free(f->regions);
            f->regions = NULL;
            f->region_count = 0;
        }
    }
    crash_unlock();
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = io_close,
    .xRead = io_read,
    .xWrite = io_write,
    .xTruncate = io_truncate,
    .xSync = io_sync,
    .xFileSize = io_size,
    .xLock = io_lock,
    .xUnlock = io_unlock,
    .xCheckReservedLock = io_check_reserved,
    .xFileControl = io_control,
    .xSectorSize = io_sector_size,
    .xDeviceCharacteristics = io_characteristics,
    .xShmMap = io_shm_map,
    .xShmLock = io_shm_lock,
    .xShmBarrier = io_shm_barrier,
    .xShmUnmap = io_shm_unmap,
};

static int vfs_open(sqlite3_vfs *self, const char *path, sqlite3_file *base, int flags, int *out) {
    (void)self;
    const char *name = NULL;
    crash_lock();
    crash_disk *disk = crash_disk_of(path, &name);
    if (disk == NULL) {
        crash_unlock();
        return real->xOpen(real, path, base, flags, out);
    }
    handle *h = (handle *)base;
    memset(h, 0, sizeof *h);
    int code = SQLITE_OK;
    crash_file *file = crash_find(disk, name);
    if (file == NULL && (flags & SQLITE_OPEN_CREATE)) {
        // The program itself creates its database file in the real folder and makes the name durable; SQLite never
        // syncs the folder for this file. So the name counts as durable if the real file exists.
        int durable = (flags & SQLITE_OPEN_MAIN_DB) && access(path, F_OK) == 0;
        if (crash_create(disk, name, durable, &file) != CRASH_FAULT_NONE) file = NULL;
    }
    if (file == NULL) {
        code = SQLITE_CANTOPEN;
    } else {
        int log = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
        h->base.pMethods = &methods;
        h->file = file;
        h->sync_folder = (flags & SQLITE_OPEN_CREATE) && (flags & log);
        h->remove_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
        crash_handle_opened(disk);
        if (out != NULL) *out = flags;
    }
    crash_unlock();
    return code;
}

static int vfs_delete(sqlite3_vfs *self, const char *path, int sync_folder) {
    (void)self;
    const char *name = NULL;
    crash_lock();
    crash_disk *disk = crash_disk_of(path, &name);
    if (disk == NULL) {
        crash_unlock();
        return real->xDelete(real, path, sync_folder);
    }
    crash_file *file = crash_find(disk, name);
    int code = file == NULL ? SQLITE_IOERR_DELETE_NOENT : SQLITE_OK;
    if (file != NULL && crash_remove(file, sync_folder) != CRASH_FAULT_NONE) code = SQLITE_IOERR_DELETE;
    crash_unlock();
    return code;
}

static int vfs_access(sqlite3_vfs *self, const char *path, int flags, int *out) {
    (void)self;
    const char *name = NULL;
    crash_lock();
    crash_disk *disk = crash_disk_of(path, &name);
    if (disk == NULL) {
        crash_unlock();
        return real->xAccess(real, path, flags, out);
    }
    const crash_file *file = crash_find(disk, name);
    *out = file != NULL && (flags != SQLITE_ACCESS_EXISTS || file->content.count > 0);
    crash_unlock();
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *self, const char *path, int count, char *out) {
    (void)self;
    return real->xFullPathname(real, path, count, out);
}

static void install(void) {
    sqlite3_initialize();
    real = sqlite3_vfs_find(NULL);
    vfs = *real;  // randomness, sleep and clock remain those of the real VFS
    vfs.pNext = NULL;
    vfs.zName = "crash";
    vfs.szOsFile = real->szOsFile > (int)sizeof(handle) ? real->szOsFile : (int)sizeof(handle);
    vfs.xOpen = vfs_open;
    vfs.xDelete = vfs_delete;
    vfs.xAccess = vfs_access;
    vfs.xFullPathname = vfs_full_path;
    sqlite3_vfs_register(&vfs, 1);
}

void crash_vfs_install(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}
