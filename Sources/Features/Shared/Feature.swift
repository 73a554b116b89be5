package import Clocks
package import GateService
package import Kiosk
package import Reasons
package import Settings

/// An optional part of a gate: its section of the configuration, what it does in the running gate, and what commands
/// say about it. All files of a feature are in one folder, and no other file names their types.
package protocol Feature: Sendable {
    /// The name of the section, which is also the name of the doctor's check.
    static var name: String { get }
    /// The section of the configuration.
    static var section: any ConfigurationSection.Type { get }

    /// Makes the feature of a gate that starts; nil if the configuration does not ask for it.
    init?(_ start: FeatureStart) throws

    /// The receivers of the kiosk's signals and notes.
    var listeners: [any KioskListener] { get }

    /// Returns what `gatehouse doctor` says about the feature when it finds no problem; nil if the configuration does
    /// not ask for the feature.
    static func summary(_ configuration: Configuration) -> String?
    /// Returns why the feature cannot work on a machine; nil if it can, or if the configuration does not ask for it.
    static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem?
    /// The device that the service must be permitted to use; nil if the feature needs none.
    static var device: FeatureDevice? { get }
}

extension Feature {
    /// None.
    package var listeners: [any KioskListener] { [] }
    /// Nil: the doctor says nothing about the feature.
    package static func summary(_ configuration: Configuration) -> String? { nil }
    /// Nil: the feature needs nothing of the machine.
    package static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem? { nil }
    /// Nil: the feature needs no device.
    package static var device: FeatureDevice? { nil }
}

/// What a feature of a gate that starts is made from.
package struct FeatureStart: Sendable {
    let configuration: Configuration
    let clock: Clock
    let report: HealthReporter

    /// Creates the value from its parts. `report` receives the faults of the features.
    package init(_ configuration: Configuration, clock: Clock, report: @escaping HealthReporter) {
        (self.configuration, self.clock, self.report) = (configuration, clock, report)
    }
}

/// The machine on which a feature is to work.
package struct FeatureMachine {
    /// The prefix of the machine's own folders, such as /usr; empty for this machine.
    let root: String

    /// Creates the machine whose folders are below `root`.
    package init(root: String) { self.root = root }
}

/// Why a feature cannot work.
package struct FeatureProblem: Hashable, Sendable {
    /// The code of the fault that the service would report.
    package let code: ReasonCode
    /// The problem, in plain words.
    package let detail: String
    /// The remedy; nil: that of the code.
    package let remedy: String?

    /// Creates a problem.
    package init(_ code: ReasonCode, _ detail: String, remedy: String? = nil) {
        (self.code, self.detail, self.remedy) = (code, detail, remedy)
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
