// Uses GPIO lines with the program's own code (Sources/CGPIO), on the chip with the label LABEL:
//
// requests pulse LABEL MILLISECONDS LINE...   Requests the lines as inactive outputs, each second one active-low.
//                                             Checks that no second request gets them. Drives them active for this
//                                             time, reads them back, and releases them.
// requests edges LABEL MICROSECONDS LINE...   Requests the lines as inputs with pull-down and this debounce time, and
//                                             prints "taken". At the end of its input it prints each edge until then as
//                                             "LINE LEVEL NUMBER NANOSECONDS", or the kernel's error, and the levels.
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CGPIO.h"

static const cgpio_library *library;

static int fail(const char *what, int error) { return fprintf(stderr, "%s: %s\n", what, strerror(-error)), 1; }

// Finds the chip of this label, and stores the offsets of the lines; NULL: there is no such chip, or it lacks a line.
static cgpio_chip *find(const char *label, char **names, int count, cgpio_line *lines) {
    DIR *folder = opendir("/dev");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300], name[CGPIO_NAME_SIZE], holder[CGPIO_NAME_SIZE];
        uint32_t size = 0;
        int found = 0;
        if (strncmp(entry->d_name, "gpiochip", 8)) continue;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        cgpio_chip *chip;
        if (cgpio_chip_open(library, path, &chip, &size, name)) continue;
        if (!strcmp(name, label))
            for (int i = 0; i < count; i++)
                for (uint32_t at = 0; at < size; at++)
                    if (cgpio_line_info(chip, at, name, holder) == 0 && !strcmp(name, names[i])) lines[i].offset = at, found++;
        if (found == count) return chip;
        cgpio_chip_close(chip);
    }
    return NULL;
}

static int is_active(cgpio_request *request, uint64_t wanted) {
    uint64_t active = ~wanted;
    return cgpio_get(request, &active) >= 0 && active == wanted;
}

static int pulse(cgpio_chip *chip, cgpio_line *lines, int count, int milliseconds) {
    uint64_t all = (UINT64_C(1) << count) - 1;
    for (int i = 0; i < count; i++) lines[i].active_low = i % 2;
    cgpio_request *request, *again;
    int error = cgpio_take(chip, "pulse", CGPIO_OUTPUT, lines, count, &request);
    if (error) return fail("request", error);
    if (cgpio_take(chip, "again", CGPIO_OUTPUT, lines, 1, &again) != -EBUSY)
        return fputs("lines that are held were given away\n", stderr), 1;
    if (!is_active(request, 0)) return fputs("not inactive at first\n", stderr), 1;
    if ((error = cgpio_set(request, all))) return fail("set", error);
    if (!is_active(request, all)) return fputs("not active\n", stderr), 1;
    usleep((useconds_t)milliseconds * 1000);
    if ((error = cgpio_set(request, 0))) return fail("set", error);
    cgpio_release(request);
    return 0;
}

static int edges(cgpio_chip *chip, cgpio_line *lines, int count, int debounce) {
    cgpio_event events[CGPIO_EVENTS_PER_LINE * CGPIO_MAX_LINES];
    cgpio_request *request;
    uint64_t active = 0;
    char byte;
    for (int i = 0; i < count; i++) {
        lines[i].debounce_us = (uint32_t)debounce;
        lines[i].bias = CGPIO_PULL_DOWN;
    }
    int got = cgpio_take(chip, "edges", CGPIO_EDGES, lines, count, &request), descriptors[CGPIO_MAX_LINES];
    cgpio_chip_close(chip);
    if (got) return fail("request", got);
    puts("taken");
    fflush(stdout);
    while (read(0, &byte, 1) > 0) {}
    cgpio_descriptors(request, descriptors);
    struct pollfd wait = {descriptors[0], POLLIN, 0};
    poll(&wait, 1, 0);
    if (wait.revents & (POLLERR | POLLHUP)) puts("gone");
    while ((got = cgpio_events(request, events)) > 0)
        for (int at = 0; at < got; at++)
            printf("%u %d %u %llu\n", events[at].line, events[at].is_active, events[at].number,
                   (unsigned long long)events[at].timestamp_ns);
    if (got < 0) printf("%s\n", strerror(-got));
    got = cgpio_get(request, &active);
    if (got < 0) printf("%s\n", strerror(-got));
    else printf("levels %llu\n", (unsigned long long)active);
    return 0;
}

int main(int count, char **words) {
    cgpio_line lines[CGPIO_MAX_LINES] = {0};
    int wanted = count - 4;
    if (wanted < 1 || wanted > CGPIO_MAX_LINES) return 2;
    char why[CGPIO_WHY_SIZE];
    if (!(library = cgpio_load("libgpiod.so.3", 2, why)) && !(library = cgpio_load("libgpiod.so.2", 1, why)))
        return fprintf(stderr, "%s\n", why), 1;
    cgpio_chip *chip = find(words[2], words + 4, wanted, lines);
    if (!chip) return fputs("not all of these lines are there\n", stderr), 1;
    if (!strcmp(words[1], "pulse")) return pulse(chip, lines, wanted, atoi(words[3]));
    return edges(chip, lines, wanted, atoi(words[3]));
}
