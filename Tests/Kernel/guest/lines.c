// lines watch OUTPUT VALUE-FILE...   writes "NANOSECONDS INDEX LEVEL" (monotonic clock) for each change of a line
// lines hold CHIP OFFSET LEVEL        requests a line from the kernel as an output, and holds it until it ends
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int watch(const char *output, int count, char **files) {
    FILE *out = fopen(output, "w");
    int descriptors[16];
    char before[16] = {0};
    if (!out || count > 16) return 1;
    for (int i = 0; i < count; i++)
        if ((descriptors[i] = open(files[i], O_RDONLY)) < 0) return 1;
    for (;;) {
        for (int i = 0; i < count; i++) {
            char level;
            struct timespec now;
            if (pread(descriptors[i], &level, 1, 0) != 1 || level == before[i]) continue;
            clock_gettime(CLOCK_MONOTONIC, &now);
            before[i] = level;
            fprintf(out, "%lld %d %c\n", now.tv_sec * 1000000000LL + now.tv_nsec, i, level);
            fflush(out);
        }
        usleep(300);
    }
}

static int hold(const char *chip, unsigned offset, int level) {
    struct gpio_v2_line_request request = {.offsets = {offset}, .num_lines = 1, .consumer = "another"};
    request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
    request.config.num_attrs = 1;
    request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
    request.config.attrs[0].attr.values = level;
    request.config.attrs[0].mask = 1;
    int descriptor = open(chip, O_RDWR);
    if (descriptor < 0 || ioctl(descriptor, GPIO_V2_GET_LINE_IOCTL, &request) < 0) return perror(chip), 1;
    puts("held");
    fflush(stdout);
    pause();
    return 0;
}

int main(int count, char **words) {
    if (count > 3 && !strcmp(words[1], "watch")) return watch(words[2], count - 3, words + 3);
    if (count == 5 && !strcmp(words[1], "hold")) return hold(words[2], atoi(words[3]), atoi(words[4]));
    return 2;
}
