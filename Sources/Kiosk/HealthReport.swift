package import Credentials

/// What one part of the box says about itself: that something is wrong, or that it is over.
///
/// Parts report a change, not a state: as often as they like, from any thread, through a ``HealthReporter``.
package struct HealthReport: Sendable, Hashable {
    /// What is or was wrong: a row of the table's group "Health of the box".
    package let code: ReasonCode
    /// Whether it is wrong now.
    package let isPresent: Bool
    /// How often or how many, where that is counted: of the whole time since the start, so that no report is missed by missing
    /// one.
    package let count: Int?
    /// What the system said, for the operator; no claims, no keys.
    package let detail: String?

    /// Something is wrong.
    package static func present(_ code: ReasonCode, count: Int? = nil, detail: String? = nil) -> HealthReport {
        HealthReport(code: code, isPresent: true, count: count, detail: detail)
    }

    /// It is over.
    package static func over(_ code: ReasonCode) -> HealthReport {
        HealthReport(code: code, isPresent: false, count: nil, detail: nil)
    }
}

/// Takes reports from any thread and returns at once.
package typealias HealthReporter = @Sendable (HealthReport) -> Void
