import Glibc
import Testing

/// Sockets for the tests of this target.
enum Sockets {
    /// A connected pair that keeps packet boundaries (like the HCI user channel) or is a byte stream.
    static func pair(_ type: __socket_type) throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(type.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// A TCP listener on a free port of the loopback address.
    static func listener() throws -> (descriptor: Int32, port: UInt16) {
        let (descriptor, port) = try bound()
        try #require(listen(descriptor, 4) == 0)
        return (descriptor, port)
    }

    /// The same that does not listen: whoever connects is refused, and nobody else gets the port.
    static func bound() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                try #require(bind(descriptor, general, size) == 0)
                try #require(getsockname(descriptor, general, &size) == 0)
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// The master side of a pseudo-terminal and the path of its line.
    static func pseudoTerminal() throws -> (master: Int32, line: String) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(master >= 0)
        // unlockpt(3) and ptsname(3), which Swift does not see: TIOCSPTLCK and TIOCGPTN.
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

    /// Reads exactly `count` bytes, or fewer when the other side closes.
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
