import Credentials
import Kiosk
import Synchronization

/// What keeps others from seeing how the box is, by what it is about, as one fault of the box: told when it changes.
final class ObservationFaults: Sendable {
    /// What can be wrong.
    enum Matter: Int {
        case file, thread, server
    }

    private let report: HealthReporter
    private let found = Mutex<[Matter: [String]]>([:])

    init(_ report: @escaping HealthReporter) { self.report = report }

    /// Takes what is wrong with a matter by now; nothing: it is in order.
    func take(_ matter: Matter, _ failures: [String]) {
        let (before, after) = found.withLock { found in
            let before = Self.text(found)
            found[matter] = failures.isEmpty ? nil : failures
            return (before, Self.text(found))
        }
        if before != after { report(after.map { .present(.observeFailed, detail: $0) } ?? .over(.observeFailed)) }
    }

    private static func text(_ found: [Matter: [String]]) -> String? {
        let all = found.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap(\.value)
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }
}
