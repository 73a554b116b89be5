package import LinuxIO

/// Test pulses on the lines of a feature, which a person at the gate can observe.
package struct FeatureTrial: Sendable {
    /// The key of the configuration that names the lines.
    package let key: String
    /// The name of the output, for people.
    package let name: String
    /// What the pulses are, for people.
    package let task: String
    /// The lines. There is at least one.
    package let lines: [GPIOLines.Output]
    /// The line of each pulse in the order of the pulses, as an index of ``lines``.
    package let pulses: [Int]
    /// The length of a pulse.
    package let pulse: Duration
    /// The time from the beginning of one pulse to the beginning of the next.
    package let interval: Duration
}
