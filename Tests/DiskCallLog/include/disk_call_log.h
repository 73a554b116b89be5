/// Stands between the program under test and the C library's calls that make files durable, and notes what one thread asks for.
///
/// All calls are passed on; a thread that has not begun a log notices nothing.
#pragma once

/// Begins a log of the calling thread. `failing`: the number of the fsync, from 1, that fails with EIO in place of being done;
/// 0: none.
void disk_call_log_begin(int failing);

/// Ends the log of the calling thread and copies it, zero-terminated and cut to `size` bytes: a line for each call in order,
/// `sync NAME BYTES` for a file, `sync NAME` for a folder, `rename OLD NEW` or `exchange OLD NEW`, with the last parts of paths.
void disk_call_log_end(char *text, int size);
