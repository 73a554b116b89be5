#include "CGPIO.h"

#include <errno.h>
#include <gpiod.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The two libraries have no version macro in common; bulk objects exist in 1.x only.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define CGPIO_V1 1
#else
#define CGPIO_V1 0
#endif

struct cgpio_chip {
    struct gpiod_chip *chip;
#if !CGPIO_V1
    struct gpiod_chip_info *info;
#endif
};

struct cgpio_outputs {
    int count;
#if CGPIO_V1
    struct gpiod_chip *chip;
    struct gpiod_line_bulk bulk;
#else
    struct gpiod_line_request *request;
#endif
};

const char *cgpio_version(void) {
#if CGPIO_V1
    return gpiod_version_string();
#else
    return gpiod_api_version();
#endif
}

void cgpio_chip_close(cgpio_chip *chip) {
    if (!chip) return;
#if !CGPIO_V1
    if (chip->info) gpiod_chip_info_free(chip->info);
#endif
    if (chip->chip) gpiod_chip_close(chip->chip);
    free(chip);
}

int cgpio_chip_open(const char *path, cgpio_chip **out) {
    cgpio_chip *chip = calloc(1, sizeof *chip);
    if (!chip) return -ENOMEM;
    int error = 0;
    if (!(chip->chip = gpiod_chip_open(path))) error = errno;
#if !CGPIO_V1
    else if (!(chip->info = gpiod_chip_get_info(chip->chip))) error = errno;
#endif
    if (error) {
        cgpio_chip_close(chip);
        return -error;
    }
    *out = chip;
    return 0;
}

const char *cgpio_chip_label(cgpio_chip *chip) {
#if CGPIO_V1
    return gpiod_chip_label(chip->chip);
#else
    return gpiod_chip_info_get_label(chip->info);
#endif
}

int cgpio_chip_lines(cgpio_chip *chip) {
#if CGPIO_V1
    return (int)gpiod_chip_num_lines(chip->chip);
#else
    return (int)gpiod_chip_info_get_num_lines(chip->info);
#endif
}

int cgpio_chip_line_name(cgpio_chip *chip, uint32_t offset, char *name) {
#if CGPIO_V1
    struct gpiod_line *line = gpiod_chip_get_line(chip->chip, offset);
    if (!line) return -errno;
    const char *text = gpiod_line_name(line);
    snprintf(name, CGPIO_NAME_SIZE, "%s", text ? text : "");
#else
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip->chip, offset);
    if (!info) return -errno;
    const char *text = gpiod_line_info_get_name(info);
    snprintf(name, CGPIO_NAME_SIZE, "%s", text ? text : "");
    gpiod_line_info_free(info);
#endif
    return 0;
}

int cgpio_chip_line_holder(cgpio_chip *chip, uint32_t offset, char *holder) {
#if CGPIO_V1
    struct gpiod_line *line = gpiod_chip_get_line(chip->chip, offset);
    if (!line) return -errno;
    const char *text = gpiod_line_consumer(line);
    int isUsed = gpiod_line_is_used(line);
    snprintf(holder, CGPIO_NAME_SIZE, "%s", text ? text : "");
#else
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip->chip, offset);
    if (!info) return -errno;
    const char *text = gpiod_line_info_get_consumer(info);
    int isUsed = gpiod_line_info_is_used(info);
    snprintf(holder, CGPIO_NAME_SIZE, "%s", text ? text : "");
    gpiod_line_info_free(info);
#endif
    return isUsed ? 1 : 0;
}

#if CGPIO_V1

// Without values: inputs.
static int request_lines(const char *path, const char *consumer, const uint32_t *offsets, const uint8_t *values, int count,
                         cgpio_outputs **out) {
    if (count < 1 || count > CGPIO_MAX_LINES) return -EINVAL;
    cgpio_outputs *outputs = calloc(1, sizeof *outputs);
    if (!outputs) return -ENOMEM;
    int error = 0, first[CGPIO_MAX_LINES];
    outputs->count = count;
    gpiod_line_bulk_init(&outputs->bulk);
    if (!(outputs->chip = gpiod_chip_open(path))) error = errno;
    for (int i = 0; i < count && !error; i++) {
        struct gpiod_line *line = gpiod_chip_get_line(outputs->chip, offsets[i]);
        if (!line) error = errno;
        else gpiod_line_bulk_add(&outputs->bulk, line);
        first[i] = values ? values[i] : 0;
    }
    if (!error) {
        int direction = values ? GPIOD_LINE_REQUEST_DIRECTION_OUTPUT : GPIOD_LINE_REQUEST_DIRECTION_INPUT;
        struct gpiod_line_request_config config = {consumer, direction, 0};
        if (gpiod_line_request_bulk(&outputs->bulk, &config, first) < 0) error = errno;
    }
    if (error) {
        if (outputs->chip) gpiod_chip_close(outputs->chip);
        free(outputs);
        return -error;
    }
    *out = outputs;
    return 0;
}

int cgpio_outputs_set(cgpio_outputs *outputs, const uint8_t *values) {
    int wanted[CGPIO_MAX_LINES];
    for (int i = 0; i < outputs->count; i++) wanted[i] = values[i];
    return gpiod_line_set_value_bulk(&outputs->bulk, wanted) < 0 ? -errno : 0;
}

int cgpio_outputs_get(cgpio_outputs *outputs, uint8_t *values) {
    int read[CGPIO_MAX_LINES];
    if (gpiod_line_get_value_bulk(&outputs->bulk, read) < 0) return -errno;
    for (int i = 0; i < outputs->count; i++) values[i] = read[i] == 1;
    return 0;
}

void cgpio_outputs_release(cgpio_outputs *outputs) {
    if (!outputs) return;
    gpiod_line_release_bulk(&outputs->bulk);
    gpiod_chip_close(outputs->chip);
    free(outputs);
}

#else

// Without a value: an input.
static int add_line(struct gpiod_line_config *lines, unsigned offset, const uint8_t *value) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (!settings) return ENOMEM;
    gpiod_line_settings_set_direction(settings, value ? GPIOD_LINE_DIRECTION_OUTPUT : GPIOD_LINE_DIRECTION_INPUT);
    if (value)
        gpiod_line_settings_set_output_value(settings, *value ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
    int error = gpiod_line_config_add_line_settings(lines, &offset, 1, settings) < 0 ? errno : 0;
    gpiod_line_settings_free(settings);
    return error;
}

static int request_lines(const char *path, const char *consumer, const uint32_t *offsets, const uint8_t *values, int count,
                         cgpio_outputs **out) {
    if (count < 1 || count > CGPIO_MAX_LINES) return -EINVAL;
    cgpio_outputs *outputs = calloc(1, sizeof *outputs);
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_request_config *request = gpiod_request_config_new();
    struct gpiod_chip *chip = NULL;
    int error = outputs && lines && request ? 0 : ENOMEM;
    for (int i = 0; i < count && !error; i++) error = add_line(lines, offsets[i], values ? &values[i] : NULL);
    if (!error && !(chip = gpiod_chip_open(path))) error = errno;
    if (!error) {
        gpiod_request_config_set_consumer(request, consumer);
        outputs->count = count;
        if (!(outputs->request = gpiod_chip_request_lines(chip, request, lines))) error = errno;
    }
    // A request of version 2 lives on without the chip's descriptor.
    if (chip) gpiod_chip_close(chip);
    if (lines) gpiod_line_config_free(lines);
    if (request) gpiod_request_config_free(request);
    if (error) {
        free(outputs);
        return -error;
    }
    *out = outputs;
    return 0;
}

int cgpio_outputs_set(cgpio_outputs *outputs, const uint8_t *values) {
    enum gpiod_line_value wanted[CGPIO_MAX_LINES];
    for (int i = 0; i < outputs->count; i++)
        wanted[i] = values[i] ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    return gpiod_line_request_set_values(outputs->request, wanted) < 0 ? -errno : 0;
}

int cgpio_outputs_get(cgpio_outputs *outputs, uint8_t *values) {
    enum gpiod_line_value read[CGPIO_MAX_LINES];
    if (gpiod_line_request_get_values(outputs->request, read) < 0) return -errno;
    for (int i = 0; i < outputs->count; i++) values[i] = read[i] == GPIOD_LINE_VALUE_ACTIVE;
    return 0;
}

void cgpio_outputs_release(cgpio_outputs *outputs) {
    if (!outputs) return;
    gpiod_line_request_release(outputs->request);
    free(outputs);
}

#endif

int cgpio_outputs_request(const char *path, const char *consumer, const uint32_t *offsets, const uint8_t *values, int count,
                          cgpio_outputs **outputs) {
    return request_lines(path, consumer, offsets, values, count, outputs);
}

int cgpio_inputs_request(const char *path, const char *consumer, const uint32_t *offsets, int count, cgpio_outputs **inputs) {
    return request_lines(path, consumer, offsets, NULL, count, inputs);
}

static _Atomic(cgpio_outputs *) crash_outputs;
static uint8_t crash_values[CGPIO_MAX_LINES];

// Setting values is one ioctl on an open descriptor in both libraries: no lock, no allocation.
static void crash_handler(int number) {
    cgpio_outputs *outputs = atomic_exchange(&crash_outputs, NULL);
    if (outputs) cgpio_outputs_set(outputs, crash_values);
    // The action is the default again (SA_RESETHAND): the signal that is pending now ends the process.
    raise(number);
}

void cgpio_release_at_crash(cgpio_outputs *outputs, const uint8_t *values) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    memcpy(crash_values, values, (size_t)outputs->count);
    atomic_store(&crash_outputs, outputs);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = crash_handler;
    action.sa_flags = SA_RESETHAND;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

void cgpio_forget_at_crash(cgpio_outputs *outputs) {
    cgpio_outputs *expected = outputs;
    atomic_compare_exchange_strong(&crash_outputs, &expected, NULL);
}
