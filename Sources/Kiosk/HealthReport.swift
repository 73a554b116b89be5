package import Reasons

/// A report of one part of the gate about itself: a fault has begun, or is over.
///
/// Parts report a change, not a state: as often as they like, from any thread, through a ``HealthReporter``.
package struct HealthReport: Sendable, Hashable {
    /// The code of the fault: one of ``Health/codes``. These are the group "Health of the box", the codes of the door,
    /// and two codes that are also reasons of a visit.
    package let code: ReasonCode
    /// Whether the fault is in force now.
    package let isPresent: Bool
    /// The number of occurrences since the start; nil if they are not counted. Because counting begins at the start, a
    /// lost report loses no occurrence.
    package let count: Int?
    /// The system's message, for the operator; without claims and keys.
    package let detail: String?

    /// Makes the report of a fault that is in force.
    package static func present(_ code: ReasonCode, count: Int? = nil, detail: String? = nil) -> HealthReport {
        HealthReport(code: code, isPresent: true, count: count, detail: detail)
    }

    /// Makes the report of a fault that is over.
    package static func over(_ code: ReasonCode) -> HealthReport {
        HealthReport(code: code, isPresent: false, count: nil, detail: nil)
    }
}

/// Takes reports from any thread and returns at once.
package typealias HealthReporter = @Sendable (HealthReport) -> Void
