#ifndef ALLOCATION_LOG_H
#define ALLOCATION_LOG_H

/// Begins to count the calling thread's allocations of at least that many bytes, from zero. What other threads do is not counted.
void allocation_log_begin(long least);

/// Ends it. Returns how many blocks were asked for (malloc, calloc, realloc and the aligned ones), and in `bytes` their sizes together.
long allocation_log_end(long *bytes);

#endif
