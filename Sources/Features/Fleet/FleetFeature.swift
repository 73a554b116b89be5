import Credentials
import Settings

/// The configuration of a gate that belongs to a fleet: its operators may send a new one. The running gate does not use
/// it.
struct FleetFeature: Feature {
    static let section: any ConfigurationSection.Type = FleetSection.self

    init(_ start: FeatureStart) {}

    static func operatorKeys(_ configuration: Configuration) -> (key: String, keys: [OperatorKey])? {
        ("fleet.keys", configuration[FleetSection.self].keys)
    }
}
