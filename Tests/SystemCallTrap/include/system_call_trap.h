/// Runs code under a kernel filter (seccomp) that lets no file, socket or other door to the world be opened.
#pragma once

/// Runs `body(context)` on a thread of its own on which every system call is refused but those for memory, locks, clocks,
/// the process's and thread's own numbers and the thread's end; counts what was refused.
///
/// Returns 0 with the number of refused calls in `refused` and the number of the first one in `first`; else an errno: this
/// kernel has no such filter.
int system_call_trap_run(void (*body)(void *), void *context, int *refused, int *first);
