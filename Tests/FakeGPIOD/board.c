#include "board.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct fake_board fake_board;
pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *withheld;

void *fake_find(void *context, const char *name) {
    if (withheld && !strcmp(name, withheld)) return NULL;
    return *(const int *)context == 1 ? fake_find1(name) : fake_find2(name);
}

void fake_withhold(const char *name) { withheld = name; }

void fake_reset(void) {
    pthread_mutex_lock(&fake_lock);
    memset(&fake_board, 0, sizeof fake_board);
    for (int at = 0; at < FAKE_LINES; at++) {
        fake_board.lines[at].edges = fake_board.lines[at].queue = -1;
        snprintf(fake_board.lines[at].name, sizeof fake_board.lines[at].name, "GPIO%d", at);
    }
    pthread_mutex_unlock(&fake_lock);
}

void fake_drive(int at, bool level, uint64_t nanoseconds) {
    pthread_mutex_lock(&fake_lock);
    struct fake_line *line = &fake_board.lines[at];
    if (line->level != level && line->edges >= 0) {
        struct fake_edge edge = {nanoseconds, ++fake_board.number, at, level != line->is_active_low};
        int waiting = 0;
        ioctl(line->queue, FIONREAD, &waiting);
        bool is_full = waiting / (int)sizeof edge >= line->room;
        // If the queue is full, generation 2 drops the oldest edge, and generation 1 the newest.
        struct fake_edge oldest;
        if (is_full && line->generation == 2 && read(line->queue, &oldest, sizeof oldest) > 0) is_full = false;
        if (!is_full && write(line->edges, &edge, sizeof edge) < 0) perror("fake edge");
    }
    line->level = level;
    pthread_mutex_unlock(&fake_lock);
}

bool fake_level(int line) { return fake_board.lines[line].level; }
const char *fake_holder(int line) { return fake_board.lines[line].is_held ? fake_board.lines[line].holder : NULL; }
bool fake_is_active_low(int line) { return fake_board.lines[line].is_active_low; }
int fake_bias(int line) { return fake_board.lines[line].bias; }
unsigned long fake_debounce(int line) { return fake_board.lines[line].debounce; }
int fake_open(void) { return fake_board.open; }
int fake_sets(void) { return fake_board.sets; }

void fake_note_set(void) {
    fake_board.sets++;
    if (fake_board.report && write(fake_board.report, "", 1) < 0) _exit(1);
}

int fake_crash(int signal) {
    int ends[2], status = 0;
    char bytes[16];
    if (pipe(ends) < 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        fake_board.report = ends[1];
        // Unblock all signals: the threads of a thread pool block them.
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        raise(signal);
        _exit(0);
    }
    close(ends[1]);
    waitpid(child, &status, 0);
    ssize_t sets = read(ends[0], bytes, sizeof bytes);
    close(ends[0]);
    return child > 0 && WIFSIGNALED(status) && WTERMSIG(status) == signal ? (int)sets : -1;
}

void fake_hold(int line, bool isHeld) {
    if (isHeld) fake_take(&line, 1, "another");
    else fake_give_back(&line, 1);
}

void fake_go(bool isGone) {
    pthread_mutex_lock(&fake_lock);
    fake_board.is_gone = isGone;
    pthread_mutex_unlock(&fake_lock);
}

bool fake_is_gone(void) {
    if (fake_board.is_gone) errno = ENODEV;
    return fake_board.is_gone;
}

int fake_take(const int *lines, int count, const char *consumer) {
    if (fake_is_gone()) return -1;
    for (int at = 0; at < count; at++)
        if (fake_board.lines[lines[at]].is_held) return errno = EBUSY, -1;
    for (int at = 0; at < count; at++) {
        struct fake_line *line = &fake_board.lines[lines[at]];
        line->is_held = true;
        snprintf(line->holder, sizeof line->holder, "%s", consumer);
    }
    return 0;
}

void fake_give_back(const int *lines, int count) {
    pthread_mutex_lock(&fake_lock);
    for (int at = 0; at < count; at++) {
        struct fake_line *line = &fake_board.lines[lines[at]];
        line->is_held = line->is_output = false;
        line->edges = line->queue = -1;
    }
    pthread_mutex_unlock(&fake_lock);
}

int fake_read(int end, struct fake_edge *edges, int most) {
    if (fake_is_gone()) return -1;
    ssize_t size = read(end, edges, sizeof *edges * (size_t)most);
    return size < 0 ? -1 : (int)((size_t)size / sizeof *edges);
}
