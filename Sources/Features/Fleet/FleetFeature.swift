import Credentials
import Settings

/// The keys whose owners may send the gate a new configuration, for a gate of a fleet. The running gate does not use
/// them.
struct FleetFeature: Feature {
    static let section: any ConfigurationSection.Type = FleetSection.self

    init(_ start: FeatureStart) {}

    static func operatorKeys(_ configuration: Configuration) -> (key: String, keys: [OperatorKey])? {
        ("fleet.keys", configuration[FleetSection.self].keys)
    }
}
