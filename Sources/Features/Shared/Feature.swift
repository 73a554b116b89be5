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

/// An optional part of a gate: its section of the configuration, its work in the running gate, and what commands
/// print about it. All files of a feature are in one folder, and other files except ``FeatureList`` do not name its
/// types.
package protocol Feature: Sendable {
    /// The type of the feature's section of the configuration.
    static var section: any ConfigurationSection.Type { get }

    /// Returns the wires to a gate controller; nil if the feature has none. A gate requests its lines before it
    /// creates its features.
    static func controller(_ start: FeatureStart) -> (any ControllerLines)?
    /// Creates the feature when a gate starts, before any slow step of the start. A feature that the configuration
    /// does not use does nothing.
    init(_ start: FeatureStart) throws
    /// Creates the parts that need the date. Called after the ledger was opened. `wallTime` returns the date and its
    /// provenance.
    mutating func open(wallTime: @escaping @Sendable () -> WallTime)

    /// The feature's receivers of the kiosk's signals and notes.
    var listeners: [any KioskListener] { get }
    /// The source of a key that many visits use; nil if the feature has none.
    var printedKey: (any PrintedKeySource)? { get }
    /// The feature's parts of the status report.
    var parts: [StatusPart] { get }
    /// Returns the services of the feature that run as long as the gate.
    func services(of gate: RunningGate) -> [any Service]
    /// Returns the services whose end the gate does not wait for, because they may hang in the network or on a
    /// socket.
    func detachedServices(of gate: ObservedGate) -> [any Service]
    /// Returns the services that run while the gate waits at its start because the ledger cannot be opened.
    static func waitingServices(of gate: ObservedGate) -> [any Service]

    /// Returns the test pulses for the feature's own outputs, for a person at the gate; nil if the feature has no
    /// outputs.
    static func trial(_ configuration: Configuration) -> FeatureTrial?
    /// Returns the problem with the files of the feature at the time `now`, which `gatehouse config check` prints;
    /// nil if there is none.
    static func notice(_ configuration: Configuration, at now: Timestamp) -> FeatureProblem?
    /// Returns the dates at which parts of the feature expire.
    static func expiries(_ configuration: Configuration) -> [Expiry]
    /// Returns the operators' public keys that verify files of the feature, and the key of the configuration that
    /// lists them; nil if the feature verifies no files.
    static func operatorKeys(_ configuration: Configuration) -> (key: String, keys: [OperatorKey])?
    /// Returns a text about the parts of the feature that a restored gate lacks because no backup contains them; nil
    /// if there are none.
    static func lostByRestore(_ configuration: Configuration) -> String?
}

extension Feature {
    /// Does nothing: the feature needs no date.
    package mutating func open(wallTime: @escaping @Sendable () -> WallTime) {}
    /// Empty: the feature has no listeners.
    package var listeners: [any KioskListener] { [] }
    /// Nil: the feature has no such wires.
    package static func controller(_ start: FeatureStart) -> (any ControllerLines)? { nil }
    /// Nil: the feature has no printed key.
    package var printedKey: (any PrintedKeySource)? { nil }
    /// Empty: the feature has no part of the status report.
    package var parts: [StatusPart] { [] }
    /// Empty: the feature has no services.
    package func services(of gate: RunningGate) -> [any Service] { [] }
    /// Empty: the feature has no such services.
    package func detachedServices(of gate: ObservedGate) -> [any Service] { [] }
    /// Empty: the feature has no such services.
    package static func waitingServices(of gate: ObservedGate) -> [any Service] { [] }
    /// Nil: the feature has no outputs of its own.
    package static func trial(_ configuration: Configuration) -> FeatureTrial? { nil }
    /// Nil: the feature has no files to check.
    package static func notice(_ configuration: Configuration, at now: Timestamp) -> FeatureProblem? { nil }
    /// Empty: nothing of the feature expires.
    package static func expiries(_ configuration: Configuration) -> [Expiry] { [] }
    /// Nil: the feature verifies no files.
    package static func operatorKeys(_ configuration: Configuration) -> (key: String, keys: [OperatorKey])? { nil }
    /// Nil: a backup contains everything of the feature.
    package static func lostByRestore(_ configuration: Configuration) -> String? { nil }
}

/// The values from which a feature is created when a gate starts.
package struct FeatureStart: Sendable {
    let configuration: Configuration
    let clock: Clock
    let report: HealthReporter

    /// Creates the value. `report` receives the faults of the features.
    package init(_ configuration: Configuration, clock: Clock, report: @escaping HealthReporter) {
        (self.configuration, self.clock, self.report) = (configuration, clock, report)
    }
}

/// The parts of a running gate that the services of features use.
package struct RunningGate: Sendable {
    let gatekeeper: Gatekeeper
    let clock: Clock

    /// Creates the value.
    package init(gatekeeper: Gatekeeper, clock: Clock) { (self.gatekeeper, self.clock) = (gatekeeper, clock) }
}

/// The parts of a gate that a service needs to publish the gate's state.
package struct ObservedGate: Sendable {
    let configuration: Configuration
    let status: StatusReporter
    let store: Store?
    let clock: Clock
    let spawner: Spawner
    let date: @Sendable () -> Timestamp
    let report: HealthReporter

    /// Creates the value. `store` contains the ledger; nil if none is open. `date` returns the date. `report`
    /// receives the faults of the services.
    package init(
        _ configuration: Configuration, status: StatusReporter, store: Store?, clock: Clock, spawner: Spawner,
        date: @escaping @Sendable () -> Timestamp, report: @escaping HealthReporter
    ) {
        (self.configuration, self.status, self.store) = (configuration, status, store)
        (self.clock, self.spawner, self.date, self.report) = (clock, spawner, date, report)
    }
}

/// The reason why a feature cannot work.
package struct FeatureProblem: Hashable, Sendable {
    /// The code of the fault that the service reports for this problem.
    package let code: ReasonCode
    /// The problem, in plain words.
    package let detail: String
    /// The remedy in plain words.
    package let remedy: String

    /// Creates a problem. Without `remedy`, the remedy is that of the code.
    package init(_ code: ReasonCode, _ detail: String, remedy: String? = nil) {
        (self.code, self.detail, self.remedy) = (code, detail, remedy ?? code.remedy)
    }
}
