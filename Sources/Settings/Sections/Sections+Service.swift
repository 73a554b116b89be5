package import Aries
package import Encoding
import Kiosk
import Ledger
package import LinuxIO
package import Tuvali

/// `[policy]`: the rules for admission.
package struct PolicySection: Hashable, Sendable {
    /// The gate's own policy file; nil: the rules are part of the trust data, if they exist.
    package var file: String?

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder) {
        file = reader.optional("policy.file").map { resolve($0, in: folder) }
    }
}

/// `[clock]`: how trusted the date must be before a credential may be accepted by it.
package struct ClockSection: Hashable, Sendable {
    /// The sources of the date that a configuration may require, from the least to the most trusted.
    package static let sources: [WallTime.Provenance] = [.unset, .saved, .rtc, .synchronised]

    /// The least trusted source of the date with which the gate accepts credentials. With a less trusted
    /// source, the gate rejects every credential with the reason `clock.untrusted`.
    package var minimum: WallTime.Provenance
    /// How far the clocks of issuer and gate may differ, and how far the gate's clock may be set without a
    /// report.
    package var skew: Duration
    /// How long a date to which the clock was moved must be stable before the gate trusts it without an
    /// operator.
    package var settle: Duration
    /// Whether the machine takes its date only from authenticated time servers, so that the first date after
    /// a start is already confirmed.
    package var authenticated: Bool

    init(_ reader: inout ConfigurationReader) {
        minimum = reader.choice("clock.minimum", default: .rtc, of: Self.sources)
        authenticated = reader.flag("clock.authenticated", default: false)
        settle = reader.duration(
            "clock.settle", default: ClockGuard.usualSettle, in: .seconds(60)...(.seconds(7 * 86_400)))
        skew = reader.duration("clock.skew", default: .seconds(60), in: .zero...(.seconds(3600)))
    }
}

/// `[ledger]`: the record of visits and the reports that wait.
package struct LedgerSection: Hashable, Sendable {
    /// The database file.
    package var path: String
    /// The file for records that the database refuses. The file should be on another disk.
    package var reserve: String
    /// The file of the ledger's witness.
    package var witness: String
    /// The file with the witness's key.
    package var witnessKey: String
    /// How long a record is kept.
    package var keep: Duration
    /// The size of the database, in megabytes, above which the oldest records are removed before ``keep``
    /// ends.
    package var keepMegabytes: Int

    /// The suffixes of further files in the database's folder, each added to the database's path: SQLite's files, the
    /// lock, the confirmation of a clock, an operator's order for the gate, a ledger that replaces the present one,
    /// copies made for a backup or a restore, and the courier's database with its files.
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

/// `[agent]`: connections to the operator's cloud agents, and the reports that are sent over them.
package struct AgentSection: Sendable {
    /// Files with an out-of-band invitation (its URL or its JSON). The gate accepts the invitations at the start and
    /// when a file changes, unless known already.
    package var invitations: [String]
    /// The file with the key that seals the keys of connections in the database; not used if systemd hands a
    /// key over.
    package var keyFile: String
    /// Whether endpoints without TLS may be used; the messages are encrypted in either case.
    package var allowPlainHTTP: Bool
    /// A PEM file with TLS roots for agents and for links to invitations, in addition to the system's.
    package var rootsFile: String?
    /// How long one exchange with an agent may take.
    package var timeout: Duration
    /// The wait after the first failed attempt to reach an agent. It doubles with each further failed
    /// attempt.
    package var retryFirst: Duration
    /// The longest wait between attempts.
    package var retryLast: Duration
    /// How reports are confirmed and written, and how long a record waits for others.
    package var reports: ReportSettings
    /// The mailbox for messages that agents send by themselves.
    package var mailbox: MailboxChoice
    /// Further agents that also get every report, each with its own cursor.
    package var copies: [AgentCopy]
    /// The answers to questions of agents.
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

/// `agent.mailbox`: the mailbox for messages that an agent or its controller sends without being asked.
package enum MailboxChoice: Hashable, Sendable {
    /// The first agent's own mailbox, when it grants one.
    case auto
    /// No mailbox: only answers to the gate's own messages arrive.
    case none
    /// A mediator. The text is its out-of-band invitation: a file or a URL.
    case invitation(String)
    /// The agency of `[agency]`.
    case agency

    /// The file with the invitation; nil if no file contains it.
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
    /// Returns the files that are listed under `key`. Refuses an invitation in place of a file, and does not
    /// repeat it: as the path of a file it would appear in the log, the status and the messages to other
    /// agents.
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

    /// Reads `[[agent.answer]]`: the answers to questions of agents.
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

/// `[[agent.copy]]`: a further agent that gets every report too.
package struct AgentCopy: Hashable, Sendable {
    /// The name of the destination.
    package var name: String
    /// The invitations, in the form of ``AgentSection/invitations``.
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

/// `[tuvali]`: timeouts and rules of visits over Bluetooth.
package struct TuvaliSection: Hashable, Sendable {
    /// The generations of Tuvali that the gate accepts. They differ only in their UUIDs.
    package var generations: [Generation]
    /// How long an unused key and its QR code stay valid (the key is authenticated by 40 bits).
    package var keyRotation: Duration
    /// How long the previous invitation stays on the air after a new one appears.
    package var previousKey: Duration
    /// The longest time from the connection to the wallet's first message.
    package var identifyLimit: Duration
    /// The longest time from the end of the request to the size of the response. A person chooses a
    /// credential in that time.
    package var responseSizeLimit: Duration
    /// The longest time without a write during a transfer.
    package var silenceLimit: Duration
    /// The longest time from the size of the response to the whole payload.
    package var transferLimit: Duration
    /// The percentage of missing chunks above which a transfer is given up. The value 100 means never.
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

/// `[log]`: JSON lines about the appliance's actions, without claims, credentials or keys.
package struct LogSection: Hashable, Sendable {
    /// The path of the log file; nil: the log is written to standard error, which systemd keeps in its
    /// journal.
    package var path: String?
    /// The least important lines that are written.
    package var level: LogSink.Level

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder) {
        path = reader.optional("log.path").map { resolve($0, in: folder) }
        level = reader.choice("log.level", default: .info)
    }
}

/// `[control]`: the socket at which other commands of the program query the running service.
package struct ControlSection: Hashable, Sendable {
    /// The path of the socket; nil if the service has no such socket.
    package var path: String?
    /// The group whose members may query the service, in addition to root and the service's own user; nil: no
    /// other user.
    package var group: String?

    /// The default path, as a configuration writes it.
    package static let standardPath = StandardFolders.runtime + "/control.sock"
    /// The longest path in bytes: what the address of a socket holds (unix(7)), less what the service adds to
    /// it.
    private static let longestPath = 100

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder) {
        let text = reader.text("control.path", default: Self.standardPath)
        path = text.utf8.elementsEqual("none".utf8) ? nil : resolve(text, in: folder)
        group = reader.optional("control.group")
        if text.isEmpty { reader.reject("control.path", "is empty", "Write a path, or \"none\".") }
        if let path { Self.checkSocket(&reader, "control.path", path) }
    }

    /// Rejects a path that is too long for a socket.
    package static func checkSocket(_ reader: inout ConfigurationReader, _ key: String, _ path: String) {
        guard path.utf8.count > longestPath else { return }
        reader.reject(
            key, "is longer than \(longestPath) bytes", "Paths of sockets must be short: use one below /run.")
    }
}
