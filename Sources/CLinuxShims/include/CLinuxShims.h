// Plain C functions for system calls, macros and structures of Linux that Swift's Glibc module does not import.
// Every function that can fail returns 0 (or a descriptor, or a count) on success and -errno on failure.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

// Creates an event counter that poll() can wait for (eventfd(2)), non-blocking and closed on exec.
int clinux_eventfd(void);

struct pollfd;
// poll(2) with a limit in nanoseconds; negative: no limit. Returns the number of ready descriptors.
int clinux_poll(struct pollfd *descriptors, int count, int64_t timeout_ns);

// Sets the name of the calling thread (at most 15 bytes), which ps and /proc show.
void clinux_name_thread(const char *name);

// Gives the calling thread priority over all threads of the fair scheduler: SCHED_RR at the lowest priority (sched(7)).
// Threads and processes that it starts do not inherit this priority (SCHED_RESET_ON_FORK). -EPERM: the system does not
// allow it (RLIMIT_RTPRIO).
int clinux_run_first(void);

// Fills the buffer from the kernel's random generator (getrandom(2)); waits until it is seeded.
int clinux_random(void *buffer, size_t count);

// Returns 1 if the kernel's clock is synchronised (adjtimex(2), STA_UNSYNC clear), otherwise 0.
int clinux_clock_synchronised(void);

// Binds adapter number `device` (hciN) to this process: returns a socket on the HCI user channel. Brings the adapter down
// first (HCIDEVDOWN), because the kernel refuses the channel of an adapter that is up. Writes the step that failed to
// `step`: 0 socket, 1 down, 2 bind.
int clinux_hci_user_channel(int device, int *step);

// Returns the number of the adapter with this address: six bytes, in the written order. -ENODEV: no adapter has the
// address. Needs no privilege.
int clinux_hci_number(const uint8_t *address);

// Sends two numbers and, unless it is negative, a descriptor in one message over a Unix socket (SCM_RIGHTS).
int clinux_send_descriptor(int socket, const int32_t *words, int descriptor);

// Receives a message of clinux_send_descriptor() without waiting. Returns the number of its bytes. `descriptor` is -1 if
// the message has none; otherwise the caller owns the descriptor.
int clinux_receive_descriptor(int socket, int32_t *words, int *descriptor);

// Requests a receive buffer of `bytes` bytes, above the system's limit where CAP_NET_ADMIN allows it.
int clinux_receive_buffer(int socket, int bytes);

// Makes a terminal line a transparent byte stream at `baud`, with or without RTS/CTS. -ENOTSUP: the speed is unknown.
int clinux_serial_setup(int line, uint32_t baud, int hardware_flow_control);

// Removes the software block of every Bluetooth transmitter by /dev/rfkill (RFKILL_OP_CHANGE_ALL).
int clinux_rfkill_unblock_bluetooth(void);

// Exchanges two names in an open folder in one step (renameat2(2), RENAME_EXCHANGE).
int clinux_exchange(int folder, const char *one, const char *other);

// Zeroes the calling thread's stack below this call, where earlier calls left data. Do not call it on the main thread.
void clinux_clear_stack(void);

// Makes the allocator keep up to `bytes` of freed memory instead of returning it to the kernel at once (mallopt(3)).
void clinux_keep_freed_memory(int bytes);

// Ignores every signal that would end the process by default and has no handler here, because none may end a gate.
void clinux_ignore_stray_signals(void);

// Accepts the next connection of a listening socket, non-blocking and closed on exec (accept4(2)).
int clinux_accept(int listener);

// Reads the effective user and group of the peer of a Unix socket, when it connected (SO_PEERCRED).
int clinux_peer(int socket, uint32_t *user, uint32_t *group);

// Writes the peer's supplementary groups when it connected (SO_PEERGROUPS), at most `capacity`. Returns their number.
int clinux_peer_groups(int socket, uint32_t *groups, int capacity);

// The layout of a framebuffer: its size in pixels, the bytes before the first pixel (`start`) and from row to row
// (`stride`), the bits of a pixel, and the positions of the colours within a pixel in bits.
struct clinux_framebuffer {
    uint32_t width, height, start, stride, bits;
    uint32_t red_offset, red_length, green_offset, green_length, blue_offset, blue_length;
};

// Reads a framebuffer's layout (FBIOGET_VSCREENINFO, FBIOGET_FSCREENINFO). -ENOTSUP: its pixels are not direct colours.
int clinux_framebuffer_geometry(int framebuffer, struct clinux_framebuffer *geometry);

// Sets the address (7 bits) to which messages of this descriptor of an I2C bus are sent (I2C_SLAVE).
int clinux_i2c_address(int bus, int address);

// Sets mode and speed of an SPI chip select (SPI_IOC_WR_MODE, SPI_IOC_WR_MAX_SPEED_HZ), with 8 bits for each word.
int clinux_spi_setup(int select, uint8_t mode, uint32_t hertz);

// Closes all descriptors from `descriptor` on in a program that is started with these actions
// (posix_spawn_file_actions_t).
int clinux_spawn_close_from(void *actions, int descriptor);
