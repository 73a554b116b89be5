import Glibc

/// A failed system call: the operation, the kernel's error code, and the remedy for an operator.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation in words, with the file or address that it concerned.
    package let operation: String
    /// The `errno` value of the failure.
    package let code: Int32
    /// The remedy in plain words; empty if there is none.
    package let remedy: String

    /// Creates an error of the operation `operation` with the positive errno value `code`.
    package init(_ operation: String, code: Int32, remedy: String = "") {
        self.operation = operation
        self.code = code
        self.remedy = remedy
    }

    package var description: String {
        "\(operation): \(String(cString: strerror(code)))" + (remedy.isEmpty ? "" : ". \(remedy)")
    }
}
