// What Swift's Glibc module does not show: system calls, macros and structures of Linux behind plain C functions.
// Every function that can fail returns 0 (or a descriptor, or a count) on success and -errno on failure.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

// An event counter that poll() can wait for (eventfd(2)), non-blocking and closed on exec.
int clinux_eventfd(void);

struct pollfd;
// poll(2) with a limit in nanoseconds; negative: wait for ever. The count of ready descriptors.
int clinux_poll(struct pollfd *descriptors, int count, int64_t timeout_ns);

// Names the calling thread (at most 15 bytes) as it is shown by ps and in /proc.
void clinux_name_thread(const char *name);

// Has the calling thread run before every thread of the fair scheduler: SCHED_RR at the lowest priority (sched(7)).
// What it starts does not inherit that (SCHED_RESET_ON_FORK). -EPERM: the system does not allow it (RLIMIT_RTPRIO).
int clinux_run_first(void);

// Fills the buffer from the kernel's random generator (getrandom(2)); waits until it is seeded.
int clinux_random(void *buffer, size_t count);

// 1 when the kernel says that its clock is synchronised (adjtimex(2), STA_UNSYNC clear), 0 when not.
int clinux_clock_synchronised(void);

// Binds adapter number `device` (hciN) as this process's own: a socket on the HCI user channel. The adapter is put down
// first (HCIDEVDOWN), because the kernel refuses the channel of an adapter that is up. The step that failed is written
// to `step`: 0 socket, 1 down, 2 bind.
int clinux_hci_user_channel(int device, int *step);

// The number of the adapter whose address has these six bytes, as it is written; -ENODEV: there is none. Needs no right.
int clinux_hci_number(const uint8_t *address);

// Sends two numbers and, unless it is negative, a descriptor in one message over a Unix socket (SCM_RIGHTS).
int clinux_send_descriptor(int socket, const int32_t *words, int descriptor);

// Takes such a message; waits for nothing. The bytes that it had; `descriptor` is -1 when it brought none, and else the caller's.
int clinux_receive_descriptor(int socket, int32_t *words, int *descriptor);

// Asks for a receive buffer of that many bytes, beyond the system's limit where CAP_NET_ADMIN allows it.
int clinux_receive_buffer(int socket, int bytes);

// Turns a terminal line into a transparent byte pipe at `baud`, with or without RTS/CTS. -ENOTSUP: no such speed.
int clinux_serial_setup(int line, uint32_t baud, int hardware_flow_control);

// Soft-unblocks every Bluetooth transmitter by /dev/rfkill (RFKILL_OP_CHANGE_ALL).
int clinux_rfkill_unblock_bluetooth(void);

// Lets two names in an open folder change places in one step (renameat2(2), RENAME_EXCHANGE).
int clinux_exchange(int folder, const char *one, const char *other);

// Zeroes what earlier calls left on the calling thread's stack, below this one. Not for the thread that main() runs on.
void clinux_clear_stack(void);

// Lets the allocator keep up to `bytes` of freed memory instead of giving it back to the kernel at once (mallopt(3)).
void clinux_keep_freed_memory(int bytes);

// Ignores every signal that would end the process by default and that nobody handles here: none of them may end a gate.
void clinux_ignore_stray_signals(void);

// Takes the next connection of a listening socket, non-blocking and closed on exec (accept4(2)).
int clinux_accept(int listener);

// Who connected a Unix socket: effective user and group at that moment (SO_PEERCRED).
int clinux_peer(int socket, uint32_t *user, uint32_t *group);

// Its further groups at that moment (SO_PEERGROUPS): how many there are, at most `capacity` of which are written.
int clinux_peer_groups(int socket, uint32_t *groups, int capacity);

// What a framebuffer shows: its size in pixels, bytes to the first one and from row to row, bits of a pixel, and the place of the
// colours within it in bits.
struct clinux_framebuffer {
    uint32_t width, height, start, stride, bits;
    uint32_t red_offset, red_length, green_offset, green_length, blue_offset, blue_length;
};

// Asks a framebuffer for that (FBIOGET_VSCREENINFO, FBIOGET_FSCREENINFO). -ENOTSUP: its pixels are no plain colours.
int clinux_framebuffer_geometry(int framebuffer, struct clinux_framebuffer *geometry);

// Has messages of this descriptor of an I2C bus go to that address of 7 bits (I2C_SLAVE).
int clinux_i2c_address(int bus, int address);

// Sets mode and speed of an SPI chip select (SPI_IOC_WR_MODE, SPI_IOC_WR_MAX_SPEED_HZ), 8 bits a word.
int clinux_spi_setup(int select, uint8_t mode, uint32_t hertz);

// Has a program that is started with these actions (posix_spawn_file_actions_t) get none of our descriptors from that one on.
int clinux_spawn_close_from(void *actions, int descriptor);
