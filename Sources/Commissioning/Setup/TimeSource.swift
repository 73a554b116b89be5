import Encoding
import Glibc
import LinuxIO

/// The time server of a setup. It is configured in setup's own drop-in for chrony, because chrony can use a
/// server with Network Time Security (RFC 8915) and `systemd-timesyncd` cannot.
struct TimeSource: Sendable {
    /// Setup's drop-in file in ``Chrony/folder``.
    static let file = Chrony.folder + "/gatehouse.sources"

    private let path: String
    private let text: [UInt8]

    /// Creates the drop-in for `answer` on a machine whose files are below `root`. Throws a problem if the
    /// drop-in cannot be written.
    init(_ answer: String, root: String) throws(SetupProblem) {
        guard let host = Self.host(answer) else { throw Self.noHost }
        guard Chrony.takesSources(on: SystemFiles(root: root)) else {
            throw SetupProblem(
                .timeServer, "needs chrony 4.0 or later, which is not installed",
                "Install it: apt-get install chrony. systemd-timesyncd cannot authenticate a server.")
        }
        path = root + Self.file
        text = Array("# Written by gatehouse setup.\nserver \(host) iburst nts\n".utf8)
    }

    /// Returns the host in lower case; nil unless the answer is only a host name or an IPv4 address.
    static func host(_ answer: String) -> String? {
        guard let host = WebURL(Text("https://\(answer)/"))?.host.string,
            host.utf8.elementsEqual(answer.lowercased().utf8)
        else { return nil }
        return host
    }

    /// The problem of an answer that names no host.
    static let noHost = SetupProblem(
        .timeServer, "is not the name of a host", "Write the name alone, such as ntp.example.")

    /// Writes the drop-in. Returns a line that says what was done; nil if no change was needed.
    func install(onStep: (DurableFile.Step) -> Void) throws(SystemError) -> String? {
        // The file is not a secret, and the user of chrony reads it. The mode is set even if an interrupted
        // setup wrote the file.
        defer { chmod(path, 0o644) }
        if FileBytes.whole(path, limit: 1 << 16) == text { return nil }
        try DurableFile.replace(path, with: text, onStep: onStep)
        return "time server: \(path); chrony uses it from its next start, or immediately after: chronyc reload sources"
    }
}
