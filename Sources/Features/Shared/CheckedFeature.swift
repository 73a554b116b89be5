package import Encoding
package import Settings

/// A feature about which `gatehouse doctor` has a finding.
package protocol CheckedFeature: Feature {
    /// The name of the finding.
    static var check: FeatureCheck { get }
    /// Returns what the doctor says about the parts of the feature when it finds no problem; empty if the configuration
    /// does not ask for the feature.
    static func summaries(_ configuration: Configuration) -> [FeatureSummary]
    /// Returns why the feature cannot work on a machine; nil if it can, or if the configuration does not ask for it.
    static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem?
}

extension CheckedFeature {
    /// Nil: the feature needs nothing of the machine besides its devices.
    package static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem? { nil }
}

/// The findings about features.
package enum FeatureCheck: Sendable {
    /// A display that shows the code to visitors.
    case display
    /// The program that speaks verdicts.
    case voice
    /// The printed code.
    case sticker
}

/// A part of a feature in which the doctor finds no problem.
package struct FeatureSummary: Sendable {
    /// The part, in plain words.
    package let text: String
    /// The device that the part needs; nil: none.
    package let device: FeatureDevice?

    /// Creates the summary of a part that needs that device.
    package init(_ text: String, needs device: FeatureDevice? = nil) { (self.text, self.device) = (text, device) }
}

/// A device that a feature needs. The service must be permitted to use it.
package struct FeatureDevice: Sendable {
    /// The node of a device that the service must be able to open.
    package struct Node: Sendable {
        /// The group that owns such nodes on Debian.
        package let group: String
        /// The problem if the node does not exist.
        package let missing: FeatureProblem
    }

    /// The name for the operator.
    package let name: String
    /// The path of the node, or of the folder of nodes.
    package let path: String
    /// The name in `DeviceAllow=` of a unit (systemd.resource-control(5)).
    package let unitName: String
    /// The node; nil for a folder of nodes, of which the feature needs any.
    package let node: Node?
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
