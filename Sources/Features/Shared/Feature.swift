package import Clocks
package import Credentials
package import Encoding
package import GateService
package import Kiosk
package import Monitoring
package import Reasons
package import ServiceLifecycle
package import Settings
package import Store

/// An optional part of a gate: its section of the configuration, what it does in the running gate, and what commands
/// say about it. All files of a feature are in one folder, and no other file names their types.
package protocol Feature: Sendable {
    /// The section of the configuration.
    static var section: any ConfigurationSection.Type { get }

    /// Returns the wires to a gate controller; nil: none. A gate takes its lines before it makes its features.
    static func controller(_ start: FeatureStart) -> (any ControllerLines)?
    /// Makes the feature of a gate that starts, before any slow step. The feature does nothing if the configuration
    /// does not ask for it.
    init(_ start: FeatureStart) throws
    /// Makes what needs the date, after the ledger was opened. `wallTime` returns the date and how far it can be
    /// trusted.
    mutating func open(wallTime: @escaping @Sendable () -> WallTime)

    /// The receivers of the kiosk's signals and notes.
    var listeners: [any KioskListener] { get }
    /// The owner of a key that many visits use; nil: none.
    var printedKey: (any PrintedKeySource)? { get }
    /// The parts of the status report.
    var parts: [StatusPart] { get }
    /// Returns the services that run as long as the gate.
    func services(of gate: RunningGate) -> [any Service]
    /// Returns the services whose end the gate does not wait for: they may hang in a network or on a socket.
    func detachedServices(of gate: ObservedGate) -> [any Service]
    /// Returns the services that run at the start while the ledger cannot be opened.
    static func waitingServices(of gate: ObservedGate) -> [any Service]

    /// Returns the trial of the feature's own outputs for a person at the gate; nil: none.
    static func trial(_ configuration: Configuration) -> FeatureTrial?
    /// Returns what `gatehouse config check` says about the files of the feature at the time `now`; nil: nothing.
    static func notice(_ configuration: Configuration, at now: Timestamp) -> FeatureProblem?
    /// Returns the dates at which the feature ends.
    static func expiries(_ configuration: Configuration) -> [Expiry]
    /// Returns the public keys that verify the signatures of operators on files of the feature, and the name of the
    /// setting that lists them; nil: none.
    static func operatorKeys(_ configuration: Configuration) -> (key: String, keys: [OperatorKey])?
    /// Returns what a restored gate lacks because no backup contains it; nil: nothing.
    static func lostByRestore(_ configuration: Configuration) -> String?
}

extension Feature {
    /// Does nothing: the feature needs no date.
    package mutating func open(wallTime: @escaping @Sendable () -> WallTime) {}
    /// None.
    package var listeners: [any KioskListener] { [] }
    /// Nil: the feature has no such wires.
    package static func controller(_ start: FeatureStart) -> (any ControllerLines)? { nil }
    /// Nil: the feature owns no such key.
    package var printedKey: (any PrintedKeySource)? { nil }
    /// None.
    package var parts: [StatusPart] { [] }
    /// None.
    package func services(of gate: RunningGate) -> [any Service] { [] }
    /// None.
    package func detachedServices(of gate: ObservedGate) -> [any Service] { [] }
    /// None.
    package static func waitingServices(of gate: ObservedGate) -> [any Service] { [] }
    /// Nil: the feature has no outputs of its own.
    package static func trial(_ configuration: Configuration) -> FeatureTrial? { nil }
    /// Nil: the feature has no files to check.
    package static func notice(_ configuration: Configuration, at now: Timestamp) -> FeatureProblem? { nil }
    /// None: the feature does not end.
    package static func expiries(_ configuration: Configuration) -> [Expiry] { [] }
    /// Nil: the feature checks no signatures.
    package static func operatorKeys(_ configuration: Configuration) -> (key: String, keys: [OperatorKey])? { nil }
    /// Nil: a backup contains all of the feature.
    package static func lostByRestore(_ configuration: Configuration) -> String? { nil }
}

/// The parts from which a feature is made at a gate's start.
package struct FeatureStart: Sendable {
    let configuration: Configuration
    let clock: Clock
    let report: HealthReporter

    /// Creates the value from its parts. `report` receives the faults of the features.
    package init(_ configuration: Configuration, clock: Clock, report: @escaping HealthReporter) {
        (self.configuration, self.clock, self.report) = (configuration, clock, report)
    }
}

/// The parts of a running gate that services of features use.
package struct RunningGate: Sendable {
    let gatekeeper: Gatekeeper
    let clock: Clock

    /// Creates the value from its parts.
    package init(gatekeeper: Gatekeeper, clock: Clock) { (self.gatekeeper, self.clock) = (gatekeeper, clock) }
}

/// The parts that a service needs in order to show the state of a gate.
package struct ObservedGate: Sendable {
    let configuration: Configuration
    let status: StatusReporter
    let store: Store?
    let clock: Clock
    let spawner: Spawner
    let date: @Sendable () -> Timestamp
    let report: HealthReporter

    /// Creates the value from its parts. `store`: the ledger; nil if none is open. `date` returns the date. `report`
    /// receives the faults of the services.
    package init(
        _ configuration: Configuration, status: StatusReporter, store: Store?, clock: Clock, spawner: Spawner,
        date: @escaping @Sendable () -> Timestamp, report: @escaping HealthReporter
    ) {
        (self.configuration, self.status, self.store) = (configuration, status, store)
        (self.clock, self.spawner, self.date, self.report) = (clock, spawner, date, report)
    }
}

/// Why a feature cannot work.
package struct FeatureProblem: Hashable, Sendable {
    /// The code of the fault that the service would report.
    package let code: ReasonCode
    /// The problem, in plain words.
    package let detail: String
    /// The remedy.
    package let remedy: String

    /// Creates a problem. `remedy`: by default that of the code.
    package init(_ code: ReasonCode, _ detail: String, remedy: String? = nil) {
        (self.code, self.detail, self.remedy) = (code, detail, remedy ?? code.remedy)
    }
}
