#pragma once
#include <pthread.h>

#include "FakeGPIOD.h"

struct fake_line {
    bool is_held, is_output, is_active_low, level;
    char holder[33], name[8];
    int bias;
    unsigned long debounce;
    // The pipe for the edges of this line: the end to write and the end to read; -1: no edges are requested.
    int edges, queue;
    int generation, room;
};

struct fake_board {
    struct fake_line lines[FAKE_LINES];
    bool is_gone;
    int open, sets;
    // The number of the last edge in a request of generation 2.
    unsigned long number;
    // The pipe to which the copy of the process in fake_crash() writes one byte per set operation; 0: this process is
    // not a copy.
    int report;
};
extern struct fake_board fake_board;
extern pthread_mutex_t fake_lock;

/// An edge, in the form in which it is written to the pipe of its line.
struct fake_edge {
    uint64_t time;
    unsigned long number;
    int line;
    bool is_rising;
};

/// Counts one operation that sets values of lines.
void fake_note_set(void);
/// Takes all `count` lines, or none of them. Returns 0, or -1 with errno.
int fake_take(const int *lines, int count, const char *consumer);
void fake_give_back(const int *lines, int count);
/// Reads up to `most` edges from the pipe's end `end`. Returns their number, or -1 with errno.
int fake_read(int end, struct fake_edge *edges, int most);
/// Returns whether the chip is removed; if it is, sets errno to ENODEV.
bool fake_is_gone(void);
void *fake_find1(const char *name);
void *fake_find2(const char *name);
