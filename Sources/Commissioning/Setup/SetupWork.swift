import Credentials
import Encoding
import Features
import Glibc
package import LinuxIO
package import Settings

/// Carries out a plan. It reads and checks all input first. Then it installs the trust data, the invitation, the unit's
/// drop-in and the time server's drop-in. It writes the configuration last, because the service starts once the
/// configuration exists. Each file is written as a whole or not at all. A second run of the same plan changes nothing.
package struct SetupWork: Sendable {
    /// A step that was just done. It is reported so that a caller can look at the disk at that instant.
    package enum Step: Hashable, Sendable {
        /// Trust data, invitation, drop-in, time server, the copy of the previous configuration, and the
        /// configuration itself.
        case trust, invitation, dropIn, timeServer, copy, configuration
    }

    private let plan: SetupPlan
    private let places: SetupPlaces
    private let trust: SetupTrust
    private let invitation: [UInt8]?
    private let dropIn: SetupDropIn
    private let timeSource: TimeSource?
    private let before: [UInt8]?
    /// Whether the previous configuration is the same as the new one, except for the comments about its
    /// source.
    private let isSame: Bool
    /// The group whose members may read the files that root writes; it is the service's group.
    private let group: UInt32?

    /// Reads and checks what the plan names; changes nothing.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - places: The places of the gate.
    ///   - replaces: Whether an existing configuration, and entries that are pinned already, may be replaced.
    ///   - root: The prefix of /etc and the units; empty for this machine.
    package init(
        _ plan: SetupPlan, at places: SetupPlaces, replaces: Bool, root: String
    ) throws(SetupProblems) {
        (self.plan, self.places) = (plan, places)
        group = Accounts.user == 0 ? Accounts.group(Self.service) : nil
        var problems: [SetupProblem] = []
        before = Self.content(places.file)
        isSame = before.map { SetupSource.without($0) == SetupSource.without(plan.configuration) } ?? false
        if !replaces, !isSame, SystemFiles(root: "").exists(places.file) {
            problems.append(Self.exists(places.file))
        } else if before == nil, let problem = Self.obstacle(places.file) {
            problems.append(problem)
        }
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration.parse(plan.configuration, file: places.file, folder: places.folder)
        } catch {
            throw SetupProblems(error.problems.map { SetupProblem(nil, $0.message, $0.remedy) })
        }
        dropIn = SetupDropIn(configuration, of: places, root: root)
        do throws(SetupProblem) {
            invitation = try plan.invitation.map { answer throws(SetupProblem) in
                try Self.invitation(answer, allowsPlainHTTP: plan.allowsPlainHTTP)
            }
        } catch {
            invitation = nil
            problems.append(error)
        }
        do throws(SetupProblem) {
            timeSource = try plan.timeServer.map { answer throws(SetupProblem) in try TimeSource(answer, root: root) }
        } catch {
            timeSource = nil
            problems.append(error)
        }
        do throws(SetupProblem) {
            trust = try SetupTrust(plan.trust, configuration.trust, replaces: replaces)
        } catch {
            throw SetupProblems([error] + problems)
        }
        guard problems.isEmpty else { throw SetupProblems(problems) }
    }

    /// Returns the problem of the files and data to which the answer to `question` leads, together with the
    /// other answers. Returns nil if no problem exists, or if nothing can be checked yet.
    package static func problem(
        with question: SetupQuestion, in answers: SetupAnswers, on machine: SetupMachine, at places: SetupPlaces
    ) -> SetupProblem? {
        do throws(SetupProblem) {
            switch question {
            case .trustBundle:
                guard let path = answers.text(question) else { return nil }
                _ = try SetupFiles.read(path, for: question, limit: TrustBundle.Limits().bytes)
            case .bundleKey, .trustDirectory, .issuer, .issuerType, .issuerDocument, .issuerRoot, .context:
                let draft = SetupDraft(answers, machine, places)
                let section = try? Configuration.parse(draft.configuration, file: places.file, folder: places.folder)
                guard let section = section?.trust else { return nil }
                _ = try SetupTrust(draft.trust, section, replaces: answers.replaces)
            case .invitation:
                guard let path = answers.text(question), !WrittenInvitation.isText(path) else { return nil }
                _ = try invitation(path, allowsPlainHTTP: answers.text(.allowPlainHTTP) != nil)
            default: break
            }
        } catch {
            if error.question == question { return error }
            // A bundle can be checked only with its key.
            return question == .bundleKey ? SetupProblem(question, "is wrong: \(error.message)", error.remedy) : nil
        }
        return nil
    }

    /// The longest configuration that is read, in bytes.
    private static let largestFile = 1024 * 1024

    /// Returns the existing configuration, read with the rights of its owner: bytes that only root may read
    /// must not get into a copy that belongs to that user. Returns nil if no configuration exists that the
    /// owner can read.
    static func content(_ file: String) -> [UInt8]? {
        OwnerRole.of(file) { FileBytes.whole(file, limit: largestFile) }
    }

    /// Returns why no copy of the configuration could be kept; nil if it does not exist, or is a link to
    /// nothing.
    private static func obstacle(_ file: String) -> SetupProblem? {
        guard SystemFiles(root: "").exists(file) else { return nil }
        let obstacle = OwnerRole.of(file) { FileObstacle(file) }
        if obstacle == .absent { return nil }
        return SetupProblem(
            nil, "the configuration to replace \(obstacle?.text ?? "is too long"): \(file)",
            obstacle?.remedy ?? "Move it away.")
    }
    /// The name of the user and of the group of the service.
    private static let service = "gatehouse"

    /// Returns the problem that a configuration exists already.
    package static func exists(_ file: String) -> SetupProblem {
        SetupProblem(
            nil, "there is already a configuration: \(file)",
            "Use --replace (in a setup file replace = true) to replace it; a copy is kept.")
    }

    /// Carries out the plan. Returns the lines for a person that say which steps were done. The lines contain no
    /// secret.
    ///
    /// - Parameters:
    ///   - onStep: Called after each step.
    ///   - onFile: Called after each step of writing a file.
    package func carryOut(
        onStep: (Step) -> Void = { _ in }, onFile: (DurableFile.Step) -> Void = { _ in }
    ) throws(SystemError) -> [String] {
        let role = OwnerRole(of: places.folder)
        defer { role?.end() }
        try DurableFile.make(folder: places.folder, group: group)
        if let state = places.state { try DurableFile.make(folder: state) }
        for path in [places.file, places.invitation] { DurableFile.clean(path) }
        var lines: [String] = []
        // The trust directory and the unit may belong to another user.
        try role.asRoot { () throws(SystemError) in try trust.install(onStep: onFile) }
        lines += trust.words
        onStep(.trust)
        if let invitation {
            if FileBytes.whole(places.invitation, limit: Self.largestFile) != invitation {
                try DurableFile.replace(places.invitation, with: invitation, group: group, onStep: onFile)
            }
            lines.append("invitation: \(places.invitation); the service accepts it when it runs")
            onStep(.invitation)
        }
        let line = try role.asRoot { () throws(SystemError) in try dropIn.install(onStep: onFile) }
        if let line { lines.append(line) }
        onStep(.dropIn)
        if let timeSource {
            let line = try role.asRoot { () throws(SystemError) in try timeSource.install(onStep: onFile) }
            if let line { lines.append(line) }
            onStep(.timeServer)
        }
        guard before != plan.configuration else { return ["configuration: \(places.file) is unchanged"] + lines }
        if let before, !isSame {
            let copy = try keep(before, onFile)
            lines.insert("previous configuration: \(copy)", at: 0)
            onStep(.copy)
        }
        try DurableFile.replace(places.file, with: plan.configuration, group: group, onStep: onFile)
        onStep(.configuration)
        return ["configuration: \(places.file)"] + lines
    }

    /// Keeps `bytes`, the content that will be replaced, in a file with the first free name, or in a file
    /// that holds the same bytes already.
    private func keep(_ bytes: [UInt8], _ onFile: (DurableFile.Step) -> Void) throws(SystemError) -> String {
        for number in 1...Self.mostCopies {
            let path = "\(places.file).before-\(number)"
            if FileBytes.whole(path, limit: Self.largestFile) == bytes { return path }
            if SystemFiles(root: "").exists(path) { continue }
            try DurableFile.replace(path, with: bytes, group: group, onStep: onFile)
            return path
        }
        throw SystemError(
            "keeping a copy of \(places.file)", code: EEXIST, remedy: "Remove some of \(places.file).before-….")
    }

    /// The maximum number of copies of configurations that are kept.
    private static let mostCopies = 100

    private static func invitation(_ answer: String, allowsPlainHTTP: Bool) throws(SetupProblem) -> [UInt8] {
        // An invitation in the answer itself was checked when the plan was made.
        if WrittenInvitation.isText(answer) { return Array(answer.utf8) }
        let bytes = try SetupFiles.read(answer, for: .invitation, limit: SetupAnswers.largestFile)
        if let problem = SetupInvitation.problem(with: bytes, allowsPlainHTTP: allowsPlainHTTP) { throw problem }
        return bytes
    }
}
