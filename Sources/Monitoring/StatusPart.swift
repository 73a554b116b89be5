import Encoding
package import Observation

/// The source of one part of the status report.
package struct StatusPart: Sendable {
    /// The name of the part in ``StatusReport/silent``, which is its name in JSON.
    let name: Text
    /// Puts the part into a report.
    typealias Filling = @Sendable (inout StatusReport) -> Void

    let tell: @Sendable () async -> Filling

    /// Creates the source of the member `member` of the report. `tell` returns the value of the member.
    package init<Value: Sendable>(
        _ member: any WritableKeyPath<StatusReport, Value?> & Sendable, _ tell: @escaping @Sendable () async -> Value
    ) {
        name = StatusReport.name(of: member)
        self.tell = {
            let value = await tell()
            return { $0[keyPath: member] = value }
        }
    }
}
