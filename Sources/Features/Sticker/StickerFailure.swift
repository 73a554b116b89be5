import Glibc
package import LinuxIO

/// The reason why a printed code cannot be made or is not in force.
package struct StickerFailure: Error, Hashable, Sendable {
    /// The problem, in plain words.
    package let message: String
    /// The remedy, in plain words.
    package let remedy: String

    /// Creates a failure with its remedy.
    package init(_ message: String, remedy: String) { (self.message, self.remedy) = (message, remedy) }

    /// Creates the failure of the file `path` with the errno value `code`.
    package init(_ path: String, code: Int32) {
        self.init("\(path): \(String(cString: strerror(code)))", remedy: Self.files)
    }

    /// Creates the failure of the file `path` with the system's error.
    package init(_ path: String, _ error: SystemError) { self.init(path, code: error.code) }

    /// Runs `body`. Converts an error of `body` to a failure of the file or folder `path`.
    package static func with<Value>(
        _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(StickerFailure) -> Value {
        do throws(SystemError) { return try body() } catch { throw StickerFailure(path, error) }
    }

    /// The remedy if the files of a key are wrong: the key must be replaced, because the sessions that used it are
    /// unknown.
    package static let files =
        "Remove the file of sticker.key, create a new one as the service's user (gatehouse sticker) and restart the "
        + "service."
}
