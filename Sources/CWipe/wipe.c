#include "CWipe.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

// The names under which glibc exports its own functions. The functions at the end of this file take precedence over
// them (see "Replacing malloc" in glibc's manual). All of them are replaced, so that no block comes from another
// allocator that was loaded before. GLIBC_TUNABLES=glibc.malloc.perturb is not sufficient: it does not overwrite the
// blocks in the cache of each thread, which are nearly all.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *__libc_valloc(size_t size);
void *__libc_pvalloc(size_t size);
void __libc_free(void *block);

// Returns whether the block is a memory mapping of its own (IS_MMAPPED in malloc.c). When it is freed, the kernel takes
// it back, and the kernel provides only zeroed pages.
static bool is_mapping(const void *block) { return ((const size_t *)block)[-1] & 2; }

// The value that glibc writes into the second word of a block in a thread's cache, to detect that it is freed twice; 0
// if the value is not known.
static uintptr_t cache_key;

__attribute__((constructor)) static void learn_cache_key(void) {
    volatile uintptr_t *block = __libc_malloc(3 * sizeof *block);
    if (!block) return;
    __libc_free((void *)block);
    cache_key = block[1];
}

// Does what memset(3) with zeros does. No compiler can remove the call.
static void clear(char *start, size_t count) {
    memset(start, 0, count);
    __asm__ volatile("" : : "r"(start) : "memory");
}

void cwipe_free(void *block) {
    if (!block) return;
    // Do not change a block that is freed twice, so that glibc finds its value in it and reports the error.
    bool is_cached = cache_key && ((const uintptr_t *)block)[1] == cache_key;
    if (!is_mapping(block) && !is_cached) clear(block, malloc_usable_size(block));
    __libc_free(block);
}

void *cwipe_realloc(void *block, size_t size) {
    if (!block) return __libc_malloc(size);
    if (size == 0) {
        cwipe_free(block);
        return NULL;
    }
    size_t room = malloc_usable_size(block);
    if (is_mapping(block) && size > room) return __libc_realloc(block, size);
    // A block stays at its place, unless more than half of its room would be unused.
    if (size <= room && size >= room / 2) {
        clear((char *)block + size, room - size);
        return block;
    }
    void *moved = __libc_malloc(size);
    if (!moved) return NULL;
    memcpy(moved, block, size < room ? size : room);
    cwipe_free(block);
    return moved;
}

static int aligned(void **block, size_t alignment, size_t size) {
    if (!alignment || alignment & (alignment - 1) || alignment % sizeof(void *)) return EINVAL;
    int error = errno;
    void *made = __libc_memalign(alignment, size);
    errno = error;
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}

// The functions are weak, so that a program may define its own: the program that runs the tests counts the calls.
#define WEAK __attribute__((weak))
WEAK void free(void *block) { cwipe_free(block); }
WEAK void *realloc(void *block, size_t size) { return cwipe_realloc(block, size); }
WEAK void *malloc(size_t size) { return __libc_malloc(size); }
WEAK void *calloc(size_t count, size_t size) { return __libc_calloc(count, size); }
WEAK void *memalign(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }
WEAK void *aligned_alloc(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }
WEAK int posix_memalign(void **block, size_t alignment, size_t size) { return aligned(block, alignment, size); }
WEAK void *valloc(size_t size) { return __libc_valloc(size); }
WEAK void *pvalloc(size_t size) { return __libc_pvalloc(size); }

#else

void cwipe_free(void *block) { free(block); }
void *cwipe_realloc(void *block, size_t size) { return realloc(block, size); }

#endif
