import Glibc
package import LinuxIO

/// A setup by a file on the boot partition, which any computer can write to: carried out once, and answered beside it.
///
/// Whatever instant the power is cut at, the file is there and is carried out at the next start, or the configuration is there as a
/// whole. The configuration names what it was made of, the file and what lies beside it, so that one that could not be taken away is not
/// carried out again. Done, it gets another name first; under that it is overwritten, with an invitation that lies beside it, and removed.
/// A wrong one gets another name and stays, and nothing else is changed.
package struct SetupBoot {
    /// How it ended.
    package enum Outcome: Hashable, Sendable {
        /// There is no file.
        case nothing
        /// The gate is configured.
        case done
        /// The file is wrong; nothing was changed.
        case wrong
        /// The machine refused something; the file stays for the next start.
        case refused
    }

    /// What has just been done; told to whoever wants to look at the disk at that instant.
    package enum Step: Hashable, Sendable {
        /// The answer says that it has begun.
        case begun
        /// A step of the work itself.
        case work(SetupWork.Step)
        /// A step of a file in that.
        case file(DurableFile.Step)
        /// The answer says how it ended.
        case told
        /// The file has its other name.
        case renamed
        /// The invitation beside it is gone.
        case erased
        /// The file itself is gone.
        case done
    }

    /// Where a boot partition is mounted.
    package static let folders = ["/boot/firmware", "/boot"]
    /// The file.
    package static let name = "gatehouse-setup.toml"
    /// Its name once it is carried out, as long as it is not overwritten.
    package static let doneName = "gatehouse-setup.done"
    /// Its name where it is wrong.
    package static let wrongName = "gatehouse-setup.wrong.toml"
    /// The answer.
    package static let resultName = "gatehouse-setup.result.txt"

    private let folder: String
    private let machine: SetupMachine
    private let places: SetupPlaces
    private let root: String
    private let onStep: (Step) -> Void

    /// - Parameters:
    ///   - folder: Where the file may be.
    ///   - machine: What was seen of the machine.
    ///   - places: Where the configuration is to be.
    ///   - root: What stands before /etc and the units.
    ///   - onStep: Called after each step.
    package init(
        _ folder: String, on machine: SetupMachine, at places: SetupPlaces, root: String,
        onStep: @escaping (Step) -> Void = { _ in }
    ) {
        (self.folder, self.machine, self.places, self.root, self.onStep) = (folder, machine, places, root, onStep)
    }

    /// Carries the file out, if there is one.
    ///
    /// - Parameter examine: Looks at the machine afterwards; its lines stand in the answer, and there is nothing secret in them.
    /// - Returns: How it ended, and the lines of the answer.
    package func run(examine: () -> [String]) -> (outcome: Outcome, lines: [String]) {
        do throws(SystemError) {
            // What a cut left behind.
            try takeAway()
            guard SystemFiles(root: "").exists(file) else { return (.nothing, []) }
            // First of all: what cannot be written to cannot be cleaned up either, and nothing is done.
            try tell(["The setup has begun, and has not come to its end yet. It goes on at the next start."])
            onStep(.begun)
        } catch {
            return (.refused, ["Nothing was done, as \(folder) cannot be written to: \(error)"])
        }
        do {
            return (.done, try carryOut(examine))
        } catch let error as SetupProblems {
            return putAside(error)
        } catch {
            let lines = ["The machine refused it, and the file stays for the next start: \(error)"]
            try? tell(lines)
            return (.refused, lines)
        }
    }

    private var file: String { folder + "/" + Self.name }
    private var doneFile: String { folder + "/" + Self.doneName }
    private var resultFile: String { folder + "/" + Self.resultName }

    private func carryOut(_ examine: () -> [String]) throws -> [String] {
        let bytes = try content()
        let answers = try SetupAnswers(file: bytes).resolved(in: folder)
        let source = SetupSource(Self.name, bytes, answers)
        var lines = ["The gate is set up; \(Self.name) was taken away.", ""]
        if let made = SetupWork.content(places.file), source.made(made) {
            lines.append(
                "configuration: \(places.file) was made of this very file and what lies beside it; nothing was changed")
        } else {
            let plan = try SetupPlan(answers, on: machine, at: places, source: source.lines)
            let work = try SetupWork(plan, at: places, replaces: answers.replaces, root: root)
            lines += try work.carryOut(onStep: { onStep(.work($0)) }, onFile: { onStep(.file($0)) })
        }
        try tell(lines)
        onStep(.told)
        try DurableFile.rename(file, to: doneFile)
        onStep(.renamed)
        // Whatever a look at the machine comes to, the file is carried out.
        let seen = examine()
        if !seen.isEmpty { lines += ["", "What gatehouse doctor saw before the gate's start:", ""] + seen }
        try tell(lines)
        try takeAway()
        return lines
    }

    private func content() throws -> [UInt8] {
        var status = stat()
        // A link would be taken away in the place of what it leads to.
        guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SetupProblems(SetupProblem(nil, "is no file", "Write it anew."))
        }
        let obstacle = FileObstacle(file)
        guard obstacle == nil, let bytes = FileBytes.read(file, limit: SetupAnswers.largestFile + 1) else {
            throw SetupProblems(SetupProblem(nil, obstacle?.text ?? "cannot be read", "Write it anew."))
        }
        return bytes
    }

    /// Overwrites and removes the files of a setup that is carried out: first the invitation beside the answers, which
    /// name it. An invitation that new answers name too stays until those are carried out. Anyone who can write to the
    /// partition can write such answers, so they remove no invitation but the one that the configuration in force was
    /// made of.
    private func takeAway() throws(SystemError) {
        guard SystemFiles(root: "").exists(doneFile) else { return }
        DurableFile.clean(resultFile)
        // A boot partition knows no capitals.
        if let invitation = Self.invitation(in: doneFile),
            invitation.lowercased() != Self.invitation(in: file)?.lowercased(), isCarriedOut(invitation)
        {
            try DurableFile.erase(folder + "/" + invitation)
            onStep(.erased)
        }
        try DurableFile.erase(doneFile, onStep: { onStep(.file($0)) })
        onStep(.done)
    }

    /// Whether a file beside it is the invitation that the configuration in force was made of.
    private func isCarriedOut(_ invitation: String) -> Bool {
        var status = stat()
        guard lstat(folder + "/" + invitation, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let made = SetupWork.content(places.file),
            let bytes = FileBytes.read(folder + "/" + invitation, limit: SetupAnswers.largestFile + 1)
        else { return false }
        return SetupSource.made(made, of: bytes, for: .invitation)
    }

    /// The name of the invitation beside it that a file names; nil: it names none there, or cannot be read.
    private static func invitation(in file: String) -> String? {
        guard let bytes = FileBytes.read(file, limit: SetupAnswers.largestFile),
            let answers = try? SetupAnswers(file: bytes), let name = answers.text(.invitation),
            !SetupInvitation.isText(name), !name.contains("/")
        else { return nil }
        return name
    }

    // MARK: - Told

    /// Gives a wrong file another name and says what is wrong with it.
    private func putAside(_ error: SetupProblems) -> (Outcome, [String]) {
        let count = error.problems.count == 1 ? "one problem" : "\(error.problems.count) problems"
        var lines = ["Nothing was changed: \(count) in \(Self.name), which is called \(Self.wrongName) now.", ""]
        for problem in error.problems {
            let (message, remedy) = SetupOrigin.file(Self.name).text(problem)
            lines += [message, "  what to do: \(remedy)"]
        }
        lines += ["", "Correct it, call it \(Self.name) again, and start the box anew."]
        do throws(SystemError) {
            try tell(lines)
            try DurableFile.rename(file, to: folder + "/" + Self.wrongName)
        } catch {
            lines.append("It could not be given another name: \(error)")
        }
        return (.wrong, lines)
    }

    /// Writes the answer, for any computer: nothing in it steers a terminal.
    private func tell(_ lines: [String]) throws(SystemError) {
        let text = (["Gatehouse setup", ""] + lines).joined(separator: "\n") + "\n"
        let plain = text.utf8.map { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
        DurableFile.clean(resultFile)
        try DurableFile.replace(resultFile, with: plain)
    }
}
