import Crypto
import Encoding
import LinuxIO

/// What a setup file was when a configuration was made of it: its own bytes, and those of each file that it names. A configuration says
/// it in comments, so that the same file is not carried out twice, and one beside which something new lies is.
struct SetupSource {
    /// The comments, one for the file and one for each that it names and that is there. Names of files are not repeated.
    let lines: [String]

    /// - Parameters:
    ///   - name: What the file is called.
    ///   - bytes: What is in it.
    ///   - answers: What it says, with absolute paths.
    init(_ name: String, _ bytes: [UInt8], _ answers: SetupAnswers) {
        var lines = [Self.line(name, bytes)]
        for question in [SetupQuestion.trustBundle, .issuerDocument, .issuerRoot, .invitation] {
            guard let path = answers.text(question), question != .invitation || !SetupInvitation.isText(path) else {
                continue
            }
            Self.add(question, path, to: &lines) { Self.content(path) }
        }
        for path in answers[all: .context].compactMap({ SetupPlan.Context($0).file }) {
            Self.add(.context, path, to: &lines) { Self.content(path) }
        }
        if let path = answers.text(.trustDirectory) {
            Self.add(.trustDirectory, path, to: &lines) {
                (try? TrustFiles.read(path))?.flatMap { Array("\($0.path)\n\($0.bytes.count)\n".utf8) + $0.bytes }
            }
        }
        self.lines = lines
    }

    /// Whether a configuration was made of these very bytes. A file that is not there any more is no other one: an invitation is taken
    /// away when it is carried out.
    func made(_ configuration: [UInt8]) -> Bool {
        let said = Set(Self.split(configuration).map { String(decoding: $0, as: UTF8.self) })
        return lines.allSatisfy { said.contains("# " + $0) }
    }

    /// Whether a configuration was made of an answer's file with these very bytes.
    static func made(_ configuration: [UInt8], of bytes: [UInt8], for question: SetupQuestion) -> Bool {
        split(configuration).contains { String(decoding: $0, as: UTF8.self) == "# " + line(for: question, bytes) }
    }

    /// A configuration without what it says of its source: what is compared to tell whether another one takes its place.
    static func without(_ configuration: [UInt8]) -> [UInt8] {
        let kept = split(configuration).filter { line in
            let text = String(decoding: line, as: UTF8.self)
            return !(text.hasPrefix("# From ") && text.contains(mark))
        }
        return Array(kept.joined(separator: [UInt8(ascii: "\n")]))
    }

    private static let mark = ", sha256 "
    /// A byte more than a bundle or a document may have; what is longer is taken by nobody.
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
        // What cannot be read is told by whoever carries it out.
        lines.append(content().map { line(for: question, $0) } ?? "unreadable")
    }
}
