import Kiosk

/// The line of an output.
package struct OutputLine: Hashable, Sendable {
    /// The name of the line, on the chip of `[gpio]`.
    package var name: String
    /// Whether low voltage switches the output on.
    package var activeLow: Bool

    /// Creates the line with the name `name`.
    package init(name: String, activeLow: Bool) { (self.name, self.activeLow) = (name, activeLow) }
}

extension ConfigurationReader {
    /// Reads the lines of the outputs whose keys are in `section`, in the order of the roles. Consecutive outputs
    /// with the same key for their polarity share it; it is read after their lines. The result contains only outputs
    /// with a line.
    mutating func outputs(in section: String) -> [OutputRole: OutputLine] {
        var outputs: [OutputRole: OutputLine] = [:]
        var rest = OutputRole.allCases.filter { $0.key.hasPrefix(section + ".") }[...]
        while let polarity = rest.first?.polarity {
            let roles = rest.prefix { $0.polarity == polarity }
            rest = rest.dropFirst(roles.count)
            let names = roles.map { optional($0.key) }
            let activeLow = flag(polarity.key, default: polarity.isActiveLow)
            for (role, name) in zip(roles, names) {
                outputs[role] = name.map { OutputLine(name: $0, activeLow: activeLow) }
            }
        }
        return outputs
    }
}
