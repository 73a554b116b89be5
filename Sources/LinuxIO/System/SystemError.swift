import Glibc

/// A system call that failed: what was tried, the kernel's answer, and what an operator can do about it.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, in words, with the file or address it was tried on.
    package let operation: String
    /// The `errno` value.
    package let code: Int32
    /// What to do, in plain words; empty when there is nothing particular.
    package let remedy: String

    /// A failure with its errno value (positive).
    package init(_ operation: String, code: Int32, remedy: String = "") {
        self.operation = operation
        self.code = code
        self.remedy = remedy
    }

    package var description: String {
        "\(operation): \(String(cString: strerror(code)))" + (remedy.isEmpty ? "" : ". \(remedy)")
    }
}
