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
    /// The name of the section, which is also the name of the doctor's check.
    static var name: String { get }
    /// The section of the configuration.
    static var section: any ConfigurationSection.Type { get }

    /// Makes the feature of a gate that starts. It does nothing if the configuration does not ask for it.
    init(_ start: FeatureStart) throws

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

    /// Returns what `gatehouse doctor` says about the feature when it finds no problem; nil if the configuration does
    /// not ask for the feature.
    static func summary(_ configuration: Configuration) -> String?
    /// Returns why the feature cannot work on a machine; nil if it can, or if the configuration does not ask for it.
    static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem?
    /// The device that the service must be permitted to use; nil if the feature needs none.
    static var device: FeatureDevice? { get }
    /// Returns what `gatehouse config check` says about the files of the feature at the time `now`; nil: nothing.
    static func notice(_ configuration: Configuration, at now: Timestamp) -> FeatureProblem?
    /// Returns the dates at which the feature ends.
    static func expiries(_ configuration: Configuration) -> [Expiry]
    /// Returns the keys by which operators prove files of the feature, with the key of the configuration that names
    /// them; nil: none.
    static func operatorKeys(_ configuration: Configuration) -> (key: String, keys: [OperatorKey])?
    /// Returns what a restored gate lacks because no backup contains it; nil: nothing.
    static func lostByRestore(_ configuration: Configuration) -> String?
}

extension Feature {
    /// None.
    package var listeners: [any KioskListener] { [] }
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
    /// Nil: the doctor says nothing about the feature.
    package static func summary(_ configuration: Configuration) -> String? { nil }
    /// Nil: the feature needs nothing of the machine.
    package static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem? { nil }
    /// Nil: the feature needs no device.
    package static var device: FeatureDevice? { nil }
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
    let wallTime: @Sendable () -> WallTime
    let report: HealthReporter

    /// Creates the value from its parts. `wallTime` returns the date and how far it can be trusted. `report` receives
    /// the faults of the features.
    package init(
        _ configuration: Configuration, clock: Clock, wallTime: @escaping @Sendable () -> WallTime,
        report: @escaping HealthReporter
    ) {
        (self.configuration, self.clock, self.wallTime, self.report) = (configuration, clock, wallTime, report)
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

/// The machine on which a feature is to work.
package struct FeatureMachine {
    /// The prefix of the machine's own folders, such as /usr; empty for this machine.
    let root: String
    /// The date.
    let utc: Timestamp
    /// Calls a function with the rights of the owner of the gate's folders.
    let asOwner: (() -> FeatureProblem?) -> FeatureProblem?

    /// Creates the machine whose folders are below `root`.
    package init(root: String, utc: Timestamp, asOwner: @escaping (() -> FeatureProblem?) -> FeatureProblem?) {
        (self.root, self.utc, self.asOwner) = (root, utc, asOwner)
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

/// A device that a feature needs.
package struct FeatureDevice: Sendable {
    /// The name for the operator.
    package let name: String
    /// The path of the node, or of the folder of nodes.
    package let node: String
    /// The name in `DeviceAllow=` of a unit (systemd.resource-control(5)).
    package let unitName: String
}
