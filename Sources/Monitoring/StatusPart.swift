import Encoding
package import Observation

/// The source of one member of the status report.
package struct StatusPart: Sendable {
    /// The name of the member in JSON, which ``StatusReport/silent`` contains if the source does not answer.
    let name: Text
    /// Sets the member in a report.
    typealias Filling = @Sendable (inout StatusReport) -> Void

    let tell: @Sendable () async -> Filling

    /// Creates the source of the member `member`. `tell` returns its value.
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
