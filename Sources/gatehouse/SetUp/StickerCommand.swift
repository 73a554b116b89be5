import ArgumentParser
import Clocks
import Console
import Displays
import Encoding
import Features
import Foundation
import LinuxIO
import Settings
import Tuvali

/// The command `gatehouse sticker`: creates the picture of a code to print, for a gate without a display.
struct StickerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sticker",
        abstract: "Creates the picture of a printed code, and its key if there is none.",
        discussion:
            """
            The configuration names the key's file and its last day ([sticker]). An existing key is never \
            overwritten; to create a new one, remove its file. Run it as the service's user, who must be able to read \
            the key and to write to its folder; then restart the service.

            Exit code: 0 when the picture is written, otherwise 2.
            """)
    @OptionGroup var input: ConfigurationInput
    @Option(help: ArgumentHelp("The file for the picture; it must not exist.", valueName: "file"))
    var png: String?

    func run() throws {
        guard let png else { throw CommandFailure("no picture is named", remedy: "give --png and a file") }
        let configuration = try input.load()
        let section = configuration[StickerSection.self]
        guard let path = section.key, let until = section.until else {
            throw CommandFailure("no printed code is configured", remedy: "set key and until in [sticker]")
        }
        guard !FileManager.default.fileExists(atPath: png) else {
            throw CommandFailure("\(png) already exists", remedy: "name another file, or remove it")
        }
        let obstacle = FileObstacle(path)
        if case .forbidden? = obstacle, let obstacle {
            throw CommandFailure(
                "\(path) \(obstacle.text)",
                remedy: "run it as the service's user, which can read "
                    + "the key")
        }
        let now = Machine.clock.utc()
        let key: StickerKey
        do throws(StickerFailure) {
            if obstacle == .absent {
                try StickerKey.check(until: until, ofKeyMadeAt: now, at: now)
                try StickerKey.make(path, at: now)
                Terminal.line("made: \(path)")
            }
            key = try StickerKey(reading: path)
            try key.check(until: until, at: now)
        } catch {
            throw CommandFailure(error.message, remedy: error.remedy)
        }
        let name = try Identifier(configuration.kiosk.name)
        guard let uri = key.uri(name: name),
            let picture = StickerPicture.paint(
                name: configuration.kiosk.name, code: uri,
                lines: ["Scan this with your wallet", "Good until \(StickerDay.words(until))"])
        else { throw CommandFailure("the name is too long for the code", remedy: "choose a shorter kiosk.name") }
        guard CommandRole.at(png, { Self.write(PNG.encode(picture), to: png) }) else {
            throw CommandFailure("\(png) cannot be written", remedy: "check its folder and the permissions")
        }
        Terminal.line("\(png): the last day is \(StickerDay.words(until)); print it 8 cm wide or wider")
        Terminal.error("a printed code \(StickerSection.warning)", remedy: StickerSection.care)
    }

    /// Writes a new file. Returns false if the file exists or cannot be written.
    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let role = OwnerRole(of: path)
        defer { role?.end() }
        return (try? OpenFile(path, .making(mode: 0o644)).write(bytes)) != nil
    }
}
