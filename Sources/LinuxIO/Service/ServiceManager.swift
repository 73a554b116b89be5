import Encoding
import Glibc

/// Sends notifications to systemd: one datagram per message, to the socket that `NOTIFY_SOCKET` names (sd_notify(3)).
/// Without that variable every call does nothing, so the program also runs without systemd.
package struct ServiceManager: Sendable {
    private let address: [UInt8]?

    /// The time after which to call ``alive()`` again: half of systemd's watchdog timeout; nil: systemd does not
    /// watch the service.
    package let watchdogInterval: Duration?

    /// Reads the environment variables that systemd sets for notifications.
    package init(environment: [String: String]) {
        // The value is a path, or `@name` for a name in the abstract namespace. In the address of such a name, a zero
        // byte replaces the `@`.
        address = environment["NOTIFY_SOCKET"].flatMap { path in
            guard path.hasPrefix("/") || path.hasPrefix("@"),
                path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
            else { return nil }
            return path.hasPrefix("@") ? [0] + path.utf8.dropFirst() : Array(path.utf8)
        }
        // The watchdog variables may be meant for another process of the service.
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        watchdogInterval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }
            .flatMap { isForUs && $0 > 0 ? .microseconds($0 / 2) : nil }
    }

    /// Reports that the service is ready, so that systemd stops waiting for its start. `systemctl status` shows the
    /// text `status`.
    package func ready(status: String) { send(["READY=1", "STATUS=\(status)"]) }

    /// Reports that the start takes long. From now on systemd waits ``startExtension`` longer for ``ready(status:)``.
    package func starting(status: String) {
        send(["EXTEND_TIMEOUT_USEC=\(Self.startExtension.nanoseconds / 1000)", "STATUS=\(status)"])
    }

    /// The time by which ``starting(status:)`` extends systemd's start timeout.
    static let startExtension = Duration.seconds(60)

    /// Sets the text that `systemctl status` shows.
    package func status(_ text: String) { send(["STATUS=\(text)"]) }

    /// Reports that the service works. Call this at least every ``watchdogInterval``, as long as the service works.
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
        // The length of the address determines where an abstract name ends. The length is also correct for a path.
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + socklen_t(address.count)
        let message = Array(lines.map { $0.split(separator: "\n").joined(separator: " ") }.joined(separator: "\n").utf8)
        withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                // Ignore a failure: systemd no longer reads the socket, or its queue is full.
                _ = sendto(
                    descriptor, message, message.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), general, length)
            }
        }
    }
}
