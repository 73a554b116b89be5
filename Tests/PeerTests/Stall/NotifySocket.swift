import Foundation
import Glibc
import Synchronization

/// systemd's end of the notification protocol (sd_notify(3)): the messages that a program sends, and their
/// times.
final class NotifySocket: Sendable {
    struct Message: Sendable {
        let at: ContinuousClock.Instant
        let lines: [String]
    }

    private let path: String
    private let descriptor: Int32
    private let state = Mutex((messages: [Message](), isOver: false))

    /// Listens in `place`.
    init(_ place: Workplace) throws {
        path = place.path("notify")
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let result = withUnixAddress(path) { bind(descriptor, $0, $1) }
        guard result == 0 else { throw PeerFailure("no socket at \(path): \(errno)") }
        Thread.detachNewThread { self.read() }
    }

    /// Returns the program's environment; `watchdog` is the longest time for which it may be silent.
    func environment(watchdog: Duration) -> [String] {
        ["NOTIFY_SOCKET=\(path)", "WATCHDOG_USEC=\(Int(watchdog / .microseconds(1)))"]
    }

    /// Every message so far.
    var messages: [Message] { state.withLock { $0.messages } }

    /// The times of the watchdog messages.
    var signs: [ContinuousClock.Instant] { messages.filter { $0.lines.contains("WATCHDOG=1") }.map(\.at) }

    /// Waits for the first message from `position` on with a line that begins with the given text; returns it
    /// and the position after it.
    @discardableResult
    func wait(
        _ beginning: String, from position: Int = 0, within limit: Duration = .seconds(20)
    ) async throws -> (message: Message, next: Int) {
        let until = ContinuousClock.now + limit
        while true {
            let isLate = ContinuousClock.now >= until
            let all = messages
            let found = all.indices.dropFirst(position).first { all[$0].lines.contains { $0.hasPrefix(beginning) } }
            if let found { return (all[found], found + 1) }
            if isLate { throw PeerFailure("no \(beginning) within \(limit): \(all.suffix(5).map(\.lines))") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits for `count` watchdog messages from `position` in the messages on, by default from now; returns
    /// their times.
    @discardableResult
    func signs(_ count: Int, from position: Int? = nil) async throws -> [ContinuousClock.Instant] {
        var (signs, next) = ([ContinuousClock.Instant](), position ?? messages.count)
        while signs.count < count {
            let sign = try await wait("WATCHDOG=1", from: next)
            signs.append(sign.message.at)
            next = sign.next
        }
        return signs
    }

    /// Stops listening.
    func stop() { state.withLock { $0.isOver = true } }

    private func read() {
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !state.withLock({ $0.isOver }) {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 50) > 0 else { continue }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { continue }
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            let message = Message(at: .now, lines: text.split(separator: "\n").map(String.init))
            state.withLock { $0.messages.append(message) }
        }
    }
}
