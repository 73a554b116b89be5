import CGPIO
import Synchronization

/// The library libgpiod, which finds, requests and drives all GPIO lines.
///
/// It is loaded when lines are first needed. So the same program runs with the library of Debian 12 (libgpiod 1.6)
/// and with that of Debian 13 (libgpiod 2), and needs no library if no lines are configured.
package final class GPIOLibrary: Sendable {
    /// The file names of the library with their generations (1: libgpiod 1.6, 2: libgpiod 2), newest first.
    static let files: [(name: String, generation: Int32)] = [("libgpiod.so.3", 2), ("libgpiod.so.2", 1)]

    private static let found = Mutex<GPIOLibrary?>(nil)

    /// The loaded library. It remains loaded until the process ends, and the pointer never changes.
    nonisolated(unsafe) let pointer: OpaquePointer
    /// The folder of the chips' device nodes.
    let folder: String

    /// Creates an object for a library that has already been loaded. `folder` contains the chips' device nodes.
    init(_ pointer: OpaquePointer, folder: String = "/dev") { (self.pointer, self.folder) = (pointer, folder) }

    /// The library's name and version, for example `libgpiod 1.6.3`.
    package var name: String { "libgpiod \(String(cString: cgpio_version(pointer)))" }

    /// Whether the kernel can be asked to debounce lines through this library. Generation 1 has no such request.
    var debounces: Bool { cgpio_debounces(pointer) }

    /// Returns this machine's library. As long as the library is missing, each call looks for it again, so that it
    /// can be installed while the service runs.
    ///
    /// - Throws: ``GPIOError/noLibrary(_:)``.
    package static func loaded() throws(GPIOError) -> GPIOLibrary {
        if let library = found.withLock({ $0 }) { return library }
        let library = try load(files)
        found.withLock { $0 = library }
        return library
    }

    /// Loads the first of the given files that can be loaded. Throws the reasons of all files if none can be loaded.
    static func load(_ files: [(name: String, generation: Int32)]) throws(GPIOError) -> GPIOLibrary {
        var reasons: [String] = []
        for file in files {
            var (reason, pointer): (CText, OpaquePointer?) = (CText(room: CGPIO_WHY_SIZE), nil)
            reason.fill { pointer = cgpio_load(file.name, file.generation, $0) }
            if let pointer { return GPIOLibrary(pointer) }
            reasons.append(reason.text.contains(file.name) ? reason.text : "\(file.name): \(reason.text)")
        }
        throw .noLibrary(reasons.joined(separator: "; "))
    }
}

/// A buffer into which C code writes a text that ends with a zero byte.
struct CText {
    private var bytes: [CChar]

    /// Creates a buffer of `room` bytes, including the terminating zero.
    init(room: Int = CGPIO_NAME_SIZE) { bytes = [CChar](repeating: 0, count: room) }

    /// Passes the buffer to `call`, which writes the text, and returns the result of `call`.
    @discardableResult
    mutating func fill<Value>(_ call: (UnsafeMutablePointer<CChar>?) -> Value) -> Value {
        bytes.withUnsafeMutableBufferPointer { call($0.baseAddress) }
    }

    /// The text that was written.
    var text: String { bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" } }
}
