/// The files of chrony, the time daemon that can authenticate its servers.
enum Chrony {
    /// The folder from which chrony reads servers in addition to those of its own configuration (Debian, chrony 4.0 and
    /// later).
    static let folder = "/etc/chrony/sources.d"

    /// Returns whether chrony is installed and reads drop-in files from ``folder``.
    static func takesSources(on files: SystemFiles) -> Bool {
        files.exists("/usr/sbin/chronyd") && files.exists(folder)
    }

    /// Returns the names of the servers that chrony uses with Network Time Security, from chrony's files; empty if
    /// chrony is not installed.
    static func authenticated(on files: SystemFiles) -> [String] {
        guard takesSources(on: files) else { return [] }
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
}
