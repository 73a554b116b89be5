import Encoding
import Foundation
import TestKit
import Testing

@testable import Appliance

@Suite("Pinout")
struct PinoutTests {
    private let folder = Vectors.repository.appendingPathComponent("hardware")

    private func pinout() throws -> Pinout {
        try Pinout(try Vectors.bytes(folder.appendingPathComponent("pinout.toml")))
    }

    @Test("the wiring page is the one made from the pinout (hardware/make-wiring writes it)")
    func page() throws {
        let file = folder.appendingPathComponent("wiring.md")
        let page = try pinout().wiringPage
        if ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_WIRING"] != nil {
            try Data(page.utf8).write(to: file)
        }
        #expect(String(decoding: try Vectors.bytes(file), as: UTF8.self) == page)
    }

    @Test("the example configuration uses the lines of the pinout, with their levels")
    func configuration() throws {
        let pinout = try pinout()
        let example = Vectors.repository.appendingPathComponent("deploy/gatehouse.toml").path
        let effective = try Configuration.load(example).effective
        for signal in pinout.signals {
            let parts = signal.key.split(separator: ".").map { Text(String($0)) }
            try #require(parts.count == 2)
            #expect(effective[parts[0]]?[parts[1]]?.string == Text(signal.line))
            #expect(effective[parts[0]]?["activeLow"]?.bool == !signal.activeHigh)
        }
        let chip = try #require(effective["gpio"]?["chip"]?.string)
        #expect(pinout.chips.contains { Text($0.label) == chip })
        let keys = Configuration.keys.filter { $0.hasPrefix("indicator.") && $0 != "indicator.activeLow" }
        #expect(Set(pinout.signals.map(\.key)) == Set(keys + ["gate.line"]))
    }

    @Test("the configuration on the page is one that the program takes")
    func snippet() throws {
        let text = "[kiosk]\nname = \"G\"\n" + (try pinout().configuration)
        let configuration = try Configuration.parse(Array(text.utf8), file: "page", folder: "/")
        #expect(configuration.gate.line == "GPIO17")
    }

    @Test("the header: 26 lines and 14 other pins fill it exactly")
    func header() {
        #expect(Set(Header.pins.values).union(Header.fixed.keys) == Set(1...40))
        #expect(Header.pins.count + Header.fixed.count == 40)
    }

    @Test(
        "mistakes in the pinout are found",
        arguments: [
            ("pin = 11", "pin = 12"), ("line = \"GPIO17\"\npin = 11", "line = \"GPIO4\"\npin = 7"),
            ("line = \"GPIO17\"\npin = 11", "line = \"GPIO27\"\npin = 13"), ("GPIO17", "GPIO99"),
            ("active = \"high\"", "active = \"up\""), ("name = \"red\"", "name = \"green\""),
            ("shows = \"red lamp, bottom\"\n", ""), ("[board]", "[bored]"), ("label = ", "lable = "),
            ("indicator.red", "indicator.green"),
        ])
    func mistakes(_ original: String, _ mistake: String) throws {
        let text = String(decoding: try Vectors.bytes(folder.appendingPathComponent("pinout.toml")), as: UTF8.self)
        let changed = text.replacing(original, with: mistake, maxReplacements: 1)
        try #require(changed != text)
        #expect(throws: Pinout.Failure.self) { try Pinout(Array(changed.utf8)) }
    }
}
