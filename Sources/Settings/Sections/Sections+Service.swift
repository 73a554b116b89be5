package import Aries
package import Encoding
import Kiosk
import Ledger
package import LinuxIO
package import Tuvali

/// `[policy]`: the rules for admission.
package struct PolicySection: Hashable, Sendable {
    /// The path of the gate's own policy file; nil: the trust data contain the rules, if there are any.
    package var file: String?

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder) {
        file = reader.optional("policy.file").map { resolve($0, in: folder) }
    }
}

/// `[clock]`: how far the date must be trusted before the gate accepts credentials.
package struct ClockSection: Hashable, Sendable {
    /// The provenances of the date that a configuration may require, from the least to the most trusted.
    package static let sources: [WallTime.Provenance] = [.unset, .saved, .rtc, .synchronised]

    /// The lowest provenance of the date with which the gate accepts credentials. With a lower one it rejects each
    /// credential for the reason `clock.untrusted`.
    package var minimum: WallTime.Provenance
    /// How far the clocks of issuers and of the gate may differ, and how far the gate's clock may be set without a
    /// report.
    package var skew: Duration
    /// How long the date must be consistent after the clock was set, before the gate trusts it without an operator's
    /// confirmation.
    package var settle: Duration
    /// Whether the machine takes its date only from authenticated time servers. The first date after a start then
    /// needs no confirmation.
    package var authenticated: Bool

    init(_ reader: inout ConfigurationReader) {
        minimum = reader.choice("clock.minimum", default: .rtc, of: Self.sources)
        authenticated = reader.flag("clock.authenticated", default: false)
        settle = reader.duration(
            "clock.settle", default: ClockGuard.usualSettle, in: .seconds(60)...(.seconds(7 * 86_400)))
        skew = reader.duration("clock.skew", default: .seconds(60), in: .zero...(.seconds(3600)))
    }
}

/// `[ledger]`: the files of the ledger, and how long records are kept.
package struct LedgerSection: Hashable, Sendable {
    /// The path of the database.
    package var path: String
    /// The path of the reserve, the file for records while the database's disk is full. It should be on another disk.
    package var reserve: String
    /// The path of the ledger's witness.
    package var witness: String
    /// The path of the file with the witness's key.
    package var witnessKey: String
    /// How long a record is kept at most.
    package var keep: Duration
    /// The size of the database in megabytes above which the oldest records are removed earlier than after ``keep``.
    package var keepMegabytes: Int

    /// The suffixes of further files, each added to the path of the database: SQLite's files, the lock, the
    /// operator's confirmation of the clock, the operator's order for the door, a ledger that replaces the present
    /// one, copies for a backup and for a restore, and the courier's database with its files.
    static let endings =
        databaseEndings + [".clock", ".order", ".next", ".courier"] + databaseEndings.map { ".courier" + $0 }
    private static let databaseEndings = ["-wal", "-shm", "-journal", ".lock", ".backup", ".restoring"]

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder) {
        let database = reader.text("ledger.path", default: StandardFolders.state + "/gatehouse.db")
        path = resolve(database, in: folder)
        reserve = resolve(reader.text("ledger.reserve", default: database + ".reserve"), in: folder)
        witness = resolve(reader.text("ledger.witness", default: database + ".witness"), in: folder)
        witnessKey = resolve(reader.text("ledger.witnessKey", default: database + ".witness-key"), in: folder)
        keep = reader.duration(
            "ledger.keep", default: .seconds(400 * 86_400), in: .seconds(86_400)...(.seconds(3650 * 86_400)))
        keepMegabytes = reader.integer("ledger.keepMegabytes", default: 2000, in: 16...1_000_000)
    }
}

/// `[agent]`: the connections to the operator's cloud agents, and the reports that are sent over them.
package struct AgentSection: Sendable {
    /// The paths of files with an out-of-band invitation (its URL or its JSON). At the start and when a file changes,
    /// the gate accepts the invitations that it does not know yet.
    package var invitations: [String]
    /// The path of the file with the key that seals the keys of connections in the database. The file is not used if
    /// systemd passes a key to the service.
    package var keyFile: String
    /// Whether agents without TLS may be contacted. Messages are encrypted in any case.
    package var allowPlainHTTP: Bool
    /// The path of a PEM file with root certificates for agents and for links to invitations, in addition to the
    /// system's; nil: only the system's are used.
    package var rootsFile: String?
    /// How long one exchange with an agent may take.
    package var timeout: Duration
    /// The time before the second attempt to reach an agent. It doubles after each further failure, up to
    /// ``retryLast``.
    package var retryFirst: Duration
    /// The maximum time between two attempts to reach an agent.
    package var retryLast: Duration
    /// The format of reports, how agents confirm them, and how long a record may wait to be sent together with
    /// others.
    package var reports: ReportSettings
    /// The mailbox for messages that agents send on their own initiative.
    package var mailbox: MailboxChoice
    /// The copy agents, which also receive every report. Each has its own cursor.
    package var copies: [AgentCopy]
    /// The answers that the gate gives to questions of agents.
    package var rules: RequestRules

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder, ledger: String) {
        invitations = Self.files(reader.texts("agent.invitations"), of: "agent.invitations", &reader, folder)
        let key = folder.standard.name(ledger) + ".agent-key"
        keyFile = resolve(reader.text("agent.keyFile", default: key), in: folder)
        allowPlainHTTP = reader.flag("agent.allowPlainHTTP", default: false)
        rootsFile = reader.optional("agent.rootsFile").map { resolve($0, in: folder) }
        timeout = reader.duration("agent.timeout", default: .seconds(20), in: .seconds(1)...(.seconds(300)))
        retryFirst = reader.duration(
            "agent.retryFirst", default: .seconds(1), in: .milliseconds(100)...(.seconds(3600)))
        retryLast = reader.duration("agent.retryLast", default: .seconds(300), in: .seconds(1)...(.seconds(86_400)))
        reports = ReportSettings(
            format: reader.choice("agent.format", default: .auto),
            confirm: reader.choice("agent.confirm", default: .auto),
            batchDelay: reader.duration("agent.batchDelay", default: .seconds(5), in: .seconds(1)...(.seconds(300))))
        if !reports.isConsistent {
            reader.reject(
                "agent.confirm",
                "\"\(reports.confirm.rawValue)\" cannot be combined with agent.format \"\(reports.format.rawValue)\"",
                "Receipts are for \"records\", the other two for basicmessages; or write \"auto\" for both.")
        }
        let place = reader.text("agent.mailbox", default: "auto")
        let isPlace = !WrittenInvitation.holdsInvitation(place) || place.contains("://")
        if !isPlace { Self.rejectInvitation("agent.mailbox", &reader) }
        mailbox = isPlace ? MailboxChoice(place, in: folder) : .none
        copies = AgentCopy.read(&reader, "agent.copy", folder)
        rules = RequestRules(answers: Self.answers(&reader))
        if retryLast < retryFirst {
            reader.reject("agent.retryLast", "is shorter than agent.retryFirst", "Write a longer duration.")
        }
    }
}

/// `agent.mailbox`: the mailbox for messages that an agent or its controller sends on its own initiative.
package enum MailboxChoice: Hashable, Sendable {
    /// The mailbox of the first agent, if the agent grants one.
    case auto
    /// No mailbox: the gate receives only answers to its own messages.
    case none
    /// A mediator. The text is the URL of its out-of-band invitation, or the path of a file with the invitation.
    case invitation(String)
    /// The agency in the section `[agency]`.
    case agency

    /// The path of the file with the invitation; nil if there is no such file.
    package var file: String? {
        guard case .invitation(let text) = self, !text.contains("://") else { return nil }
        return text
    }

    init(_ text: String, in folder: ConfigurationFolder) {
        switch text {
        case "auto": self = .auto
        case "none": self = .none
        case "agency": self = .agency
        default: self = .invitation(text.contains("://") ? text : resolve(text, in: folder))
        }
    }
}

extension AgentSection {
    /// Returns the paths that `key` lists. Rejects an invitation in place of a path without repeating it: as a path
    /// it would appear in the log, in the status and in messages to other agents.
    fileprivate static func files(
        _ texts: [String], of key: String, _ reader: inout ConfigurationReader, _ folder: ConfigurationFolder
    ) -> [String] {
        let files = texts.filter { !WrittenInvitation.holdsInvitation($0) }
        if files.count < texts.count { rejectInvitation(key, &reader) }
        return files.map { resolve($0, in: folder) }
    }

    private static func rejectInvitation(_ key: String, _ reader: inout ConfigurationReader) {
        reader.reject(
            key, "is an invitation, not a file",
            "Store it in a file that only the service can read, and write the path of that file.")
    }

    /// Reads `[[agent.answer]]`: the answers that the gate gives to questions of agents.
    fileprivate static func answers(_ reader: inout ConfigurationReader) -> [RequestRules.Answer] {
        let key = "agent.answer"
        var answers: [RequestRules.Answer] = []
        for section in reader.sections(key, ["question", "response"]) {
            guard let question = section["question"]?.string, let response = section["response"]?.string,
                (1...1024).contains(question.utf8.count), (1...1024).contains(response.utf8.count),
                !answers.contains(where: { $0.question == question })
            else {
                reader.reject(
                    key, "needs a unique question and a response, at most 1024 bytes each",
                    "Write question = \"Is the gate in service?\" and response = \"Yes\".")
                continue
            }
            answers.append(RequestRules.Answer(question: question, response: response))
        }
        if answers.count > RequestRules.maxAnswers {
            reader.reject(key, "names more than \(RequestRules.maxAnswers) answers", "Remove some.")
        }
        return answers
    }
}

/// `[[agent.copy]]`: a copy agent, which also receives every report.
package struct AgentCopy: Hashable, Sendable {
    /// The name of this destination.
    package var name: String
    /// The paths of files with its invitations, as in ``AgentSection/invitations``.
    package var invitations: [String]

    fileprivate static func read(_ reader: inout ConfigurationReader, _ key: String, _ folder: ConfigurationFolder)
        -> [AgentCopy]
    {
        var copies: [AgentCopy] = []
        for section in reader.sections(key, ["name", "invitations"]) {
            let name = section["name"]?.string?.string ?? ""
            let isGood =
                (1...32).contains(name.utf8.count)
                && name.utf8.allSatisfy {
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        || $0 == UInt8(ascii: "-")
                }
            if !isGood || ["primary", "mailbox"].contains(name) || copies.contains(where: { $0.name == name }) {
                reader.reject(key, "has no unique name", "Write name = \"backup\": small letters, digits, hyphens.")
            }
            let files = (section["invitations"]?.array ?? []).compactMap(\.string?.string)
            if files.isEmpty || files.count != section["invitations"]?.array?.count {
                reader.reject(key, "has no invitations", "Write invitations = [\"/etc/gatehouse/backup.invitation\"].")
            }
            copies.append(
                AgentCopy(name: name, invitations: AgentSection.files(files, of: key, &reader, folder)))
        }
        if copies.count >= DeliveryCursor.limit {
            reader.reject(key, "names more than \(DeliveryCursor.limit - 1) copies", "Remove some.")
        }
        return copies
    }
}

/// `[tuvali]`: the timeouts and rules of visits over Bluetooth.
package struct TuvaliSection: Hashable, Sendable {
    /// The generations of Tuvali that the gate serves. They differ only in their UUIDs.
    package var generations: [Generation]
    /// How long the gate advertises an invitation whose key no phone has used. The time is limited because phones
    /// compare only 40 bits of the key.
    package var keyRotation: Duration
    /// How long the previous invitation is still advertised after a new one.
    package var previousKey: Duration
    /// The maximum time from the connection to the wallet's first message.
    package var identifyLimit: Duration
    /// The maximum time from the wallet's identification until it announces the size of its response. In this time
    /// the visitor chooses a credential.
    package var responseSizeLimit: Duration
    /// The maximum time without a write of the wallet during a transfer.
    package var silenceLimit: Duration
    /// The maximum time from the announced size of the response to its last chunk.
    package var transferLimit: Duration
    /// The percentage of missing chunks above which the gate abandons a transfer. With 100 it never does.
    package var toleratedMissingPercent: Int

    init(_ reader: inout ConfigurationReader) {
        generations = reader.choices("tuvali.generations", default: [.b])
        keyRotation = reader.duration(
            "tuvali.keyRotation", default: .seconds(60), in: .seconds(10)...(.seconds(86_400)))
        previousKey = reader.duration("tuvali.previousKey", default: .seconds(20), in: .seconds(1)...(.seconds(120)))
        identifyLimit = reader.duration(
            "tuvali.identifyLimit", default: .seconds(10), in: .seconds(1)...(.seconds(120)))
        responseSizeLimit = reader.duration(
            "tuvali.responseSizeLimit", default: .seconds(120), in: .seconds(5)...(.seconds(900)))
        silenceLimit = reader.duration("tuvali.silenceLimit", default: .seconds(30), in: .seconds(1)...(.seconds(300)))
        transferLimit = reader.duration(
            "tuvali.transferLimit", default: .seconds(600), in: .seconds(10)...(.seconds(3600)))
        toleratedMissingPercent = reader.integer("tuvali.toleratedMissingPercent", default: 70, in: 0...100)
    }
}

/// `[log]`: the log of JSON lines. It contains no claims, credentials or keys.
package struct LogSection: Hashable, Sendable {
    /// The path of the log file; nil: the log is written to standard error, or to systemd's journal.
    package var path: String?
    /// The lowest level of lines that are written.
    package var level: LogSink.Level

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder) {
        path = reader.optional("log.path").map { resolve($0, in: folder) }
        level = reader.choice("log.level", default: .info)
    }
}

/// `[control]`: the socket at which commands query the running service.
package struct ControlSection: Hashable, Sendable {
    /// The path of the socket; nil: the service has none.
    package var path: String?
    /// The name of the group whose members may query the service, in addition to root and the service's own user;
    /// nil: no group may.
    package var group: String?

    /// The default path of the socket, as it is written in a configuration.
    package static let standardPath = StandardFolders.runtime + "/control.sock"
    /// The maximum length of the path in bytes: the space in a socket address (unix(7)), minus a suffix that the
    /// service adds.
    private static let longestPath = 100

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder) {
        let text = reader.text("control.path", default: Self.standardPath)
        path = text.utf8.elementsEqual("none".utf8) ? nil : resolve(text, in: folder)
        group = reader.optional("control.group")
        if text.isEmpty { reader.reject("control.path", "is empty", "Write a path, or \"none\".") }
        if let path { Self.checkSocket(&reader, "control.path", path) }
    }

    /// Records a problem if a path is too long for a socket.
    package static func checkSocket(_ reader: inout ConfigurationReader, _ key: String, _ path: String) {
        guard path.utf8.count > longestPath else { return }
        reader.reject(
            key, "is longer than \(longestPath) bytes", "Paths of sockets must be short: use one below /run.")
    }
}
