import Glibc
package import LinuxIO
package import Settings

/// Sets up the gate from an answer file on the boot partition, to which any computer can write. Each answer file is
/// carried out once, and the result is written to a file in the same folder.
///
/// After a power cut at any instant, either the answer file exists and is carried out at the next start, or the
/// configuration is complete. The configuration contains the hashes of the answer file and of the files that it names,
/// so an answer file that could not be removed is not carried out again. After an answer file is carried out, it is
/// renamed, then overwritten and removed, together with an invitation in the same folder. A wrong answer file is
/// renamed and kept, and nothing else is changed.
package struct SetupBoot {
    /// The end of a setup.
    package enum Outcome: Hashable, Sendable {
        /// No answer file exists.
        case nothing
        /// The gate is configured, and the answer file is removed.
        case done
        /// The answer file is wrong and was renamed. Nothing else was changed.
        case wrong
        /// The machine could not carry out the setup, for example because a disk is read-only. The answer file is kept
        /// for the next start.
        case refused
    }

    /// A step of the setup. A test examines the disk after each step.
    package enum Step: Hashable, Sendable {
        /// The result file states that the setup has begun.
        case begun
        /// A step of writing the gate's files.
        case work(SetupWork.Step)
        /// A step of writing or erasing one file.
        case file(DurableFile.Step)
        /// The result file states how the setup ended.
        case told
        /// The answer file was renamed to ``doneName``.
        case renamed
        /// The invitation in the same folder was renamed to ``doneInvitationName``.
        case claimed
        /// The invitation was overwritten and removed.
        case erased
        /// The answer file was overwritten and removed.
        case done
    }

    /// The folders where a boot partition is mounted.
    package static let folders = ["/boot/firmware", "/boot"]
    /// The name of the answer file.
    package static let name = "gatehouse-setup.toml"
    /// The name of an answer file that is carried out, but not yet overwritten and removed.
    package static let doneName = "gatehouse-setup.done"
    /// The name of the invitation of an answer file that is carried out. The name is needed because the content of a
    /// partly overwritten invitation can no longer be recognised at the next start.
    static let doneInvitationName = "gatehouse-setup.invitation.done"
    /// The name to which setup renames a wrong answer file.
    package static let wrongName = "gatehouse-setup.wrong.toml"
    /// The name of the result file.
    static let resultName = "gatehouse-setup.result.txt"

    private let folder: String
    private let machine: SetupMachine
    private let places: SetupPlaces
    private let root: String
    private let onStep: (Step) -> Void

    /// - Parameters:
    ///   - machine: The facts about the machine.
    ///   - places: The paths and names of the gate.
    ///   - root: The folder above etc and the units; empty for this machine.
    ///   - onStep: Called after each step.
    ///   - onStep: Called after each step.
    package init(
        _ folder: String, on machine: SetupMachine, at places: SetupPlaces, root: String,
        onStep: @escaping (Step) -> Void = { _ in }
    ) {
        (self.folder, self.machine, self.places, self.root, self.onStep) = (folder, machine, places, root, onStep)
    }

    /// Carries out the answer file, if it exists.
    ///
    /// - Parameter examine: Examines the machine after the setup. Its lines are written to the result file, so they
    ///   must not contain secrets.
    /// - Returns: How the setup ended, and the lines of the result file.
    package func run(examine: () -> [String]) -> (outcome: Outcome, lines: [String]) {
        do throws(SystemError) {
            // Finish a removal that a power cut interrupted.
            try takeAway()
            guard SystemFiles(root: "").exists(file) else { return (.nothing, []) }
            // Write the result file first: if the partition is not writable, the answer file could not be removed
            // later.
            try tell(["The setup has begun and has not finished. It continues at the next boot."])
            onStep(.begun)
        } catch {
            return (.refused, ["Nothing was done, because \(folder) is not writable: \(error)"])
        }
        do {
            return (.done, try carryOut(examine))
        } catch let error as SetupProblems {
            return putAside(error)
        } catch {
            let lines = ["The setup failed, and the file is kept for the next boot: \(error)"]
            try? tell(lines)
            return (.refused, lines)
        }
    }

    private var file: String { folder + "/" + Self.name }
    private var doneFile: String { folder + "/" + Self.doneName }
    private var doneInvitation: String { folder + "/" + Self.doneInvitationName }
    private var resultFile: String { folder + "/" + Self.resultName }

    private func carryOut(_ examine: () -> [String]) throws -> [String] {
        let bytes = try content()
        let answers = try SetupAnswers(file: bytes).resolved(in: folder)
        let source = SetupSource(Self.name, bytes, answers)
        var lines = ["The gate is set up; \(Self.name) was removed.", ""]
        if let made = SetupWork.content(places.file), source.made(made) {
            lines.append(
                "configuration: \(places.file) already has these answers; nothing was changed")
        } else {
            let plan = try SetupPlan(answers, on: machine, at: places, source: source.lines)
            let work = try SetupWork(plan, at: places, replaces: answers.replaces, root: root)
            lines += try work.carryOut(onStep: { onStep(.work($0)) }, onFile: { onStep(.file($0)) })
        }
        try tell(lines)
        onStep(.told)
        try DurableFile.rename(file, to: doneFile)
        onStep(.renamed)
        // Renaming comes first, so that the setup counts as carried out whatever the examination finds.
        let seen = examine()
        if !seen.isEmpty { lines += ["", "Findings of gatehouse doctor before the gate's start:", ""] + seen }
        try tell(lines)
        try takeAway()
        return lines
    }

    private func content() throws -> [UInt8] {
        // Refuse a symbolic link: removing it would leave the file with the answers.
        guard (try? FileStatus(file))?.kind == .file else {
            throw SetupProblems(SetupProblem(nil, "is not a file", "Write it again."))
        }
        let obstacle = FileObstacle(file)
        guard obstacle == nil, let bytes = FileBytes.read(file, limit: SetupAnswers.largestFile + 1) else {
            throw SetupProblems(SetupProblem(nil, obstacle?.text ?? "cannot be read", "Write it again."))
        }
        return bytes
    }

    /// Overwrites and removes the files of a setup that is carried out: first the invitation that the answer file
    /// names, then the answer file. If a new answer file names the same invitation, the invitation is kept for it.
    /// Anyone who can write to the partition can create a file with the name ``doneName``. Therefore only the
    /// invitation from which the configuration in force was made is removed.
    private func takeAway() throws(SystemError) {
        guard SystemFiles(root: "").exists(doneFile) else { return }
        DurableFile.clean(resultFile)
        // Compare without case, as the file system of a boot partition does.
        if let invitation = Self.invitation(in: doneFile),
            invitation.lowercased() != Self.invitation(in: file)?.lowercased(), isCarriedOut(invitation)
        {
            try DurableFile.rename(folder + "/" + invitation, to: doneInvitation)
            onStep(.claimed)
        }
        try DurableFile.erase(doneInvitation, onStep: { onStep(.file($0)) })
        onStep(.erased)
        try DurableFile.erase(doneFile, onStep: { onStep(.file($0)) })
        onStep(.done)
    }

    /// Returns whether the file with this name in the folder is the invitation from which the configuration in force
    /// was made.
    private func isCarriedOut(_ invitation: String) -> Bool {
        guard (try? FileStatus(folder + "/" + invitation))?.kind == .file,
            let made = SetupWork.content(places.file),
            let bytes = FileBytes.read(folder + "/" + invitation, limit: SetupAnswers.largestFile + 1)
        else { return false }
        return SetupSource.made(made, of: bytes, for: .invitation)
    }

    /// Returns the name of the invitation file that an answer file names; nil if the answer file cannot be read or
    /// names no invitation in the same folder.
    private static func invitation(in file: String) -> String? {
        guard let bytes = FileBytes.read(file, limit: SetupAnswers.largestFile),
            let answers = try? SetupAnswers(file: bytes), let name = answers.text(.invitation),
            !WrittenInvitation.isText(name), !name.contains("/")
        else { return nil }
        return name
    }

    // MARK: - The result file

    /// Renames a wrong answer file and writes its problems to the result file.
    private func putAside(_ error: SetupProblems) -> (Outcome, [String]) {
        let count = error.problems.count == 1 ? "one problem" : "\(error.problems.count) problems"
        var lines = ["Nothing was changed: \(count) in \(Self.name), which was renamed to \(Self.wrongName).", ""]
        for problem in error.problems {
            let (message, remedy) = SetupOrigin.file(Self.name).text(problem)
            lines += [message, "  what to do: \(remedy)"]
        }
        lines += ["", "Correct it, rename it to \(Self.name), and reboot the box."]
        do throws(SystemError) {
            try tell(lines)
            try DurableFile.rename(file, to: folder + "/" + Self.wrongName)
        } catch {
            lines.append("It could not be renamed: \(error)")
        }
        return (.wrong, lines)
    }

    /// Writes the result file. Control characters become "?", because any computer may print the file.
    private func tell(_ lines: [String]) throws(SystemError) {
        let text = (["Gatehouse setup", ""] + lines).joined(separator: "\n") + "\n"
        let plain = text.utf8.map { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
        DurableFile.clean(resultFile)
        try DurableFile.replace(resultFile, with: plain)
    }
}
