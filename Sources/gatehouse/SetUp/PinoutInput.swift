import Commissioning
import Console

extension Pinout {
    /// The path of the pinout file that the package installs.
    static let installed = "/usr/share/gatehouse/pinout.toml"
    /// The largest size of a pinout file, in bytes. The installed file has about 20 KB.
    private static let limit = 1024 * 1024

    /// Reads a pinout file. Throws a ``CommandFailure`` with the line of the first mistake.
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
