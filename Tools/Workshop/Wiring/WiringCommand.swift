import ArgumentParser
import Commissioning
import Console
import Foundation

/// The command `gatehouse-workshop wiring`: writes the wiring page and its pictures from the pinout.
struct WiringCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wiring", abstract: "Writes the wiring page and its pictures.",
        discussion: """
            The page (Markdown) and the folder `wiring` with its pictures (SVG), as in the folder `hardware`.

            Exit code: 2 when the pinout cannot be used or a file cannot be written.
            """)
    @Argument(help: "The pinout.")
    var pinout: String
    @Argument(help: "The folder for the page and the pictures.")
    var folder: String

    /// The largest size of a pinout file, in bytes. The usual file has about 20 KB.
    private static let limit = 1024 * 1024

    func run() throws {
        let wiring = try wiring()
        let target = URL(fileURLWithPath: folder)
        let pictures = target.appendingPathComponent("wiring")
        for (path, text) in wiring.files {
            do {
                try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: target.appendingPathComponent(path), options: .atomic)
            } catch {
                throw CommandFailure(
                    Terminal.printable("\(folder)/\(path) cannot be written"),
                    remedy: "name a folder that you may write to")
            }
        }
        Terminal.line(Terminal.printable("\(folder): \(wiring.files.count) files"))
    }

    private func wiring() throws -> Wiring {
        let bytes = try InputFile.bytes(pinout, limit: Self.limit)
        do throws(Pinout.Failure) {
            return try Wiring(bytes)
        } catch {
            throw CommandFailure(
                Terminal.printable("\(pinout):\(error.line): \(error.message)"), remedy: "correct the pinout")
        }
    }
}
