// Zeroes every block of the heap when it is released: freed memory contains no data of a visitor after the visit.
//
// An executable that links this target uses `free` and `realloc` of this target, for all of its code and all libraries:
// Swift's runtime, Foundation, NIO, OpenSSL, SQLite and glibc itself. Only with glibc, and not in builds with a
// sanitizer, which has an allocator of its own.
#pragma once
#include <stddef.h>

// free(3) that first zeroes the whole block. Keeps errno.
void cwipe_free(void *block);

// realloc(3) that leaves no copy: it zeroes a block that moves, and the end that a shorter block loses. Without memory
// it returns NULL with ENOMEM and leaves the block unchanged. A size of 0 releases the block and returns NULL.
void *cwipe_realloc(void *block, size_t size);
