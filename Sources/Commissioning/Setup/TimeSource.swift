import Encoding
import Glibc
import LinuxIO

/// The time server that setup configures, as a drop-in for chrony. chrony supports Network Time Security (RFC 8915);
/// `systemd-timesyncd` does not.
struct TimeSource: Sendable {
    /// The path of setup's drop-in for chrony.
    static let file = Chrony.folder + "/gatehouse.sources"

    private let path: String
    private let text: [UInt8]

    /// Creates the drop-in for the server `answer` on a machine whose files are below `root`. Throws a problem if the
    /// answer is not a host, or if chrony is not installed.
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

    /// Returns the host in lower case; nil if the answer contains more than a host name or an IPv4 address.
    static func host(_ answer: String) -> String? {
        guard let host = WebURL(Text("https://\(answer)/"))?.host.string,
            host.utf8.elementsEqual(answer.lowercased().utf8)
        else { return nil }
        return host
    }

    /// The problem that an answer is not a host.
    static let noHost = SetupProblem(
        .timeServer, "is not the name of a host", "Write the name alone, such as ntp.example.")

    /// Writes the drop-in. Returns a line for a person about the change; nil if nothing was changed.
    func install(onStep: (DurableFile.Step) -> Void) throws(SystemError) -> String? {
        // Permit every user to read the file, because chrony's own user reads it. It contains no secret. Set the mode
        // even if an interrupted setup has already written the file.
        defer { chmod(path, 0o644) }
        if FileBytes.whole(path, limit: 1 << 16) == text { return nil }
        try DurableFile.replace(path, with: text, onStep: onStep)
        return "time server: \(path); chrony uses it from its next start, or immediately after: chronyc reload sources"
    }
}
