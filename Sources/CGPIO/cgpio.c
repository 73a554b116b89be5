#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// The kernel's names are filled with zeros, but for one that takes all the room.
static void copy_name(char *to, const char *from) {
    memcpy(to, from, GPIO_MAX_NAME_SIZE);
    to[GPIO_MAX_NAME_SIZE] = 0;
}

int cgpio_chip_open(const char *path, uint32_t *lines, char *label) {
    struct gpiochip_info info = {0};
    int chip = open(path, O_RDWR | O_CLOEXEC);
    if (chip < 0) return -errno;
    if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info) < 0) {
        int error = errno;
        close(chip);
        return -error;
    }
    copy_name(label, info.label);
    *lines = info.lines;
    return chip;
}

int cgpio_line_info(int chip, uint32_t offset, char *name, char *holder) {
    struct gpio_v2_line_info info = {.offset = offset};
    if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0) return -errno;
    copy_name(name, info.name);
    copy_name(holder, info.consumer);
    return info.flags & GPIO_V2_LINE_FLAG_USED ? 1 : 0;
}

// Lets one more line have this attribute: that of lines before it when it is the same, else a new one.
static int add(struct gpio_v2_line_config *config, int line, struct gpio_v2_line_attribute wanted) {
    for (uint32_t at = 0; at <= config->num_attrs && at < GPIO_V2_LINE_NUM_ATTRS_MAX; at++) {
        struct gpio_v2_line_config_attribute *entry = &config->attrs[at];
        if (at == config->num_attrs) {
            entry->attr = wanted;
            config->num_attrs++;
        }
        if (memcmp(&entry->attr, &wanted, sizeof wanted)) continue;
        entry->mask |= UINT64_C(1) << line;
        return 0;
    }
    return -E2BIG;
}

int cgpio_request(int chip, const char *consumer, const cgpio_line *lines, int count) {
    if (count < 1 || count > CGPIO_MAX_LINES) return -EINVAL;
    // Of outputs without values the kernel makes inactive ones.
    struct gpio_v2_line_request request = {.num_lines = (uint32_t)count, .config.flags = lines[0].flags};
    strncpy(request.consumer, consumer, sizeof request.consumer - 1);
    for (int line = 0; line < count; line++) {
        struct gpio_v2_line_attribute flags = {.id = GPIO_V2_LINE_ATTR_ID_FLAGS, .flags = lines[line].flags};
        struct gpio_v2_line_attribute debounce = {.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE};
        debounce.debounce_period_us = lines[line].debounce_us;
        int error = 0;
        request.offsets[line] = lines[line].offset;
        if (lines[line].flags != lines[0].flags) error = add(&request.config, line, flags);
        if (!error && lines[line].debounce_us) error = add(&request.config, line, debounce);
        if (error) return error;
    }
    if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0) return -errno;
    // Events are read without waiting.
    if (fcntl(request.fd, F_SETFL, O_NONBLOCK) < 0) {
        int error = errno;
        close(request.fd);
        return -error;
    }
    return request.fd;
}

int cgpio_set(int request, uint64_t mask, uint64_t active) {
    struct gpio_v2_line_values values = {.bits = active, .mask = mask};
    return ioctl(request, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0 ? -errno : 0;
}

int cgpio_get(int request, uint64_t mask, uint64_t *active) {
    struct gpio_v2_line_values values = {.mask = mask};
    if (ioctl(request, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0) return -errno;
    *active = values.bits & mask;
    return 0;
}

int cgpio_events(int request, struct gpio_v2_line_event *events, int capacity) {
    ssize_t count = read(request, events, (size_t)capacity * sizeof *events);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    return (int)((size_t)count / sizeof *events);
}

static _Atomic int crash_request = -1;
static uint64_t crash_mask;

// Setting values is one ioctl on an open descriptor: no lock, no allocation.
static void crash_handler(int number) {
    int request = atomic_exchange(&crash_request, -1);
    if (request >= 0) cgpio_set(request, crash_mask, 0);
    // The action is the default again (SA_RESETHAND): the signal that is pending now ends the process.
    raise(number);
}

void cgpio_release_at_crash(int request, uint64_t mask) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    crash_mask = mask;
    atomic_store(&crash_request, request);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = crash_handler;
    action.sa_flags = SA_RESETHAND;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

void cgpio_forget_at_crash(int request) {
    int expected = request;
    atomic_compare_exchange_strong(&crash_request, &expected, -1);
}
