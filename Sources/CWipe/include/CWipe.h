// Overwrites every block of the heap with zeros when it is freed, so that freed memory contains no data of a visitor.
//
// In an executable that links this target, all code and all libraries use its `free` and `realloc`: Swift's runtime,
// Foundation, NIO, OpenSSL, SQLite and glibc itself. This works only with glibc, and not in builds with a sanitizer,
// which has its own allocator.
#pragma once
#include <stddef.h>

// Does what free(3) does, after overwriting the whole block with zeros. Does not change errno.
void cwipe_free(void *block);

// Does what realloc(3) does, but leaves no copy of the data: a block that moves, and the end that a shorter block
// loses, are overwritten with zeros. If there is no memory, returns NULL with ENOMEM and leaves the block unchanged. A
// size of 0 frees the block and returns NULL.
void *cwipe_realloc(void *block, size_t size);
