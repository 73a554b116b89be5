// Plain C functions for Linux system calls, macros and structures that Swift's Glibc module does not import. A function
// that can fail returns 0 (or a descriptor, or a count) on success, and -errno on failure.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

// Creates an event counter for which poll() can wait (eventfd(2)). It is non-blocking and closed on exec.
int clinux_eventfd(void);

struct pollfd;
// Calls poll(2) with a timeout in nanoseconds; a negative timeout means none. Returns the number of ready descriptors.
int clinux_poll(struct pollfd *descriptors, int count, int64_t timeout_ns);

// Sets the name of the calling thread, at most 15 bytes, as ps and /proc show it.
void clinux_name_thread(const char *name);

// Gives the calling thread priority over all threads of the fair scheduler: the lowest priority of SCHED_RR (sched(7)).
// Threads and processes that it starts do not inherit the priority (SCHED_RESET_ON_FORK). Returns -EPERM if the system
// does not permit it (RLIMIT_RTPRIO).
int clinux_run_first(void);

// Fills the buffer from the kernel's random generator (getrandom(2)). Waits until the generator is seeded.
int clinux_random(void *buffer, size_t count);

// Returns 1 if the kernel's clock is synchronised, so that STA_UNSYNC is not set (adjtimex(2)); otherwise 0.
int clinux_clock_synchronised(void);

// Binds the adapter `device` (hciN) exclusively to this process, and returns a socket on its HCI user channel. Switches
// the adapter off before (HCIDEVDOWN), because the kernel refuses the channel of an adapter that is on. On failure
// `step` is the step that failed: 0 socket, 1 switching off, 2 bind.
int clinux_hci_user_channel(int device, int *step);

// Returns the number of the Bluetooth adapter with the address `address`: six bytes in the order in which addresses are
// written. Returns -ENODEV if no adapter has it. Needs no privilege.
int clinux_hci_number(const uint8_t *address);

// Sends two numbers (`words`) and a descriptor (none if negative) in one message over a Unix socket (SCM_RIGHTS).
int clinux_send_descriptor(int socket, const int32_t *words, int descriptor);

// Receives a message of clinux_send_descriptor() without waiting. Returns the number of its bytes. Sets `descriptor` to
// -1 if the message contains none; otherwise the caller owns the descriptor.
int clinux_receive_descriptor(int socket, int32_t *words, int *descriptor);

// Requests a receive buffer of `bytes` bytes for a socket. With CAP_NET_ADMIN it may exceed the system's limit.
int clinux_receive_buffer(int socket, int bytes);

// Makes a serial line a transparent byte stream at `baud` bits per second, with or without RTS/CTS flow control.
// Returns -ENOTSUP for an unknown speed.
int clinux_serial_setup(int line, uint32_t baud, int hardware_flow_control);

// Removes the software block of all Bluetooth transmitters, by /dev/rfkill (RFKILL_OP_CHANGE_ALL).
int clinux_rfkill_unblock_bluetooth(void);

// Exchanges the names `one` and `other` in the open folder `folder` in one step (renameat2(2), RENAME_EXCHANGE).
int clinux_exchange(int folder, const char *one, const char *other);

// Overwrites the calling thread's stack below this call with zeros, because earlier calls left data there. Must not be
// called on the main thread.
void clinux_clear_stack(void);

// Makes the allocator retain up to `bytes` bytes of freed memory, which it would otherwise return to the kernel at once
// (mallopt(3)).
void clinux_keep_freed_memory(int bytes);

// Ignores each signal that would end the process by default and for which it has no handler: no stray signal may end a
// gate.
void clinux_ignore_stray_signals(void);

// Accepts the next connection of a listening socket (accept4(2)). The connection is non-blocking and closed on exec.
int clinux_accept(int listener);

// Reads the effective user and group that the peer of a Unix socket had when it connected (SO_PEERCRED).
int clinux_peer(int socket, uint32_t *user, uint32_t *group);

// Writes the supplementary groups that the peer had when it connected, at most `capacity` (SO_PEERGROUPS). Returns
// their number.
int clinux_peer_groups(int socket, uint32_t *groups, int capacity);

// The layout of a framebuffer: its size in pixels, the bytes before the first pixel (`start`) and from one row to the
// next (`stride`), the bits of a pixel, and the position and length in bits of each colour in a pixel.
struct clinux_framebuffer {
    uint32_t width, height, start, stride, bits;
    uint32_t red_offset, red_length, green_offset, green_length, blue_offset, blue_length;
};

// Reads the layout of a framebuffer (FBIOGET_VSCREENINFO, FBIOGET_FSCREENINFO). Returns -ENOTSUP if its pixels do not
// contain the colours directly.
int clinux_framebuffer_geometry(int framebuffer, struct clinux_framebuffer *geometry);

// Sets the address, 7 bits, to which later messages on the descriptor `bus` of an I2C bus are sent (I2C_SLAVE).
int clinux_i2c_address(int bus, int address);

// Sets the mode and the speed of an SPI chip select (SPI_IOC_WR_MODE, SPI_IOC_WR_MAX_SPEED_HZ), and words of 8 bits.
int clinux_spi_setup(int select, uint8_t mode, uint32_t hertz);

// Adds to `actions` (posix_spawn_file_actions_t) that the started program closes all descriptors from `descriptor` on.
int clinux_spawn_close_from(void *actions, int descriptor);
