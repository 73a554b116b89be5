import Foundation
import TestKit
import Testing

/// `gatehouse-workshop wiring`: the wiring page and its pictures.
@Suite struct WiringCommandTests {
    private let folder: Scratch
    private let hardware = Vectors.repository.appendingPathComponent("hardware")

    init() throws { folder = try Scratch() }

    private var pinout: String { hardware.appendingPathComponent("pinout.toml").path }

    @Test func theFilesAreThoseOfTheRepository() async throws {
        for time in ["made", "made anew"] {
            let ending = try await folder.workshop("wiring", pinout, "out")
            #expect(ending.code == 0 && ending.lines.count == 1, "\(time): \(ending)")
        }
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/wiring"))
        #expect(made.count > 8)
        for name in ["wiring.md"] + made.map({ "wiring/" + $0 }) {
            let here = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/" + name)))
            #expect(here == (try Data(contentsOf: hardware.appendingPathComponent(name))), "\(name): make hardware")
        }
    }

    @Test func unusablePinoutFiles() async throws {
        let wrong = try folder.write("wrong.toml", "[board]\nname = \"B\"\nchips = []\n\u{1B}x = 1\n")
        let odd = try folder.write("odd.toml", "[board]\nname = \"B\"\nchips = []\n[[signal]]\nline = \"GPIO1\"\n")
        for (file, says) in [(wrong, ":4: "), (odd, ":5: "), (folder.path("absent"), "cannot read")] {
            let ending = try await folder.workshop("wiring", file, "out")
            #expect(ending.code == 2 && ending.output.isEmpty && ending.hasRemedy, "\(ending)")
            #expect(ending.errors.contains(says) && !ending.errors.contains("\u{1B}"), "\(ending)")
        }
        let full = try await folder.workshop("wiring", pinout, "/dev/null")
        #expect(full.code == 2 && full.hasRemedy && full.output.isEmpty, "\(full)")
    }
}
