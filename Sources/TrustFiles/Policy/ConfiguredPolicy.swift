package import Credentials
import Encoding
package import Settings

/// The policy of a gate, from its configuration and its rules.
package enum ConfiguredPolicy {
    /// Returns the policy of the gate under the given rules or, without rules, the policy of its configuration.
    package static func rules(of configuration: Configuration, under rules: GatePolicy?) -> VerificationPolicy {
        let defaults = defaults(configuration)
        return rules.map { VerificationPolicy($0, over: defaults, direction: direction(configuration)) } ?? defaults
    }

    /// Returns the direction of the gate; nil if the configuration has none.
    package static func direction(_ configuration: Configuration) -> GateDirection? {
        configuration.gate.direction
    }

    /// Returns the policy for everything that the rules do not set. Without rules, the types in each issuer's entry
    /// determine which credentials are admitted, and an immediate reuse is only noted.
    package static func defaults(_ configuration: Configuration) -> VerificationPolicy {
        var policy = VerificationPolicy(profile: configuration.trust.profile)
        policy.clockSkew = configuration.clock.skew
        policy.audience = Text(configuration.kiosk.name)
        policy.minimumClock = configuration.clock.minimum
        policy.replay.action = .flag
        return policy
    }
}
