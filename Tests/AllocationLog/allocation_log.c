#include "allocation_log.h"

#include <errno.h>
#include <stddef.h>

// glibc's own names of its allocation functions. This file replaces malloc and the related functions for the whole
// program, because the linker prefers the program's symbols. The replacements call glibc's functions by these names.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local int counts;
static _Thread_local size_t smallest;
static _Thread_local long blocks;
static _Thread_local long total;

void allocation_log_begin(long least) {
    smallest = (size_t)least;
    blocks = 0;
    total = 0;
    counts = 1;
}

long allocation_log_end(long *bytes) {
    counts = 0;
    *bytes = total;
    return blocks;
}

static void note(size_t size) {
    if (!counts || size < smallest) return;
    blocks += 1;
    total += (long)size;
}

void *malloc(size_t size) {
    note(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    note(size);
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    note(size);
    void *made = __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}
