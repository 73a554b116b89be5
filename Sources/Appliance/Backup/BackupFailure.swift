import Glibc
package import LinuxIO
package import Store

/// Why a backup could not be made, read or put back: what is wrong, and what to do about it.
package struct BackupFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in plain words.
    package let text: String
    /// What to do about it, in plain words.
    package let remedy: String
    /// Whether it is the backup that is refused, and no disk or usage that is wrong.
    package let isRefusal: Bool

    /// A failure in these words.
    package init(_ text: String, remedy: String, isRefusal: Bool = false) {
        (self.text, self.remedy, self.isRefusal) = (text, remedy, isRefusal)
    }

    /// What the database reports.
    package init(_ error: StoreError) { self.init(error.text, remedy: error.remedy) }

    /// What the system refuses.
    package init(_ error: SystemError) {
        self.init(
            "\(error.operation): \(String(cString: strerror(error.code)))",
            remedy: error.remedy.isEmpty ? "look at the disk, its room and who may write there" : error.remedy)
    }

    /// Whatever a step of it threw.
    init(of error: any Error) {
        switch error {
        case let error as BackupFailure: self = error
        case let error as StoreError: self.init(error)
        case let error as SystemError: self.init(error)
        default: self.init("\(error)", remedy: "report this as a bug")
        }
    }

    /// A file that is no backup, or not a whole one.
    static func damaged(_ file: String, _ detail: String) -> BackupFailure {
        BackupFailure(
            "\(file) is no whole backup: \(detail)", remedy: "take another copy; nothing was changed", isRefusal: true)
    }

    /// Text and remedy in one line.
    package var description: String { "\(text); \(remedy)" }
}
