/// Runs code under a kernel filter (seccomp) that refuses to open files, sockets and all other connections to the
/// outside.
#pragma once

/// Runs `body(context)` on a new thread on which the kernel refuses all system calls except those for memory, locks,
/// clocks, the numbers of process and thread, signal handling and the thread's end.
///
/// Returns 0, and stores the number of refused calls in `refused` and the system call number of the first one in
/// `first` (-1: none). Returns an errno if this kernel has no such filter or the thread cannot be made.
int system_call_trap_run(void (*body)(void *), void *context, int *refused, int *first);
