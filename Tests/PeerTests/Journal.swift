import Encoding
import Glibc
import Synchronization

/// The JSON lines that a program writes into a file, as they are written. Lines that are not JSON (a peer's
/// warnings) are skipped.
final class Journal: Sendable {
    private struct State {
        var lines: [JSON] = []
        var offset = 0
        var rest: [UInt8] = []
    }

    private let path: String
    private let state = Mutex(State())

    /// Reads the file at `path`, which may be created later.
    init(_ path: String) {
        self.path = path
    }

    /// Every line written so far.
    var lines: [JSON] {
        state.withLock { state in
            read(&state)
            return state.lines
        }
    }

    /// The number of lines: a later ``wait(from:within:for:where:)`` may start at it.
    var position: Int { lines.count }

    /// The lines from `position` on whose `event` is `name`.
    func events(_ name: Text, from position: Int = 0) -> [JSON] {
        lines.dropFirst(position).filter { $0["event"]?.string == name }
    }

    /// Waits for the first line from `position` on that `matches`; returns it and the position after it.
    @discardableResult
    func wait(
        from position: Int = 0, within limit: Duration = .seconds(20), for what: String,
        where matches: (JSON) -> Bool
    ) async throws -> (line: JSON, next: Int) {
        let until = ContinuousClock.now + limit
        var looked = position
        while true {
            let isLate = ContinuousClock.now >= until  // read first: a stalled test is not a stalled program
            let lines = lines
            while looked < lines.count {
                looked += 1
                if matches(lines[looked - 1]) { return (lines[looked - 1], looked) }
            }
            if isLate {
                let last = lines.suffix(5).map { String($0.compactText.prefix(200)) }.joined(separator: "\n  ")
                throw PeerFailure("no \(what) within \(limit) in \(path); it ends with\n  \(last)")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Does the same for the next line whose `event` is `name`.
    @discardableResult
    func wait(
        _ name: Text, from position: Int = 0, within limit: Duration = .seconds(20)
    ) async throws -> (line: JSON, next: Int) {
        try await wait(from: position, within: limit, for: "\(name)") { $0["event"]?.string == name }
    }

    private func read(_ state: inout State) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(state.offset))
            guard count > 0 else { break }
            state.offset += count
            state.rest += buffer[..<count]
        }
        while let end = state.rest.firstIndex(of: UInt8(ascii: "\n")) {
            if let line = try? JSON.parse(Array(state.rest[..<end])) { state.lines.append(line) }
            state.rest.removeSubrange(...end)
        }
    }
}
