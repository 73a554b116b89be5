import Glibc

/// Why a printed code cannot be made or is not in force.
package struct StickerFailure: Error, Hashable, Sendable {
    /// What is wrong, in plain words.
    package let message: String
    /// What to do about it, in plain words.
    package let remedy: String

    init(_ message: String, remedy: String) { (self.message, self.remedy) = (message, remedy) }

    /// A failure of a file that the system gave a reason for.
    init(_ path: String, code: Int32) {
        self.init("\(path): \(String(cString: strerror(code)))", remedy: Self.files)
    }

    /// What helps where the files of a key are wrong: nobody knows which of its sessions it has had.
    static let files =
        "Remove the file of sticker.key, make a new one as the service's user (gatehouse sticker) and restart the service."
}
