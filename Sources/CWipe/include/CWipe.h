// Zeroes every block of the heap as it is released: what a visitor sent does not outlive the visit in freed memory.
//
// An executable that links this target has `free` and `realloc` from here, for all of its code and all libraries:
// Swift's runtime, Foundation, NIO, OpenSSL, SQLite and glibc itself. Only with glibc, and not in builds with a
// sanitizer, which has an allocator of its own.
#pragma once
#include <stddef.h>

// free(3) that first zeroes all that the block has room for. Keeps errno.
void cwipe_free(void *block);

// realloc(3) that leaves no copy: a block that moves is zeroed, and so is what a shorter one loses. NULL and ENOMEM,
// with the block as it was, where there is no memory; NULL for a size of 0, which releases the block.
void *cwipe_realloc(void *block, size_t size);
