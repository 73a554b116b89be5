// The functions of libgpiod 2 that this target calls, as the gpiod.h of 2.2.1 and 2.1.3 declares them. header.c
// compares the declarations if such a gpiod.h is installed. The types have libgpiod's names, the constants names of
// their own.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef OURS
#define OURS(name) name
#endif

struct gpiod_chip;
struct gpiod_chip_info;
struct gpiod_line_info;
struct gpiod_line_settings;
struct gpiod_line_config;
struct gpiod_request_config;
struct gpiod_line_request;
struct gpiod_edge_event;
struct gpiod_edge_event_buffer;

enum OURS(gpiod_line_value) { GPIOD2_ERROR = -1, GPIOD2_INACTIVE = 0, GPIOD2_ACTIVE = 1 };
enum OURS(gpiod_line_direction) { GPIOD2_INPUT = 2, GPIOD2_OUTPUT = 3 };
enum OURS(gpiod_line_edge) { GPIOD2_BOTH_EDGES = 4 };
enum OURS(gpiod_line_bias) { GPIOD2_AS_IS = 1, GPIOD2_NO_BIAS = 3, GPIOD2_PULL_UP = 4, GPIOD2_PULL_DOWN = 5 };
enum OURS(gpiod_edge_event_type) { GPIOD2_RISING = 1, GPIOD2_FALLING = 2 };

// The list of the functions: F(result, name without `gpiod_`, parameters).
#define GPIOD2_FUNCTIONS(F)                                                                                            \
    F(const char *, api_version, (void))                                                                               \
    F(struct gpiod_chip *, chip_open, (const char *path))                                                              \
    F(void, chip_close, (struct gpiod_chip * chip))                                                                    \
    F(struct gpiod_chip_info *, chip_get_info, (struct gpiod_chip * chip))                                             \
    F(void, chip_info_free, (struct gpiod_chip_info * info))                                                           \
    F(const char *, chip_info_get_label, (struct gpiod_chip_info * info))                                              \
    F(size_t, chip_info_get_num_lines, (struct gpiod_chip_info * info))                                                \
    F(struct gpiod_line_info *, chip_get_line_info, (struct gpiod_chip * chip, unsigned int offset))                   \
    F(void, line_info_free, (struct gpiod_line_info * info))                                                           \
    F(const char *, line_info_get_name, (struct gpiod_line_info * info))                                               \
    F(bool, line_info_is_used, (struct gpiod_line_info * info))                                                        \
    F(const char *, line_info_get_consumer, (struct gpiod_line_info * info))                                           \
    F(struct gpiod_line_settings *, line_settings_new, (void))                                                         \
    F(void, line_settings_free, (struct gpiod_line_settings * settings))                                               \
    F(int, line_settings_set_direction,                                                                                \
      (struct gpiod_line_settings * settings, enum gpiod_line_direction direction))                                    \
    F(int, line_settings_set_edge_detection, (struct gpiod_line_settings * settings, enum gpiod_line_edge edge))       \
    F(int, line_settings_set_bias, (struct gpiod_line_settings * settings, enum gpiod_line_bias bias))                 \
    F(void, line_settings_set_active_low, (struct gpiod_line_settings * settings, bool active_low))                    \
    F(void, line_settings_set_debounce_period_us, (struct gpiod_line_settings * settings, unsigned long period))       \
    F(struct gpiod_line_config *, line_config_new, (void))                                                             \
    F(void, line_config_free, (struct gpiod_line_config * config))                                                     \
    F(int, line_config_add_line_settings,                                                                              \
      (struct gpiod_line_config * config, const unsigned int *offsets, size_t count,                                   \
       struct gpiod_line_settings *settings))                                                                          \
    F(struct gpiod_request_config *, request_config_new, (void))                                                       \
    F(void, request_config_free, (struct gpiod_request_config * config))                                               \
    F(void, request_config_set_consumer, (struct gpiod_request_config * config, const char *consumer))                 \
    F(struct gpiod_line_request *, chip_request_lines,                                                                 \
      (struct gpiod_chip * chip, struct gpiod_request_config * request, struct gpiod_line_config * lines))             \
    F(void, line_request_release, (struct gpiod_line_request * request))                                               \
    F(int, line_request_get_values, (struct gpiod_line_request * request, enum gpiod_line_value * values))             \
    F(int, line_request_set_values, (struct gpiod_line_request * request, const enum gpiod_line_value *values))        \
    F(int, line_request_get_fd, (struct gpiod_line_request * request))                                                 \
    F(int, line_request_read_edge_events,                                                                              \
      (struct gpiod_line_request * request, struct gpiod_edge_event_buffer * buffer, size_t most))                     \
    F(struct gpiod_edge_event_buffer *, edge_event_buffer_new, (size_t capacity))                                      \
    F(void, edge_event_buffer_free, (struct gpiod_edge_event_buffer * buffer))                                         \
    F(struct gpiod_edge_event *, edge_event_buffer_get_event,                                                          \
      (struct gpiod_edge_event_buffer * buffer, unsigned long index))                                                  \
    F(enum gpiod_edge_event_type, edge_event_get_event_type, (struct gpiod_edge_event * event))                        \
    F(uint64_t, edge_event_get_timestamp_ns, (struct gpiod_edge_event * event))                                        \
    F(unsigned int, edge_event_get_line_offset, (struct gpiod_edge_event * event))                                     \
    F(unsigned long, edge_event_get_global_seqno, (struct gpiod_edge_event * event))

#define GPIOD2_MEMBER(result, name, parameters) result(*name) parameters;
struct gpiod2_functions {
    GPIOD2_FUNCTIONS(GPIOD2_MEMBER)
};
