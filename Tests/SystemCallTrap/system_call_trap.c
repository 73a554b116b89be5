#define _GNU_SOURCE
#include "system_call_trap.h"

#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static atomic_int refused_calls;
static atomic_int first_call;

struct work {
    void (*body)(void *);
    void *context;
    int error;
};

// Counts a refused call. The kernel does not carry it out; this handler makes it return ENOSYS, and the program
// continues.
static void note(int number, siginfo_t *info, void *context) {
    (void)number;
    if (atomic_fetch_add(&refused_calls, 1) == 0) atomic_store(&first_call, info->si_syscall);
    ucontext_t *state = context;
#if defined(__x86_64__)
    state->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
#elif defined(__aarch64__)
    state->uc_mcontext.regs[0] = (unsigned long long)-ENOSYS;
#endif
}

static int close_doors(void) {
#ifndef MACHINE
    return ENOSYS;
#else
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        LOAD(nr),
        ALLOW(brk), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(mprotect),
        ALLOW(futex), ALLOW(sched_yield), ALLOW(clock_gettime), ALLOW(gettimeofday),
        ALLOW(rt_sigreturn), ALLOW(rt_sigprocmask), ALLOW(sigaltstack), ALLOW(restart_syscall),
        ALLOW(exit), ALLOW(exit_group), ALLOW(getpid), ALLOW(gettid),
#ifdef SYS_rseq
        ALLOW(rseq),
#endif
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return errno;
    return 0;
#endif
}

static void *run(void *argument) {
    struct work *work = argument;
    work->error = close_doors();
    if (work->error == 0) work->body(work->context);
    return NULL;
}

int system_call_trap_run(void (*body)(void *), void *context, int *refused, int *first) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = note;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, &before) != 0) return errno;
    atomic_store(&refused_calls, 0);
    atomic_store(&first_call, -1);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    struct work work = {body, context, 0};
    pthread_t thread;
    // Before glibc first returns memory of a thread's heap to the kernel, it reads /proc/sys/vm/overcommit_memory,
    // which the filter would refuse. Therefore prevent the return of memory while `body` runs.
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    int error = pthread_create(&thread, &attributes, run, &work);
    pthread_attr_destroy(&attributes);
    if (error == 0) pthread_join(thread, NULL);
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);  // glibc's default
    sigaction(SIGSYS, &before, NULL);
    *refused = atomic_load(&refused_calls);
    *first = atomic_load(&first_call);
    return error != 0 ? error : work.error;
}
