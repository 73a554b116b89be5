import Encoding
import Glibc
import LinuxIO

/// The time server that a setup may be given: a drop-in of setup's own for chrony, which asks it with Network Time Security (RFC 8915).
/// `systemd-timesyncd` cannot do that.
struct TimeSource: Sendable {
    /// Where chrony finds servers beside those of its own configuration (Debian, chrony 4.0 and later).
    private static let folder = "/etc/chrony/sources.d"
    /// Setup's own file there.
    static let file = folder + "/gatehouse.sources"

    private let path: String
    private let text: [UInt8]

    /// The drop-in for that answer on a machine whose files lie below `root`; throws what keeps it from being written.
    init(_ answer: String, root: String) throws(SetupProblem) {
        guard let host = Self.host(answer) else { throw Self.noHost }
        guard Self.isTaken(on: SystemFiles(root: root)) else {
            throw SetupProblem(
                .timeServer, "needs chrony 4.0 or later, which is not installed",
                "Install it: apt-get install chrony. systemd-timesyncd cannot authenticate a server.")
        }
        path = root + Self.file
        text = Array("# Written by gatehouse setup.\nserver \(host) iburst nts\n".utf8)
    }

    /// The host in lower case; nil for what is no name or IPv4 address of one, and nothing beside it.
    static func host(_ answer: String) -> String? {
        guard let host = WebURL(Text("https://\(answer)/"))?.host.string,
            host.utf8.elementsEqual(answer.lowercased().utf8)
        else { return nil }
        return host
    }

    /// What is said of an answer that names no host.
    static let noHost = SetupProblem(
        .timeServer, "is not the name of a host", "Write the name alone, such as ntp.example.")

    /// Whether chrony is there and takes drop-ins.
    static func isTaken(on files: SystemFiles) -> Bool { files.exists("/usr/sbin/chronyd") && files.exists(folder) }

    /// The servers that chrony asks with Network Time Security, as its files name them; none where it is not installed.
    static func authenticated(on files: SystemFiles) -> [String] {
        guard isTaken(on: files) else { return [] }
        let more = [(folder, ".sources"), ("/etc/chrony/conf.d", ".conf")].flatMap { folder, ending in
            files.names(folder).filter { $0.hasSuffix(ending) }.sorted().map { "\(folder)/\($0)" }
        }
        return (["/etc/chrony/chrony.conf"] + more).flatMap { files.lines($0) ?? [] }.compactMap { line in
            let words = line.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
            guard words.count > 2, ["server", "pool"].contains(words[0]), words.dropFirst(2).contains("nts") else {
                return nil
            }
            return words[1]
        }
    }

    /// Writes it; says what was done, if anything was.
    func install(onStep: (DurableFile.Step) -> Void) throws(SystemError) -> String? {
        // Not a secret, and read by the user as whom chrony runs; also where a setup before this one was cut off.
        defer { chmod(path, 0o644) }
        if FileBytes.whole(path, limit: 1 << 16) == text { return nil }
        try DurableFile.replace(path, with: text, onStep: onStep)
        return "time server: \(path); chrony takes it at its next start, or at once with: chronyc reload sources"
    }
}
