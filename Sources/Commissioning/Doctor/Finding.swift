import Administration
package import Encoding
import Features
import LinuxIO
package import Reasons
import Settings

/// A result of the doctor about one thing: a line for a person, a JSON object for a program.
package struct Finding: Hashable, Sendable {
    /// The things that the doctor checks, in the order of the report.
    package enum Check: String, CaseIterable, Sendable {
        /// The configuration file.
        case configuration
        /// The installed unit of the service.
        case unit
        /// The user under whom the service runs.
        case user
        /// The files and folders that the configuration names.
        case files
        /// The free disk space for the records.
        case disk
        /// The Bluetooth adapter, or the controller on a serial line or in the network.
        case radio
        /// The radio switch (rfkill) that can turn the adapter's transmitter off.
        case rfkill
        /// The program bluetoothd, which would take the adapter from the gate.
        case bluetoothd
        /// The way in which the service gets the adapter: the opener, or a capability.
        case opener
        /// The GPIO chip.
        case chip
        /// A line of the GPIO chip.
        case line
        /// An output that was tested at the gate.
        case output
        /// An input that was tested at the gate.
        case input
        /// A display that shows the code to visitors.
        case display
        /// The program that speaks the verdicts to visitors.
        case voice
        /// The date of the machine's clock.
        case clock
        /// The battery-backed clock.
        case rtc
        /// The trust data.
        case trust
        /// The policy, the gate's rules for admission.
        case policy
        /// The printed code and its key.
        case sticker
        /// The connections to cloud agents.
        case agent
        /// The running service.
        case service

        /// Creates the check that belongs to a feature.
        init(_ check: FeatureCheck) {
            self =
                switch check {
                case .display: .display
                case .voice: .voice
                case .sticker: .sticker
                }
        }
    }

    /// The states of a checked thing.
    package enum State: String, CaseIterable, Sendable {
        /// The checked thing is as it should be.
        case good
        /// The thing could not be checked.
        case unknown
        /// The gate works, but needs attention.
        case warning
        /// The gate does not work, or admits no visitor.
        case bad
    }

    /// The thing that was checked.
    package let check: Check
    /// The state of the checked thing.
    package let state: State
    /// The reason code of the fault; nil if the finding is not a fault.
    package let code: String?
    /// The result, in plain words on one line.
    package let detail: String
    /// The remedy; nil if no action is necessary.
    package let remedy: String?

    private init(_ check: Check, _ state: State, _ code: String?, _ detail: String, _ remedy: String?) {
        (self.check, self.state, self.code, self.remedy) = (check, state, code, remedy)
        // Cut the text: names of files and lines have no maximum length.
        self.detail = String(detail.prefix(400))
    }

    /// Returns the finding that a thing is as it should be.
    package static func good(_ check: Check, _ detail: String) -> Finding { Finding(check, .good, nil, detail, nil) }

    /// Returns the finding that a thing could not be checked. `detail` is the reason.
    package static func unknown(_ check: Check, _ detail: String, _ remedy: String) -> Finding {
        Finding(check, .unknown, nil, detail, remedy)
    }

    /// Creates a finding with a reason code. If `remedy` or `state` is nil, the remedy and the severity of the reason
    /// code apply.
    package init(
        _ check: Check, _ code: ReasonCode, _ detail: String, remedy: String? = nil, state: State? = nil
    ) {
        self.init(
            check, state ?? (code.severity == .error ? .bad : .warning), code.text, detail, remedy ?? code.remedy)
    }

    /// Creates a finding from the error that the service would get if it opened its radio.
    init(_ error: TransportError, _ check: Check = .radio, _ detail: String? = nil, state: State = .bad) {
        self.init(check, state, error.cause.text, detail ?? error.description, error.remedy)
    }

    /// Creates a finding from the error that the service would get if it requested its lines.
    init(_ error: GPIOError, _ check: Check, _ detail: String? = nil, state: State = .bad) {
        self.init(check, state, error.cause.text, detail ?? error.description, error.remedy)
    }

    /// Creates a finding from a fault that the running service reports, with the texts of that report.
    init(_ check: Check, code: String, isError: Bool, _ detail: String, remedy: String) {
        self.init(check, isError ? .bad : .warning, code, detail, remedy)
    }

    /// Returns the same finding with another detail.
    func saying(_ detail: String) -> Finding { Finding(check, state, code, detail, remedy) }

    /// Returns the same finding for the gate of the unit `unit`: replaces commands and folders in the remedy by those
    /// of that gate (``SetupPlaces/told(_:)``).
    func told(of unit: String) -> Finding {
        Finding(check, state, code, detail, remedy.map { SetupPlaces.told($0, of: unit) })
    }

    /// The machine-readable form: `{"check", "state", "code"?, "detail", "remedy"?}`.
    package var json: JSON {
        var object: JSONObject = ["check": .text(check.rawValue), "state": .text(state.rawValue)]
        object["code"] = code.map { .text($0) }
        object["detail"] = .text(detail)
        object["remedy"] = remedy.map { .text($0) }
        return .object(object)
    }
}

extension Sequence<Finding> {
    /// The worst state among all findings; `good` if there are none.
    package var state: Finding.State {
        let states = Set(map(\.state))
        return [Finding.State.bad, .warning, .unknown].first(where: states.contains) ?? .good
    }

    /// The exit code of a command that reports the findings: 2 if the gate does not work, 1 if a finding needs
    /// attention or a check was not possible, 0 otherwise.
    package var exitCode: Int32 {
        switch state {
        case .bad: 2
        case .warning, .unknown: 1
        case .good: 0
        }
    }
}
