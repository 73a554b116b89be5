// Compares the declarations in gpiod1.h or gpiod2.h with the gpiod.h of the build machine (libgpiod-dev): gpiod1.h on
// Debian 12, gpiod2.h on Debian 13. If a type, a size or a value differs, this file does not compile.
#if __has_include(<gpiod.h>)
#include <gpiod.h>
#include <stddef.h>

#define OURS(name) our_##name
#define SAME_TYPE(result, name, parameters)                                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&gpiod_##name), result(*) parameters), #name);
#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours);
#define SAME_SIZE(name) _Static_assert(sizeof(struct name) == sizeof(struct our_##name), #name);
#define SAME_PLACE(name, member)                                                                                       \
    _Static_assert(offsetof(struct name, member) == offsetof(struct our_##name, member) &&                             \
                       __builtin_types_compatible_p(__typeof__(((struct name *)0)->member),                            \
                                                    __typeof__(((struct our_##name *)0)->member)),                     \
                   #name "." #member);

// Only the gpiod.h of libgpiod 1 defines this macro.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#include "gpiod1.h"
GPIOD1_FUNCTIONS(SAME_TYPE)
SAME_SIZE(gpiod_line_bulk)
SAME_PLACE(gpiod_line_bulk, lines)
SAME_PLACE(gpiod_line_bulk, num_lines)
SAME_SIZE(gpiod_line_request_config)
SAME_PLACE(gpiod_line_request_config, consumer)
SAME_PLACE(gpiod_line_request_config, request_type)
SAME_PLACE(gpiod_line_request_config, flags)
SAME_SIZE(gpiod_line_event)
SAME_PLACE(gpiod_line_event, ts)
SAME_PLACE(gpiod_line_event, event_type)
SAME_VALUE(GPIOD1_REQUEST_INPUT, GPIOD_LINE_REQUEST_DIRECTION_INPUT)
SAME_VALUE(GPIOD1_REQUEST_OUTPUT, GPIOD_LINE_REQUEST_DIRECTION_OUTPUT)
SAME_VALUE(GPIOD1_REQUEST_BOTH_EDGES, GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES)
SAME_VALUE(GPIOD1_FLAG_ACTIVE_LOW, GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW)
SAME_VALUE(GPIOD1_FLAG_NO_BIAS, GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE)
SAME_VALUE(GPIOD1_FLAG_PULL_DOWN, GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN)
SAME_VALUE(GPIOD1_FLAG_PULL_UP, GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP)
SAME_VALUE(GPIOD1_EVENT_RISING, GPIOD_LINE_EVENT_RISING_EDGE)
#else
#include "gpiod2.h"
GPIOD2_FUNCTIONS(SAME_TYPE)
SAME_VALUE(GPIOD2_ERROR, GPIOD_LINE_VALUE_ERROR)
SAME_VALUE(GPIOD2_INACTIVE, GPIOD_LINE_VALUE_INACTIVE)
SAME_VALUE(GPIOD2_ACTIVE, GPIOD_LINE_VALUE_ACTIVE)
SAME_VALUE(GPIOD2_INPUT, GPIOD_LINE_DIRECTION_INPUT)
SAME_VALUE(GPIOD2_OUTPUT, GPIOD_LINE_DIRECTION_OUTPUT)
SAME_VALUE(GPIOD2_BOTH_EDGES, GPIOD_LINE_EDGE_BOTH)
SAME_VALUE(GPIOD2_AS_IS, GPIOD_LINE_BIAS_AS_IS)
SAME_VALUE(GPIOD2_NO_BIAS, GPIOD_LINE_BIAS_DISABLED)
SAME_VALUE(GPIOD2_PULL_UP, GPIOD_LINE_BIAS_PULL_UP)
SAME_VALUE(GPIOD2_PULL_DOWN, GPIOD_LINE_BIAS_PULL_DOWN)
SAME_VALUE(GPIOD2_RISING, GPIOD_EDGE_EVENT_RISING_EDGE)
SAME_VALUE(GPIOD2_FALLING, GPIOD_EDGE_EVENT_FALLING_EDGE)
#endif
#endif
