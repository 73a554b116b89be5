import CGPIO
import Synchronization

/// libgpiod, which finds, takes and drives all lines.
///
/// It is loaded when lines are first asked for: one program runs with the generation of Debian 12 (1.6) and with
/// that of 13 (2), and without any where no lines are configured.
package final class GPIOLibrary: Sendable {
    /// File names and generations, the newer first.
    static let files: [(name: String, generation: Int32)] = [("libgpiod.so.3", 2), ("libgpiod.so.2", 1)]

    private static let found = Mutex<GPIOLibrary?>(nil)

    /// Stays for the rest of the process, and is only read.
    nonisolated(unsafe) let pointer: OpaquePointer
    /// Where the device nodes of chips are.
    let folder: String

    /// Takes over a library that was loaded.
    init(_ pointer: OpaquePointer, folder: String = "/dev") { (self.pointer, self.folder) = (pointer, folder) }

    /// Its name and version: `libgpiod 1.6.3`.
    package var name: String { "libgpiod \(String(cString: cgpio_version(pointer)))" }

    /// Whether the kernel passes over changes that do not last: generation 1 cannot ask it to.
    var debounces: Bool { cgpio_debounces(pointer) }

    /// The library of this machine. A missing one is looked for again each time, so that it may be installed while
    /// the service runs.
    ///
    /// - Throws: ``GPIOError/noLibrary(_:)``.
    package static func loaded() throws(GPIOError) -> GPIOLibrary {
        if let library = found.withLock({ $0 }) { return library }
        let library = try load(files)
        found.withLock { $0 = library }
        return library
    }

    /// The first of these that can be loaded.
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

/// Room for text that C writes.
struct CText {
    private var bytes: [CChar]

    /// Room for so many bytes, the last of which is a zero.
    init(room: Int = CGPIO_NAME_SIZE) { bytes = [CChar](repeating: 0, count: room) }

    /// Has `call` write it.
    @discardableResult
    mutating func fill<Value>(_ call: (UnsafeMutablePointer<CChar>?) -> Value) -> Value {
        bytes.withUnsafeMutableBufferPointer { call($0.baseAddress) }
    }

    /// What was written.
    var text: String { bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" } }
}
