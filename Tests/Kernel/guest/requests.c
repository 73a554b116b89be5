// The program's own way to GPIO lines (Sources/CGPIO), on lines of the chip of that label:
//
// requests pulse LABEL MILLISECONDS LINE...     takes the lines inactive, every second one active-low, drives all for so long, reads
//                                               them back, and lets go; while they are held nobody else gets them
// requests edges LABEL MICROSECONDS LINE...     takes them as inputs that are pulled down and have to hold a level for so long; says
//                                               "taken"; at the end of its input, "LINE LEVEL NUMBER NANOSECONDS" of each edge until
//                                               then, or the kernel's answer, and the levels
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CGPIO.h"

static int fail(const char *what, int error) { return fprintf(stderr, "%s: %s\n", what, strerror(-error)), 1; }

// The chip of that label, and where on it the lines are; -1: there is none, or it has not all of them.
static int find(const char *label, char **names, int count, cgpio_line *lines) {
    DIR *folder = opendir("/dev");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300], name[CGPIO_NAME_SIZE], holder[CGPIO_NAME_SIZE];
        uint32_t size = 0;
        int found = 0;
        if (strncmp(entry->d_name, "gpiochip", 8)) continue;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        int chip = cgpio_chip_open(path, &size, name);
        if (chip < 0) continue;
        if (!strcmp(name, label))
            for (int i = 0; i < count; i++)
                for (uint32_t at = 0; at < size; at++)
                    if (cgpio_line_info(chip, at, name, holder) == 0 && !strcmp(name, names[i])) lines[i].offset = at, found++;
        if (found == count) return chip;
        close(chip);
    }
    return -1;
}

static int is_active(int request, uint64_t mask, uint64_t wanted) {
    uint64_t active = ~wanted;
    return cgpio_get(request, mask, &active) >= 0 && active == wanted;
}

static int pulse(int chip, cgpio_line *lines, int count, int milliseconds) {
    uint64_t all = (UINT64_C(1) << count) - 1;
    for (int i = 0; i < count; i++) lines[i].flags = GPIO_V2_LINE_FLAG_OUTPUT | (i % 2 ? GPIO_V2_LINE_FLAG_ACTIVE_LOW : 0);
    int error, request = cgpio_request(chip, "pulse", lines, count);
    if (request < 0) return fail("request", request);
    if (cgpio_request(chip, "again", lines, 1) != -EBUSY) return fputs("lines that are held were given away\n", stderr), 1;
    if (!is_active(request, all, 0)) return fputs("not inactive at first\n", stderr), 1;
    if ((error = cgpio_set(request, all, all))) return fail("set", error);
    if (!is_active(request, all, all)) return fputs("not active\n", stderr), 1;
    usleep((useconds_t)milliseconds * 1000);
    if ((error = cgpio_set(request, all, 0))) return fail("set", error);
    close(request);
    return 0;
}

static int edges(int chip, cgpio_line *lines, int count, int debounce) {
    struct gpio_v2_line_event events[CGPIO_MAX_EVENTS];
    uint64_t active = 0;
    char byte;
    for (int i = 0; i < count; i++) {
        lines[i].debounce_us = (uint32_t)debounce;
        lines[i].flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING |
                         GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
    }
    int request = cgpio_request(chip, "edges", lines, count), got;
    close(chip);
    if (request < 0) return fail("request", request);
    puts("taken");
    fflush(stdout);
    while (read(0, &byte, 1) > 0) {}
    struct pollfd wait = {request, POLLIN, 0};
    poll(&wait, 1, 0);
    if (wait.revents & (POLLERR | POLLHUP)) puts("gone");
    while ((got = cgpio_events(request, events, CGPIO_MAX_EVENTS)) > 0)
        for (int at = 0; at < got; at++)
            for (int i = 0; i < count; i++)
                if (lines[i].offset == events[at].offset)
                    printf("%d %d %u %llu\n", i, events[at].id == GPIO_V2_LINE_EVENT_RISING_EDGE, events[at].seqno,
                           (unsigned long long)events[at].timestamp_ns);
    if (got < 0) printf("%s\n", strerror(-got));
    got = cgpio_get(request, (UINT64_C(1) << count) - 1, &active);
    if (got < 0) printf("%s\n", strerror(-got));
    else printf("levels %llu\n", (unsigned long long)active);
    return 0;
}

int main(int count, char **words) {
    cgpio_line lines[CGPIO_MAX_LINES] = {0};
    int wanted = count - 4;
    if (wanted < 1 || wanted > CGPIO_MAX_LINES) return 2;
    int chip = find(words[2], words + 4, wanted, lines);
    if (chip < 0) return fputs("not all of these lines are there\n", stderr), 1;
    if (!strcmp(words[1], "pulse")) return pulse(chip, lines, wanted, atoi(words[3]));
    return edges(chip, lines, wanted, atoi(words[3]));
}
