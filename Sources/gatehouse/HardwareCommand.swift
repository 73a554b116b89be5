import ArgumentParser
import Commissioning
import Foundation

/// Prints or writes the wiring page and its pictures. They are made from the pinout.
struct HardwareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hardware", abstract: "Prints the pin assignment and draws the wiring.",
        discussion: """
            Without --write: the wiring page, in Markdown. With it: page and pictures (SVG) as files in a folder.

            Exit code: 2 when the pinout cannot be used or a file cannot be written.
            """)
    @Option(help: ArgumentHelp("The folder for the page and the folder wiring with its pictures.", valueName: "folder"))
    var write: String?
    @Argument(help: "The pinout.")
    var file = Pinout.installed

    func run() throws {
        let pinout = try Pinout.load(file)
        guard let write else { return Terminal.write(pinout.wiringPage) }
        let folder = URL(fileURLWithPath: write)
        let pictures = folder.appendingPathComponent("wiring")
        for (path, text) in pinout.files {
            do {
                try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: folder.appendingPathComponent(path), options: .atomic)
            } catch {
                throw CommandFailure(
                    Terminal.printable("\(write)/\(path) cannot be written"),
                    remedy: "name a folder that you may write to")
            }
        }
        Terminal.line(Terminal.printable("\(write): \(pinout.files.count) files"))
    }
}

extension Pinout {
    /// The path of the pinout that the package installs.
    static let installed = "/usr/share/gatehouse/pinout.toml"
    /// The longest pinout in bytes; the usual one has about 20 KB.
    private static let limit = 1024 * 1024

    /// Reads a pinout; throws a failure for people.
    static func load(_ file: String) throws -> Pinout {
        let bytes = try InputFile.bytes(file, limit: limit)
        do throws(Pinout.Failure) {
            return try Pinout(bytes)
        } catch {
            throw CommandFailure(
                Terminal.printable("\(file):\(error.line): \(error.message)"), remedy: "correct the pinout")
        }
    }
}
