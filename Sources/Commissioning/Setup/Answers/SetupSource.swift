import Crypto
import Encoding
import LinuxIO
import Settings
import TrustFiles

/// The origin of a configuration that setup has written: the hashes of the file of answers and of each file that it
/// names. The configuration contains them as comments. So setup does not carry out an unchanged file of answers twice,
/// and carries it out again if one of these files has changed.
struct SetupSource {
    /// The comments, without `# `: one for the file of answers and one for each existing file that it names. The names
    /// of those files are not included.
    let lines: [String]

    /// Computes the comments.
    ///
    /// - Parameters:
    /// - name: The name of the file of answers.
    ///   - bytes: The content of the setup file.
    ///   - answers: The answers in the setup file, with absolute paths.
    init(_ name: String, _ bytes: [UInt8], _ answers: SetupAnswers) {
        var lines = [Self.line(name, bytes)]
        for question in [SetupQuestion.trustBundle, .issuerDocument, .issuerRoot, .invitation] {
            guard let path = answers.text(question), question != .invitation || !WrittenInvitation.isText(path) else {
                continue
            }
            Self.add(question, path, to: &lines) { Self.content(path) }
        }
        for path in answers[all: .context].compactMap({ SetupPlan.Context($0).file }) {
            Self.add(.context, path, to: &lines) { Self.content(path) }
        }
        if let path = answers.text(.trustDirectory) {
            Self.add(.trustDirectory, path, to: &lines) {
                (try? TrustDirectoryFiles.read(path))?.flatMap {
                    Array("\($0.path)\n\($0.bytes.count)\n".utf8) + $0.bytes
                }
            }
        }
        self.lines = lines
    }

    /// Returns whether a configuration was made from the same files with the same content. A file that no longer exists
    /// does not count as changed, because setup removes an invitation that it has carried out.
    func made(_ configuration: [UInt8]) -> Bool {
        let said = Set(Self.split(configuration).map { String(decoding: $0, as: UTF8.self) })
        return lines.allSatisfy { said.contains("# " + $0) }
    }

    /// Returns whether a configuration was made from the given content of the file that answers `question`.
    static func made(_ configuration: [UInt8], of bytes: [UInt8], for question: SetupQuestion) -> Bool {
        split(configuration).contains { String(decoding: $0, as: UTF8.self) == "# " + line(for: question, bytes) }
    }

    /// Returns a configuration without the comments about its origin. Setup compares two configurations in this form.
    static func without(_ configuration: [UInt8]) -> [UInt8] {
        let kept = split(configuration).filter { line in
            let text = String(decoding: line, as: UTF8.self)
            return !(text.hasPrefix("# From ") && text.contains(mark))
        }
        return Array(kept.joined(separator: [UInt8(ascii: "\n")]))
    }

    private static let mark = ", sha256 "
    /// The number of bytes that are read from a file at most: one more than the largest bundle or document. A file of
    /// that size is refused when the setup is carried out.
    private static let largestFile = 16 * 1024 * 1024 + 1

    private static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    private static func line(_ name: String, _ bytes: [UInt8]) -> String {
        "From \(name)\(mark)\(Hex.encode(SHA256.hash(data: bytes)))"
    }

    private static func line(for question: SetupQuestion, _ bytes: [UInt8]) -> String {
        line("its " + question.rawValue, bytes)
    }

    private static func content(_ path: String) -> [UInt8]? {
        FileBytes.isFile(path) ? FileBytes.read(path, limit: largestFile) : nil
    }

    private static func add(
        _ question: SetupQuestion, _ path: String, to lines: inout [String], _ content: () -> [UInt8]?
    ) {
        guard SystemFiles(root: "").exists(path) else { return }
        // A file that cannot be read gets a comment that never matches. The code that carries out the setup reports the
        // file.
        lines.append(content().map { line(for: question, $0) } ?? "unreadable")
    }
}
