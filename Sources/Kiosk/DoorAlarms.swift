import Encoding
import Reasons

/// The door's alarms: which are in force, until when, and which changes have not been reported.
struct DoorAlarms: Sendable {
    /// The codes of the alarms that need readable inputs.
    static let codes: [ReasonCode] = [.doorForced, .doorHeldOpen, .doorTailgating, .doorTamper, .doorInput]

    private struct Alarm {
        var isSet = false
        /// When the alarm ends by itself; nil: it ends with its cause.
        var until: Instant?
        var count: Int?
        var detail: String?
        var told: (isSet: Bool, count: Int?, detail: String?) = (false, nil, nil)
    }

    private var alarms: [ReasonCode: Alarm] = [:]

    /// When the next alarm ends by itself; nil if none does.
    var deadline: Instant? { alarms.values.compactMap { $0.isSet ? $0.until : nil }.min() }

    /// Returns whether the alarm `code` is in force.
    func isSet(_ code: ReasonCode) -> Bool { alarms[code]?.isSet ?? false }

    /// Raises the alarm about an event. The alarm is in force for ``Door/alarm``.
    mutating func raise(_ code: ReasonCode, count: Int, at now: Instant) {
        alarms[code, default: Alarm()].isSet = true
        alarms[code]?.until = now.advanced(by: Door.alarm)
        alarms[code]?.count = count
    }

    /// Sets or clears the alarm about a condition.
    mutating func set(_ code: ReasonCode, _ isSet: Bool, count: Int? = nil, detail: String? = nil, at now: Instant) {
        guard isSet || alarms[code] != nil else { return }
        alarms[code, default: Alarm()].isSet = isSet
        alarms[code]?.until = nil
        alarms[code]?.count = count
        alarms[code]?.detail = isSet ? detail : nil
    }

    /// Keeps a raised alarm in force while its cause continues, and for ``Door/alarm`` after that.
    mutating func hold(_ code: ReasonCode, _ isGoingOn: Bool, at now: Instant) {
        if isGoingOn {
            alarms[code]?.until = nil
        } else if alarms[code]?.until == nil {
            alarms[code]?.until = now.advanced(by: Door.alarm)
        }
    }

    /// Ends alarms whose time is over. Returns a report for each alarm that began, changed or ended since the last
    /// call.
    mutating func tell(at now: Instant) -> [HealthReport] {
        var reports: [HealthReport] = []
        for (code, var alarm) in alarms {
            if let until = alarm.until, now >= until { (alarm.isSet, alarm.until) = (false, nil) }
            let isNews = alarm.isSet != alarm.told.isSet
            if isNews || alarm.isSet && (alarm.count != alarm.told.count || alarm.detail != alarm.told.detail) {
                reports.append(
                    alarm.isSet ? .present(code, count: alarm.count, detail: alarm.detail) : .over(code))
                alarm.told = (alarm.isSet, alarm.count, alarm.detail)
            }
            alarms[code] = alarm
        }
        return reports.sorted { $0.code.text < $1.code.text }
    }
}
