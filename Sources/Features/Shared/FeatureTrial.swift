package import LinuxIO

/// A trial of the lines of a feature: pulses that a person at the gate can observe.
package struct FeatureTrial: Sendable {
    /// The part of the configuration that names the lines.
    package let key: String
    /// The name of the output, for people.
    package let name: String
    /// What is sent, for people.
    package let task: String
    /// The lines; at least one.
    package let lines: [GPIOLines.Output]
    /// The lines of the pulses in their order, as indices of ``lines``.
    package let pulses: [Int]
    /// The length of a pulse.
    package let pulse: Duration
    /// The time from one pulse to the next.
    package let interval: Duration
}
