import Encoding
import Features
import Kiosk
import Settings
import Testing

/// The lines of the outputs in the configuration: each output of the table is read and checked in the same way.
@Suite struct OutputLineTests {
    /// Returns a configuration with the given lines; `isLow`: whether a low level switches them on.
    private func configuration(_ lines: [OutputRole: String], isLow: Bool) throws -> Configuration {
        var text = ConfigurationText()
        text.add("kiosk.name", "G")
        text.add("gpio.chip", "c")
        for (role, line) in lines.sorted(by: { $0.key.key < $1.key.key }) { text.add(role.key, .text(line)) }
        for key in Set(lines.keys.map(\.polarity.key)).sorted() { text.add(key, .bool(isLow)) }
        return try Configuration.parse(Array(text.lines.joined(separator: "\n").utf8), file: "test", folder: "/")
    }

    private var all: [OutputRole: String] {
        Dictionary(uniqueKeysWithValues: OutputRole.allCases.enumerated().map { ($1, "L\($0)") })
    }

    @Test(arguments: [false, true]) func everyOutputIsReadWithItsPolarity(_ isLow: Bool) throws {
        let read = try configuration(all, isLow: isLow)
        #expect(read.outputs.mapValues(\.name) == all && read.outputs.values.allSatisfy { $0.activeLow == isLow })
        #expect(Set(OutputRole.allCases.flatMap { [$0.key, $0.polarity.key] }).isSubset(of: Configuration.keys))
    }

    @Test func aGateOpensByWhatAdmits() throws {
        for group in OutputRole.groups.map(Set.init) {
            let admits = group.contains(where: \.admits)
            let lines = all.filter { group.contains($0.key) || !admits && $0.key.kind == .pulse }
            let read = try configuration(lines, isLow: false)
            #expect(read.opens && Set(read.outputs.keys) == Set(lines.keys))
        }
    }

    @Test func noTwoOutputsShareALine() throws {
        for (number, one) in OutputRole.allCases.enumerated() {
            for other in OutputRole.allCases.dropFirst(number + 1) {
                var lines = all
                lines[other] = lines[one]
                let error = #expect(throws: ConfigurationError.self) { try configuration(lines, isLow: false) }
                let keys = error?.problems.map(\.key) ?? []
                #expect(keys == [one.key] || keys == [other.key], "\(one.key) \(other.key)")
            }
        }
    }
}
