#include "CWipe.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

// The names by which glibc exports its own functions; those below precede them in the order of symbols (see "Replacing
// malloc" in glibc's manual). malloc, calloc and the aligned ones stay glibc's: a new block holds nothing to be zeroed.
// Not GLIBC_TUNABLES=glibc.malloc.perturb: it misses the blocks of each thread's cache, which are nearly all.
void *__libc_malloc(size_t size);
void __libc_free(void *block);

// memset(3) that no compiler leaves out.
static void clear(char *start, size_t count) {
    memset(start, 0, count);
    __asm__ volatile("" : : "r"(start) : "memory");
}

void cwipe_free(void *block) {
    if (!block) return;
    clear(block, malloc_usable_size(block));
    __libc_free(block);
}

void *cwipe_realloc(void *block, size_t size) {
    if (!block) return __libc_malloc(size);
    if (size == 0) {
        cwipe_free(block);
        return NULL;
    }
    size_t room = malloc_usable_size(block);
    // A block stays where it is unless it would keep more than half of its room for nothing.
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

// Weak, so that a program may bring its own: the one that runs the tests counts calls of realloc.
__attribute__((weak, alias("cwipe_free"))) void free(void *block);
__attribute__((weak, alias("cwipe_realloc"))) void *realloc(void *block, size_t size);

#else

void cwipe_free(void *block) { free(block); }
void *cwipe_realloc(void *block, size_t size) { return realloc(block, size); }

#endif
