/// Replaces the C library's functions that make files durable, and logs the calls of one thread. Every call is also
/// carried out, except a failing fsync. Calls of a thread that has not begun a log are not logged.
#pragma once

/// Begins a log of the calling thread. `failing` is the number of the fsync, counted from 1, that returns EIO instead
/// of a sync; 0: none fails.
void disk_call_log_begin(int failing);

/// Ends the log of the calling thread, and copies it to `text`, zero-terminated and cut to `size` bytes. The log has
/// one line per call, in order: `sync NAME BYTES` for a file, `sync NAME` for a folder, `rename OLD NEW` or `exchange
/// OLD NEW`. Each name is the last part of a path.
void disk_call_log_end(char *text, int size);
