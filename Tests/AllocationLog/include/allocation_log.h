#ifndef ALLOCATION_LOG_H
#define ALLOCATION_LOG_H

/// Begins to count the allocations of the calling thread that have at least `least` bytes, from zero. Allocations of
/// other threads are not counted.
void allocation_log_begin(long least);

/// Ends the count. Returns the number of counted calls (malloc, calloc, realloc and the functions for aligned
/// blocks), and stores the sum of the requested bytes in `bytes`.
long allocation_log_end(long *bytes);

#endif
