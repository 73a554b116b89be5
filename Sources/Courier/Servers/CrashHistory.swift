package import Encoding

/// Crashes of the program since the start of the machine, and the servers that are no longer contacted because of them.
///
/// The answer of a server may crash a library, and would do so again at every start. The suspects of a crash are the
/// servers that were contacted within ``memory`` before the last contact, because answers may arrive late. A suspect of
/// two crashes within ``window`` is left out until the program ends in order. Of several such suspects, only the server
/// that was contacted last is left out. After each further crash another server is left out.
package struct CrashHistory: Hashable, Sendable {
    /// The maximum distance of related crashes: crashes further apart count as unrelated.
    package static let window: Duration = .seconds(3600)
    /// How long an exchange and an idle connection last after the contact with a server.
    package static let memory: Duration = .seconds(60)
    /// The maximum number of crashes kept, and of servers of each crash and in ``leftOut``. The oldest are
    /// dropped.
    static let (ends, servers) = (20, 8)

    /// A server, and the time of the last contact with it.
    package struct Asked: Hashable, Sendable {
        /// The server, in the form `HOST:PORT`.
        package let server: Text
        /// The instant of the last contact.
        package let at: Instant
    }

    /// A start of the program that followed a crash.
    package struct Crash: Hashable, Sendable {
        /// The instant at which the program started again.
        package let at: Instant
        /// The servers that were contacted before the crash, in order.
        let suspects: [Text]
    }

    /// The crashes kept.
    package private(set) var crashes: [Crash] = []
    /// The number of crashes of the program since the start of the machine.
    package private(set) var count = 0
    /// The servers that are not contacted, `HOST:PORT`.
    package private(set) var leftOut: [Text] = []
    /// The servers that were contacted in this run, in order.
    package private(set) var asked: [Asked] = []

    /// Creates an empty history.
    package init() {}

    /// Notes that the program starts after a run that did not end in order.
    package mutating func crashed(at now: Instant) {
        let newest = asked.last?.at ?? now
        let suspects = asked.filter { $0.at.duration(to: newest) <= Self.memory }.map(\.server)
        let earlier = Set(crashes.filter { $0.at.duration(to: now) <= Self.window }.flatMap(\.suspects))
        if let server = suspects.last(where: { earlier.contains($0) && !leftOut.contains($0) }) {
            leftOut = Array((leftOut + [server]).suffix(Self.servers))
        }
        count += 1
        crashes = Array((crashes + [Crash(at: now, suspects: suspects)]).suffix(Self.ends))
        asked = []
    }

    /// Returns whether a server may be contacted. If so, notes the contact.
    package mutating func mayAsk(_ server: Text, at now: Instant) -> Bool {
        guard !leftOut.contains(server) else { return false }
        asked.removeAll { $0.server == server || $0.at.duration(to: now) > Self.memory }
        asked = Array((asked + [Asked(server: server, at: now)]).suffix(Self.servers))
        return true
    }

    // MARK: - The file between two runs

    /// Returns the content of the file that is kept while the program runs. It has one line for each of these: the id
    /// of the machine's boot; the number of crashes; the servers that are left out; the servers that were contacted,
    /// each after its instant in nanoseconds; and one line for each crash, its instant before its suspects.
    package func bytes(boot: Text) -> [UInt8] {
        let lines =
            [
                [boot.string], [String(count)], leftOut.map(\.string),
                asked.flatMap { [String($0.at.nanoseconds), $0.server.string] },
            ] + crashes.map { [String($0.at.nanoseconds)] + $0.suspects.map(\.string) }
        return Array(lines.map { $0.joined(separator: " ") + "\n" }.joined().utf8)
    }

    /// Reads the bytes of such a file. Returns nil if the file is from another start of the machine, or is
    /// invalid.
    package init?(_ bytes: [UInt8], boot: Text, at now: Instant) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.split(separator: " ") }
        func instant(_ word: Substring) -> Instant? {
            Int64(word).map(Instant.init(nanoseconds:)).flatMap { (Instant.zero...now).contains($0) ? $0 : nil }
        }
        guard lines.count >= 5, lines.count <= 5 + Self.ends, lines[lines.count - 1].isEmpty,
            lines[0].map(String.init) == [boot.string], let count = lines[1].first.flatMap({ Int($0) }),
            lines[3].count % 2 == 0, lines[3].count <= 2 * Self.servers, lines[2].count <= Self.servers
        else { return nil }
        self.count = count
        leftOut = lines[2].map { Text(String($0)) }
        for place in stride(from: 0, to: lines[3].count, by: 2) {
            guard let at = instant(lines[3][place]) else { return nil }
            asked.append(Asked(server: Text(String(lines[3][place + 1])), at: at))
        }
        for line in lines[4..<(lines.count - 1)] {
            guard let first = line.first, let at = instant(first), line.count <= 1 + Self.servers else { return nil }
            crashes.append(Crash(at: at, suspects: line.dropFirst().map { Text(String($0)) }))
        }
    }
}
