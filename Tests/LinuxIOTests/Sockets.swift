import Glibc
import TestKit
import Testing

/// Sockets for the tests of this target.
enum Sockets {
    /// Returns a connected pair that keeps packet boundaries (like the HCI user channel) or is a byte stream.
    static func pair(_ type: __socket_type) throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(type.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// Returns a TCP listener on a free port of the loopback address.
    static func listener() throws -> (descriptor: Int32, port: UInt16) {
        let port = try BoundPort()
        try #require(listen(port.descriptor, 4) == 0)
        return (port.descriptor, UInt16(port.number))
    }

    /// Returns the master side of a pseudo-terminal and the path of its line.
    static func pseudoTerminal() throws -> (master: Int32, line: String) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(master >= 0)
        // These are unlockpt(3) and ptsname(3), which Swift does not import: TIOCSPTLCK and TIOCGPTN.
        var (unlocked, number): (Int32, UInt32) = (0, 0)
        try #require(ioctl(master, 0x4004_5431, &unlocked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        return (master, "/dev/pts/\(number)")
    }

    /// Writes all of `bytes`, waiting as long as it takes.
    static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads exactly `count` bytes, or fewer if the peer closes.
    static func readAll(_ descriptor: Int32, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            let got = read(descriptor, &buffer, min(buffer.count, count - bytes.count))
            guard got > 0 else { break }
            bytes.append(contentsOf: buffer[..<got])
        }
        return bytes
    }

    /// Waits until a descriptor is readable; false after a minute.
    static func waitReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 60_000) == 1
    }
}
