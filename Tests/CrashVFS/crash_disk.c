#include "crash_disk.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef enum { OP_CREATE, OP_WRITE, OP_TRUNCATE, OP_SYNC, OP_SYNC_FAILED, OP_REMOVE, OP_NOTHING } op_kind;

typedef struct {
    op_kind kind;
    crash_file *file;
    uint64_t offset;  // offset of a write; new size of a truncation
    size_t count;
    unsigned char *bytes;
    int folder;       // sync or removal: the folder is also synced; creation: the new name is durable at once
} crash_op;

struct crash_disk {
    crash_disk *next;
    char *prefix;
    crash_file *files;
    crash_op *log;
    size_t op_count;
    size_t op_capacity;
    size_t base;          // number of operations at the start of the log that only wrote the content of a cut disk
    uint64_t handles;
    uint64_t syncs;
    uint64_t bytes;
    uint64_t sync_microseconds;
    int stalls;
    uint64_t stalled;
    uint64_t fail_first;
    uint64_t fail_count;
    uint64_t reads;
    uint64_t read_fail_first;
    uint64_t read_fail_count;
    crash_fault fault;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static crash_disk *disks = NULL;

void crash_lock(void) { pthread_mutex_lock(&mutex); }
void crash_unlock(void) { pthread_mutex_unlock(&mutex); }

// Returns `memory`; aborts the test if it is NULL, because then memory is exhausted.
static void *need(void *memory) {
    if (memory == NULL) abort();
    return memory;
}

static void buffer_resize(crash_buffer *buffer, size_t count) {
    if (count > buffer->capacity) {
        size_t capacity = count < 4096 ? 4096 : count * 2;
        buffer->bytes = need(realloc(buffer->bytes, capacity));
        buffer->capacity = capacity;
    }
    if (count > buffer->count) memset(buffer->bytes + buffer->count, 0, count - buffer->count);
    buffer->count = count;
}

static void buffer_write(crash_buffer *buffer, uint64_t offset, const void *bytes, size_t count) {
    if (count == 0) return;
    if (offset + count > buffer->count) buffer_resize(buffer, offset + count);
    memcpy(buffer->bytes + offset, bytes, count);
}

crash_disk *crash_disk_create(const char *prefix) {
    crash_disk *disk = need(calloc(1, sizeof *disk));
    disk->prefix = need(strdup(prefix));
    crash_lock();
    disk->next = disks;
    disks = disk;
    crash_unlock();
    return disk;
}

void crash_disk_destroy(crash_disk *disk) {
    crash_lock();
    for (crash_disk **link = &disks; *link != NULL; link = &(*link)->next) {
        if (*link == disk) {
            *link = disk->next;
            break;
        }
    }
    crash_unlock();
    while (disk->files != NULL) {
        crash_file *file = disk->files;
        disk->files = file->next;
        for (int i = 0; i < file->region_count; i++) free(file->regions[i]);
        free(file->regions);
        free(file->content.bytes);
        free(file->name);
        free(file);
    }
    for (size_t i = 0; i < disk->op_count; i++) free(disk->log[i].bytes);
    free(disk->log);
    free(disk->prefix);
    free(disk);
}

uint64_t crash_disk_operations(crash_disk *disk) {
    crash_lock();
    uint64_t count = disk->op_count;
    crash_unlock();
    return count;
}

uint64_t crash_disk_base(crash_disk *disk) {
    crash_lock();
    uint64_t count = disk->base;
    crash_unlock();
    return count;
}

uint64_t crash_disk_handles(crash_disk *disk) {
    crash_lock();
    uint64_t count = disk->handles;
    crash_unlock();
    return count;
}

uint64_t crash_disk_syncs(crash_disk *disk) {
    crash_lock();
    uint64_t count = disk->syncs;
    crash_unlock();
    return count;
}

uint64_t crash_disk_bytes(crash_disk *disk) {
    crash_lock();
    uint64_t count = disk->bytes;
    crash_unlock();
    return count;
}

void crash_disk_slow(crash_disk *disk, uint64_t microseconds) {
    crash_lock();
    disk->sync_microseconds = microseconds;
    crash_unlock();
}

void crash_disk_stall(crash_disk *disk, int stalled) {
    crash_lock();
    disk->stalls = stalled;
    crash_unlock();
}

uint64_t crash_disk_stalled(crash_disk *disk) {
    crash_lock();
    uint64_t count = disk->stalled;
    crash_unlock();
    return count;
}

int crash_sync_stalls(crash_file *file, int count) {
    crash_lock();
    size_t length = strlen(file->name);
    int is_log = length > 4 && strcmp(file->name + length - 4, "-wal") == 0;
    file->disk->stalled += (uint64_t)(int64_t)count;
    int stalls = file->disk->stalls && !is_log;
    crash_unlock();
    return stalls;
}

uint64_t crash_sync_microseconds(crash_file *file) { return file->disk->sync_microseconds; }

void crash_disk_fail(crash_disk *disk, uint64_t first, uint64_t count, crash_fault fault) {
    crash_lock();
    disk->fail_first = first;
    disk->fail_count = count;
    disk->fault = fault;
    crash_unlock();
}

void crash_disk_fail_reads(crash_disk *disk, uint64_t first, uint64_t count) {
    crash_lock();
    disk->read_fail_first = first;
    disk->read_fail_count = count;
    crash_unlock();
}

uint64_t crash_disk_reads(crash_disk *disk) {
    crash_lock();
    uint64_t reads = disk->reads;
    crash_unlock();
    return reads;
}

int crash_read_fails(crash_file *file) {
    uint64_t number = file->disk->reads++;
    return number >= file->disk->read_fail_first && number - file->disk->read_fail_first < file->disk->read_fail_count;
}

crash_disk *crash_disk_of(const char *path, const char **name) {
    if (path == NULL) return NULL;
    for (crash_disk *disk = disks; disk != NULL; disk = disk->next) {
        size_t length = strlen(disk->prefix);
        if (strncmp(path, disk->prefix, length) == 0) {
            *name = path + length;
            return disk;
        }
    }
    return NULL;
}

crash_file *crash_find(crash_disk *disk, const char *name) {
    for (crash_file *file = disk->files; file != NULL; file = file->next) {
        if (file->linked && strcmp(file->name, name) == 0) return file;
    }
    return NULL;
}

void crash_handle_opened(crash_disk *disk) { disk->handles++; }
void crash_handle_closed(crash_disk *disk) { disk->handles--; }

// Appends an operation to the log, and sets `fault` to the way in which the operation must fail. A failed operation
// also has an entry, so the number of an operation is always its index in the log.
static crash_op *next_op(crash_disk *disk, crash_fault *fault) {
    uint64_t number = disk->op_count;
    if (disk->op_count == disk->op_capacity) {
        disk->op_capacity = disk->op_capacity == 0 ? 256 : disk->op_capacity * 2;
        disk->log = need(realloc(disk->log, disk->op_capacity * sizeof *disk->log));
    }
    crash_op *op = &disk->log[disk->op_count++];
    memset(op, 0, sizeof *op);
    op->kind = OP_NOTHING;
    int fails = number >= disk->fail_first && number - disk->fail_first < disk->fail_count;
    *fault = fails ? disk->fault : CRASH_FAULT_NONE;
    return op;
}

static crash_file *new_file(crash_disk *disk, const char *name) {
    crash_file *file = need(calloc(1, sizeof *file));
    file->disk = disk;
    file->name = need(strdup(name));
    file->linked = 1;
    file->next = disk->files;
    disk->files = file;
    return file;
}

crash_fault crash_create(crash_disk *disk, const char *name, int durable, crash_file **file) {
    crash_fault fault;
    crash_op *op = next_op(disk, &fault);
    if (fault != CRASH_FAULT_NONE) return fault;
    op->kind = OP_CREATE;
    op->folder = durable;
    op->file = *file = new_file(disk, name);
    return fault;
}

crash_fault crash_write(crash_file *file, uint64_t offset, const void *bytes, size_t count) {
    crash_fault fault;
    crash_op *op = next_op(file->disk, &fault);
    if (fault == CRASH_FAULT_READONLY) return fault;
    if (fault != CRASH_FAULT_NONE) count /= 2;
    file->disk->bytes += count;
    op->kind = OP_WRITE;
    op->file = file;
    op->offset = offset;
    op->count = count;
    op->bytes = need(malloc(count + 1));
    memcpy(op->bytes, bytes, count);
    buffer_write(&file->content, offset, bytes, count);
    return fault;
}

crash_fault crash_truncate(crash_file *file, uint64_t size) {
    crash_fault fault;
    crash_op *op = next_op(file->disk, &fault);
    if (fault != CRASH_FAULT_NONE) return fault;
    op->kind = OP_TRUNCATE;
    op->file = file;
    op->offset = size;
    buffer_resize(&file->content, size);
    return fault;
}

crash_fault crash_sync(crash_file *file, int folder) {
    crash_fault fault;
    crash_op *op = next_op(file->disk, &fault);
    file->disk->syncs++;
    op->kind = fault == CRASH_FAULT_NONE ? OP_SYNC : OP_SYNC_FAILED;
    op->file = file;
    op->folder = folder;
    return fault;
}

crash_fault crash_remove(crash_file *file, int folder) {
    crash_fault fault;
    crash_op *op = next_op(file->disk, &fault);
    if (fault != CRASH_FAULT_NONE) return fault;
    op->kind = OP_REMOVE;
    op->file = file;
    op->folder = folder;
    file->linked = 0;
    return fault;
}

// MARK: - The power cut

// One file while crash_disk_cut() replays the log.
typedef struct {
    const crash_file *file;
    crash_buffer durable;
    int exists;
    int linked;        // whether the name is durable in the folder
    int link_pending;  // change of the name since the last sync of the folder: +1 created, -1 removed, 0 none
} cut_file;

// Returns the next random number of the generator splitmix64, which is sufficient to choose subsets.
static uint64_t chance(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void apply(cut_file *file, const crash_op *op, size_t count) {
    if (op->kind == OP_WRITE) buffer_write(&file->durable, op->offset, op->bytes, count);
    if (op->kind == OP_TRUNCATE) buffer_resize(&file->durable, op->offset);
}

// Applies an operation that no sync has made durable: completely for CRASH_KEEP_ALL; completely, partly or not at all
// for CRASH_KEEP_SOME; not at all otherwise.
static void survive(cut_file *file, const crash_op *op, crash_survival survival, uint64_t *state) {
    if (survival == CRASH_KEEP_ALL) return apply(file, op, op->count);
    if (survival != CRASH_KEEP_SOME) return;
    switch (chance(state) % 4) {
        case 0: break;
        case 1: apply(file, op, op->kind == OP_WRITE ? chance(state) % (op->count + 1) : 0); break;
        default: apply(file, op, op->count);
    }
}

static cut_file *cut_find(cut_file *files, size_t count, const crash_file *file) {
    for (size_t i = 0; i < count; i++) {
        if (files[i].file == file) return &files[i];
    }
    return NULL;
}

static void sync_folder(cut_file *files, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (files[i].link_pending != 0) files[i].linked = files[i].link_pending > 0;
        files[i].link_pending = 0;
    }
}

void crash_disk_cut(crash_disk *from, uint64_t boundary, crash_survival survival, uint64_t seed, crash_disk *to) {
    crash_lock();
    size_t limit = boundary < from->op_count ? (size_t)boundary : from->op_count;
    if (limit < from->base) limit = from->base;
    size_t file_count = 0;
    cut_file *files = need(calloc(limit + 1, sizeof *files));
    // The operations that no sync has made durable yet.
    size_t pending_count = 0;
    const crash_op **pending = need(calloc(limit + 1, sizeof *pending));
    while (survival == CRASH_LOSE_LAST && limit > from->base && from->log[limit - 1].kind != OP_SYNC) limit--;
    if (survival == CRASH_LOSE_LAST && limit > from->base) limit--;
    for (size_t i = 0; i < limit; i++) {
        const crash_op *op = &from->log[i];
        cut_file *file = op->file == NULL ? NULL : cut_find(files, file_count, op->file);
        switch (op->kind) {
            case OP_NOTHING: break;
            case OP_CREATE:
                file = &files[file_count++];
                file->file = op->file;
                file->linked = op->folder;
                file->link_pending = op->folder ? 0 : 1;
                break;
            case OP_REMOVE:
                file->link_pending = -1;
                if (op->folder) sync_folder(files, file_count);
                break;
            case OP_WRITE:
            case OP_TRUNCATE: pending[pending_count++] = op; break;
            case OP_SYNC:
            case OP_SYNC_FAILED: {
                // A failed sync may have written any part of the data. The kernel then regards all of it as written,
                // so the unwritten part is lost.
                size_t kept = 0;
                uint64_t state = seed ^ (i * 0x2545F4914F6CDD1Du);
                for (size_t j = 0; j < pending_count; j++) {
                    if (pending[j]->file != op->file) {
                        pending[kept++] = pending[j];
                    } else if (op->kind == OP_SYNC) {
                        apply(file, pending[j], pending[j]->count);
                    } else {
                        survive(file, pending[j], CRASH_KEEP_SOME, &state);
                    }
                }
                pending_count = kept;
                if (op->kind == OP_SYNC && op->folder) sync_folder(files, file_count);
                break;
            }
        }
    }
    uint64_t state = seed;
    for (size_t i = 0; i < pending_count; i++) {
        survive(cut_find(files, file_count, pending[i]->file), pending[i], survival, &state);
    }
    for (size_t i = 0; i < file_count; i++) {
        int settled = files[i].link_pending != 0
            && (survival == CRASH_KEEP_ALL || (survival == CRASH_KEEP_SOME && chance(&state) % 2 == 0));
        if (settled) files[i].linked = files[i].link_pending > 0;
    }
    for (size_t i = 0; i < file_count; i++) {
        // A folder contains a name only once. If a later file has the same name, the removal of this file also
        // happened.
        int linked = files[i].linked;
        for (size_t j = i + 1; j < file_count; j++) {
            if (files[j].linked && strcmp(files[j].file->name, files[i].file->name) == 0) linked = 0;
        }
        if (linked) {
            // After the cut, the content of the disk is durable: the log of the new disk begins with its creation.
            crash_fault fault;
            crash_file *file;
            crash_create(to, files[i].file->name, 1, &file);
            crash_op *op = next_op(to, &fault);
            op->kind = OP_WRITE;
            op->file = file;
            op->count = files[i].durable.count;
            op->bytes = need(malloc(op->count + 1));
            if (op->count > 0) memcpy(op->bytes, files[i].durable.bytes, op->count);
            buffer_write(&file->content, 0, op->bytes, op->count);
            crash_sync(file, 1);
        }
        free(files[i].durable.bytes);
    }
    to->base = to->op_count;
    free(files);
    free(pending);
    crash_unlock();
}

int crash_disk_holds(crash_disk *disk, const void *bytes, uint64_t count) {
    crash_lock();
    int found = 0;
    for (const crash_file *file = disk->files; file != NULL && !found; file = file->next) {
        for (size_t i = 0; file->linked && i + count <= file->content.count && !found; i++) {
            found = memcmp(file->content.bytes + i, bytes, count) == 0;
        }
    }
    crash_unlock();
    return found;
}

uint64_t crash_disk_fingerprint(crash_disk *disk) {
    crash_lock();
    uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a, over 8 bytes at a time
    for (const crash_file *file = disk->files; file != NULL; file = file->next) {
        if (!file->linked) continue;
        for (const char *letter = file->name; *letter != 0; letter++) {
            hash = (hash ^ (unsigned char)*letter) * 0x100000001B3u;
        }
        for (size_t i = 0; i < file->content.count; i += 8) {
            uint64_t word = 0;
            size_t rest = file->content.count - i;
            memcpy(&word, file->content.bytes + i, rest < 8 ? rest : 8);
            hash = (hash ^ word) * 0x100000001B3u;
            hash ^= hash >> 29;
        }
        hash = (hash ^ file->content.count) * 0x100000001B3u;
    }
    crash_unlock();
    return hash;
}
