#pragma once
#include <pthread.h>

#include "FakeGPIOD.h"

struct fake_line {
    bool is_held, is_output, is_active_low, level;
    char holder[33], name[8];
    int bias;
    unsigned long debounce;
    // The ends of a pipe to which its edges are written and from which they are read; -1: none are wanted.
    int edges, queue;
    int generation, room;
};

struct fake_board {
    struct fake_line lines[FAKE_LINES];
    bool is_gone;
    int open, sets;
    // Edges of a request of generation 2.
    unsigned long number;
    // A dying copy of the process writes a byte here for each set; 0: this process is no copy.
    int report;
};
extern struct fake_board fake_board;
extern pthread_mutex_t fake_lock;

/// An edge as it is written to the pipe of a line.
struct fake_edge {
    uint64_t time;
    unsigned long number;
    int line;
    bool is_rising;
};

/// Counts a set.
void fake_note_set(void);
/// Takes lines, all or none: 0, or -1 and errno.
int fake_take(const int *lines, int count, const char *consumer);
void fake_give_back(const int *lines, int count);
/// Edges from that end of a pipe: how many, or -1 and errno.
int fake_read(int end, struct fake_edge *edges, int most);
/// Whether the chip is gone: errno is ENODEV then.
bool fake_is_gone(void);
void *fake_find1(const char *name);
void *fake_find2(const char *name);
