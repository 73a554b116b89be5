import Encoding
import Glibc

/// Sends notifications to systemd: one datagram per message, to the socket that `NOTIFY_SOCKET` names
/// (sd_notify(3)). Without that variable every call does nothing, so the same program runs in a terminal.
package struct ServiceManager: Sendable {
    private let address: [UInt8]?

    /// The interval at which to call ``alive()``: half of systemd's watchdog timeout; nil: systemd does not
    /// watch the service.
    package let watchdogInterval: Duration?

    /// Reads the environment variables that systemd has set for notifications.
    package init(environment: [String: String]) {
        // A path, or `@name` in the abstract namespace, where a zero byte replaces the `@`.
        address = environment["NOTIFY_SOCKET"].flatMap { path in
            guard path.hasPrefix("/") || path.hasPrefix("@"),
                path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
            else { return nil }
            return path.hasPrefix("@") ? [0] + path.utf8.dropFirst() : Array(path.utf8)
        }
        // The watchdog may be meant for another process of the service.
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        watchdogInterval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }
            .flatMap { isForUs && $0 > 0 ? .microseconds($0 / 2) : nil }
    }

    /// Reports that the service is ready: it advertises, and its trust data is loaded.
    package func ready(status: String) { send(["READY=1", "STATUS=\(status)"]) }

    /// Reports that the start takes long. From now on systemd waits at least ``startExtension`` for
    /// ``ready(status:)``.
    package func starting(status: String) {
        send(["EXTEND_TIMEOUT_USEC=\(Self.startExtension.nanoseconds / 1000)", "STATUS=\(status)"])
    }

    /// The additional time for starting that ``starting(status:)`` requests from systemd.
    static let startExtension = Duration.seconds(60)

    /// Sets the line that `systemctl status` shows.
    package func status(_ text: String) { send(["STATUS=\(text)"]) }

    /// Reports that the service works. Call it at least every ``watchdogInterval``, and only while that is
    /// true.
    package func alive() { send(["WATCHDOG=1"]) }

    /// Reports that the service is stopping.
    package func stopping() { send(["STOPPING=1"]) }

    private func send(_ lines: [String]) {
        guard let address else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        // An abstract name ends where the length says; the length is also right for a path.
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + socklen_t(address.count)
        let message = Array(lines.map { $0.split(separator: "\n").joined(separator: " ") }.joined(separator: "\n").utf8)
        withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                // Ignore failures: systemd is not running any more, or its queue is full.
                _ = sendto(
                    descriptor, message, message.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), general, length)
            }
        }
    }
}
