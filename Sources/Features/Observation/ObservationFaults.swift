import Kiosk
import Reasons
import Synchronization

/// The failures of the status file, its thread and the status server. They are reported as one fault, whenever its
/// text changes.
final class ObservationFaults: Sendable {
    /// A part that can fail.
    enum Matter: Int {
        case file, thread, server
    }

    private let report: HealthReporter
    private let found = Mutex<[Matter: [String]]>([:])

    init(_ report: @escaping HealthReporter) { self.report = report }

    /// Stores the present failures of `matter`. An empty list means that it works.
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
