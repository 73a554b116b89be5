package import Credentials
import Encoding
package import Settings

/// Determines the policy of a gate from its configuration and its rules.
package enum ConfiguredPolicy {
    /// Returns the policy of a gate with the given rules. Without rules, the policy is that of the configuration.
    package static func rules(of configuration: Configuration, under rules: GatePolicy?) -> VerificationPolicy {
        let defaults = defaults(configuration)
        return rules.map { VerificationPolicy($0, over: defaults, direction: direction(configuration)) } ?? defaults
    }

    /// Returns the direction in which the gate is passed; nil if the configuration names none.
    package static func direction(_ configuration: Configuration) -> GateDirection? {
        configuration.gate.direction
    }

    /// Returns the policy for everything that the rules do not set. If there are no rules at all, the types in each
    /// issuer's entry decide which credentials are admitted, and a replay of a credential is only noted.
    package static func defaults(_ configuration: Configuration) -> VerificationPolicy {
        var policy = VerificationPolicy(profile: configuration.trust.profile)
        policy.clockSkew = configuration.clock.skew
        policy.audience = Text(configuration.kiosk.name)
        policy.minimumClock = configuration.clock.minimum
        policy.replay.action = .flag
        return policy
    }
}
