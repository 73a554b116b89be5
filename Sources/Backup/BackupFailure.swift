import Glibc
package import LinuxIO
package import Store

/// The reason why a backup cannot be made, read or restored, with the remedy.
package struct BackupFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault, in plain words.
    package let text: String
    /// The remedy, in plain words.
    package let remedy: String
    /// Whether the backup itself is refused, and not a fault of a disk or of the usage the reason.
    package let isRefusal: Bool

    /// Creates a failure with these texts.
    package init(_ text: String, remedy: String, isRefusal: Bool = false) {
        (self.text, self.remedy, self.isRefusal) = (text, remedy, isRefusal)
    }

    /// Creates the failure from an error of the database.
    package init(_ error: StoreError) { self.init(error.text, remedy: error.remedy) }

    /// Creates the failure from an error of the operating system.
    package init(_ error: SystemError) {
        self.init(
            "\(error.operation): \(String(cString: strerror(error.code)))",
            remedy: error.remedy.isEmpty ? "check the disk: free space and permissions" : error.remedy)
    }

    /// Creates the failure from an error of any type.
    init(of error: any Error) {
        switch error {
        case let error as BackupFailure: self = error
        case let error as StoreError: self.init(error)
        case let error as SystemError: self.init(error)
        default: self.init("\(error)", remedy: "report this as a bug")
        }
    }

    /// Returns the failure for a file that is not a complete backup.
    static func damaged(_ file: String, _ detail: String) -> BackupFailure {
        BackupFailure(
            "\(file) is not a complete backup: \(detail)", remedy: "use another copy; nothing was changed",
            isRefusal: true)
    }

    /// The text and the remedy in one line.
    package var description: String { "\(text); \(remedy)" }
}
