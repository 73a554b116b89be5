import Commissioning
import Console

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
