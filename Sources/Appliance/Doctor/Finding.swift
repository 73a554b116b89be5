package import Credentials
package import Encoding
import LinuxIO

/// What was found where the doctor looked: one line for a person, one object for a machine.
package struct Finding: Hashable, Sendable {
    /// What is looked at, in the order in which it is told.
    package enum Check: String, CaseIterable, Sendable {
        /// The configuration file.
        case configuration
        /// The installed unit.
        case unit
        /// The user as whom the service runs.
        case user
        /// Files and folders that the configuration names.
        case files
        /// Room for the records.
        case disk
        /// The Bluetooth adapter, or the controller elsewhere.
        case radio
        /// The switch that may silence it.
        case rfkill
        /// The program that would take it away.
        case bluetoothd
        /// How the service gets it.
        case opener
        /// The GPIO chip.
        case chip
        /// A GPIO line.
        case line
        /// An output that was tried.
        case output
        /// An input that was tried.
        case input
        /// What shows the code to visitors.
        case display
        /// What says verdicts aloud.
        case voice
        /// The date.
        case clock
        /// The clock with a battery.
        case rtc
        /// Whom the gate believes.
        case trust
        /// Whom it lets in.
        case policy
        /// The printed code.
        case sticker
        /// Cloud agents.
        case agent
        /// The running service.
        case service
    }

    /// How it stands there.
    package enum State: String, CaseIterable, Sendable {
        /// As it should be.
        case good
        /// It could not be looked at.
        case unknown
        /// The gate works, and somebody should do something.
        case warning
        /// The gate does not work, or nobody is let in.
        case bad
    }

    /// What was looked at.
    package let check: Check
    /// How it stands there.
    package let state: State
    /// The code of what is wrong; nil where nothing is.
    package let code: String?
    /// What was found, in plain words on one line.
    package let detail: String
    /// What to do about it; nil where there is nothing to do.
    package let remedy: String?

    private init(_ check: Check, _ state: State, _ code: String?, _ detail: String, _ remedy: String?) {
        (self.check, self.state, self.code, self.remedy) = (check, state, code, remedy)
        // Names of files and lines are as long as somebody made them.
        self.detail = String(detail.prefix(400))
    }

    /// All is as it should be.
    package static func good(_ check: Check, _ detail: String) -> Finding { Finding(check, .good, nil, detail, nil) }

    /// It could not be looked at, for that reason.
    package static func unknown(_ check: Check, _ detail: String, _ remedy: String) -> Finding {
        Finding(check, .unknown, nil, detail, remedy)
    }

    /// Something of the table of reasons. By default as bad, and with the remedy, that the table has.
    package init(
        _ check: Check, _ code: ReasonCode, _ detail: String, remedy: String? = nil, state: State? = nil
    ) {
        self.init(
            check, state ?? (code.severity == .error ? .bad : .warning), code.text, detail, remedy ?? code.remedy)
    }

    /// What the service would be told when it opens its radio.
    init(_ error: TransportError, _ check: Check = .radio, _ detail: String? = nil, state: State = .bad) {
        self.init(check, state, error.cause.text, detail ?? error.description, error.remedy)
    }

    /// What the service would be told when it takes its lines.
    init(_ error: GPIOError, _ check: Check, _ detail: String? = nil, state: State = .bad) {
        self.init(check, state, error.cause.text, detail ?? error.description, error.remedy)
    }

    /// A fault that the running service tells, with its own words.
    init(_ check: Check, code: String, isError: Bool, _ detail: String, remedy: String) {
        self.init(check, isError ? .bad : .warning, code, detail, remedy)
    }

    /// The same in other words.
    func saying(_ detail: String) -> Finding { Finding(check, state, code, detail, remedy) }

    /// The same for the gate of that unit: commands and folders of the remedy are its own (``SetupPlaces/told(_:)``).
    func told(of unit: String) -> Finding {
        Finding(check, state, code, detail, remedy.map { SetupPlaces.told($0, of: unit) })
    }

    /// For machines: `{"check", "state", "code"?, "detail", "remedy"?}`.
    package var json: JSON {
        var object: JSONObject = ["check": .text(check.rawValue), "state": .text(state.rawValue)]
        object["code"] = code.map { .text($0) }
        object["detail"] = .text(detail)
        object["remedy"] = remedy.map { .text($0) }
        return .object(object)
    }
}

extension Sequence<Finding> {
    /// How all of it stands: as its worst part.
    package var state: Finding.State {
        let states = Set(map(\.state))
        return [Finding.State.bad, .warning, .unknown].first(where: states.contains) ?? .good
    }

    /// The exit code of a command that tells them: 2 where the gate does not work, 1 where somebody should look, also at what could
    /// not be looked at, else 0.
    package var exitCode: Int32 {
        switch state {
        case .bad: 2
        case .warning, .unknown: 1
        case .good: 0
        }
    }
}
