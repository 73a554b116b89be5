// pulse LABEL MILLISECONDS LINE...   the program's own way to GPIO lines (Sources/CGPIO), linked with either version of libgpiod:
//                                    takes the lines inactive, drives all for so long, reads them back, and lets go.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CGPIO.h"

static int fail(const char *what, int error) { return fprintf(stderr, "%s: %s\n", what, strerror(-error)), 1; }

static int is_driven(cgpio_outputs *outputs, int count, int level) {
    uint8_t values[CGPIO_MAX_LINES];
    if (cgpio_outputs_get(outputs, values) < 0) return 0;
    for (int i = 0; i < count; i++)
        if (values[i] != level) return 0;
    return 1;
}

int main(int count, char **words) {
    uint32_t offsets[CGPIO_MAX_LINES];
    uint8_t off[CGPIO_MAX_LINES] = {0}, on[CGPIO_MAX_LINES];
    char path[300] = "", name[CGPIO_NAME_SIZE];
    int wanted = count - 3, found = 0;
    if (wanted < 1 || wanted > CGPIO_MAX_LINES) return 2;
    memset(on, 1, sizeof on);
    DIR *folder = opendir("/dev");
    for (struct dirent *entry; !found && folder && (entry = readdir(folder));) {
        cgpio_chip *chip;
        if (strncmp(entry->d_name, "gpiochip", 8)) continue;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        if (cgpio_chip_open(path, &chip) < 0) continue;
        if (!strcmp(cgpio_chip_label(chip), words[1]))
            for (int i = 0; i < wanted; i++)
                for (int at = 0; at < cgpio_chip_lines(chip); at++)
                    if (cgpio_chip_line_name(chip, at, name) == 0 && !strcmp(name, words[3 + i])) offsets[i] = at, found++;
        cgpio_chip_close(chip);
    }
    if (found != wanted) return fprintf(stderr, "%d of %d lines\n", found, wanted), 1;
    cgpio_outputs *outputs, *again;
    int error = cgpio_outputs_request(path, "pulse", offsets, off, wanted, &outputs);
    if (error) return fail("request", error);
    error = cgpio_outputs_request(path, "again", offsets, off, wanted, &again);
    if (!error) return fprintf(stderr, "lines that are held were given away\n"), 1;
    if (!is_driven(outputs, wanted, 0)) return fprintf(stderr, "not inactive at first\n"), 1;
    if ((error = cgpio_outputs_set(outputs, on))) return fail("set", error);
    if (!is_driven(outputs, wanted, 1)) return fprintf(stderr, "not active\n"), 1;
    usleep(atoi(words[2]) * 1000);
    if ((error = cgpio_outputs_set(outputs, off))) return fail("set", error);
    cgpio_outputs_release(outputs);
    puts(cgpio_version());
    return 0;
}
