package import Encoding

/// The crashes of the program since the machine's start, and the servers that are not contacted because of them.
///
/// The answer of a server may crash a library, and would do so again at every start. The suspects of a crash are the
/// servers that were contacted within ``memory`` before the last contact, because answers may arrive late. A server
/// that is a suspect of two crashes within ``window`` is left out: it is not contacted until the program ends without
/// a crash. If there are several such servers, only the one that was contacted last is left out. After each further
/// crash, one more server is left out.
package struct CrashHistory: Hashable, Sendable {
    /// The maximum time between two related crashes.
    package static let window: Duration = .seconds(3600)
    /// The maximum time for which an exchange, or an idle connection to a server, lasts after the contact.
    package static let memory: Duration = .seconds(60)
    /// The maximum number of recorded crashes, and of the servers of each crash and in ``leftOut``. Beyond it the
    /// oldest are dropped.
    static let (ends, servers) = (20, 8)

    /// A server with the time of the last contact.
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

    /// The recorded crashes, oldest first.
    package private(set) var crashes: [Crash] = []
    /// The number of crashes of the program since the start of the machine.
    package private(set) var count = 0
    /// The servers that are not contacted, in the form `HOST:PORT`.
    package private(set) var leftOut: [Text] = []
    /// The servers that were contacted last in this run, in the order of their contacts.
    package private(set) var asked: [Asked] = []

    /// Creates an empty history.
    package init() {}

    /// Records a crash: the previous run did not end in the normal way.
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

    /// Returns whether a server may be contacted. If so, records the contact.
    package mutating func mayAsk(_ server: Text, at now: Instant) -> Bool {
        guard !leftOut.contains(server) else { return false }
        asked.removeAll { $0.server == server || $0.at.duration(to: now) > Self.memory }
        asked = Array((asked + [Asked(server: server, at: now)]).suffix(Self.servers))
        return true
    }

    // MARK: - The file between two runs

    /// Returns the content of the file that exists while the program runs. Each of these is one line: the id of the
    /// machine's boot; the number of crashes; the servers that are left out; the contacted servers, each after its
    /// instant in nanoseconds. One line for each crash follows, with its instant before its suspects.
    package func bytes(boot: Text) -> [UInt8] {
        let lines =
            [
                [boot.string], [String(count)], leftOut.map(\.string),
                asked.flatMap { [String($0.at.nanoseconds), $0.server.string] },
            ] + crashes.map { [String($0.at.nanoseconds)] + $0.suspects.map(\.string) }
        return Array(lines.map { $0.joined(separator: " ") + "\n" }.joined().utf8)
    }

    /// Reads the content of such a file. Nil if the file is from before the machine's last start, or if it is
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
