import Credentials
import Encoding
import Features
import Glibc
package import LinuxIO
package import Settings

/// Carries out the plan of a setup. It reads and checks all input first. Then it installs the trust data, the
/// invitation, the unit's drop-in and chrony's drop-in. It writes the configuration last, because the service starts
/// once the configuration exists. Each file is written completely or not at all. A second run of the same plan changes
/// nothing.
package struct SetupWork: Sendable {
    /// A finished step. The caller can examine the disk after each step.
    package enum Step: Hashable, Sendable {
        /// The installation of trust data, invitation, unit's drop-in and time server, the copy of the previous
        /// configuration, and the new configuration.
        case trust, invitation, dropIn, timeServer, copy, configuration
    }

    private let plan: SetupPlan
    private let places: SetupPlaces
    private let trust: SetupTrust
    private let invitation: [UInt8]?
    private let dropIn: SetupDropIn
    private let timeSource: TimeSource?
    private let before: [UInt8]?
    /// Whether the previous configuration equals the new one, apart from the comments about its origin.
    private let isSame: Bool
    /// The service's group, whose members may read the files that root writes; nil if this program does not run as
    /// root.
    private let group: UInt32?

    /// Reads and checks the files and data that the plan names. Changes nothing.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    /// - places: The paths and names of the gate.
    ///   - replaces: Whether an existing configuration, and entries that are pinned already, may be replaced.
    /// - root: The folder above etc/systemd and the units; empty for this machine.
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

    /// Returns the problem of the files and data that the answer to `question` names, considered together with the
    /// other answers. Returns nil if there is no problem, or if they cannot be checked yet.
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
            // A bundle can be checked only with its key, so a problem of the bundle is reported for the key.
            return question == .bundleKey ? SetupProblem(question, "is wrong: \(error.message)", error.remedy) : nil
        }
        return nil
    }

    /// The largest configuration that is read, in bytes.
    private static let largestFile = 1024 * 1024

    /// Returns the existing configuration; nil if there is none that its owner can read. It is read with the owner's
    /// rights, because a copy of it belongs to the owner: a file that only root may read must not get into that copy.
    static func content(_ file: String) -> [UInt8]? {
        OwnerRole.of(file) { FileBytes.whole(file, limit: largestFile) }
    }

    /// Returns the problem that the existing configuration cannot be copied; nil if no configuration exists, or if its
    /// path is a link to nothing.
    private static func obstacle(_ file: String) -> SetupProblem? {
        guard SystemFiles(root: "").exists(file) else { return nil }
        let obstacle = OwnerRole.of(file) { FileObstacle(file) }
        if obstacle == .absent { return nil }
        return SetupProblem(
            nil, "the configuration to replace \(obstacle?.text ?? "is too long"): \(file)",
            obstacle?.remedy ?? "Move it away.")
    }
    /// The name of the service's user and of the service's group.
    private static let service = "gatehouse"

    /// Returns the problem that the configuration file exists already.
    package static func exists(_ file: String) -> SetupProblem {
        SetupProblem(
            nil, "there is already a configuration: \(file)",
            "Use --replace (in a setup file replace = true) to replace it; a copy is kept.")
    }

    /// Carries out the plan. Returns lines for a person about the finished steps, without secrets.
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
        // Act as root for trust directory and unit, which may belong to another user than the configuration's folder.
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

    /// Copies `bytes`, the configuration that will be replaced, to a file with the first free name. Returns the path of
    /// the copy, or of an earlier copy with the same content.
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

    /// The maximum number of copies of earlier configurations. If that many exist, a further copy fails.
    private static let mostCopies = 100

    private static func invitation(_ answer: String, allowsPlainHTTP: Bool) throws(SetupProblem) -> [UInt8] {
        // An invitation in the answer itself was already checked when the plan was made.
        if WrittenInvitation.isText(answer) { return Array(answer.utf8) }
        let bytes = try SetupFiles.read(answer, for: .invitation, limit: SetupAnswers.largestFile)
        if let problem = SetupInvitation.problem(with: bytes, allowsPlainHTTP: allowsPlainHTTP) { throw problem }
        return bytes
    }
}
