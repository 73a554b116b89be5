package import Encoding
package import Settings

/// A feature that `gatehouse doctor` checks.
package protocol CheckedFeature: Feature {
    /// The name of the finding about the feature.
    static var check: FeatureCheck { get }
    /// Returns the parts of the feature that the configuration contains, with the texts that the doctor prints if
    /// they have no problem. Returns an empty list if the configuration does not use the feature.
    static func summaries(_ configuration: Configuration) -> [FeatureSummary]
    /// Returns the reason why the feature cannot work on a machine; nil if it can, or if the configuration does not
    /// use it.
    static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem?
}

extension CheckedFeature {
    /// Nil: the feature needs only its devices, which the doctor checks for all features.
    package static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem? { nil }
}

/// The findings of the doctor about features.
package enum FeatureCheck: Sendable {
    /// The displays, which show the code to visitors.
    case display
    /// The program that speaks verdicts.
    case voice
    /// The printed code.
    case sticker
}

/// One part of a feature for the doctor: the text for it, and the device that it needs.
package struct FeatureSummary: Sendable {
    /// The text that the doctor prints if the part has no problem.
    package let text: String
    /// The device that the part needs; nil if it needs none.
    package let device: FeatureDevice?

    /// Creates the summary of a part that needs the device `device`.
    package init(_ text: String, needs device: FeatureDevice? = nil) { (self.text, self.device) = (text, device) }
}

/// A device that a feature needs. The service must be permitted to use it.
package struct FeatureDevice: Sendable {
    /// A device node that the service must be able to open.
    package struct Node: Sendable {
        /// The group that owns such device nodes on Debian.
        package let group: String
        /// The problem if the node does not exist.
        package let missing: FeatureProblem
    }

    /// The name of the device for the operator.
    package let name: String
    /// The path of the device node, or of a folder of such nodes.
    package let path: String
    /// The name of the device in `DeviceAllow=` of a unit (systemd.resource-control(5)).
    package let unitName: String
    /// The device node; nil if ``path`` is a folder, of which any node may be needed.
    package let node: Node?
}

/// The machine that the doctor checks.
package struct FeatureMachine {
    /// The prefix of paths such as /usr; empty for this machine.
    let root: String
    /// The present date of the machine.
    let utc: Timestamp
    /// Calls a function with the rights of the owner of the gate's folders, and returns its result.
    let asOwner: (() -> FeatureProblem?) -> FeatureProblem?

    /// Creates the machine whose files are below `root`.
    package init(root: String, utc: Timestamp, asOwner: @escaping (() -> FeatureProblem?) -> FeatureProblem?) {
        (self.root, self.utc, self.asOwner) = (root, utc, asOwner)
    }
}
