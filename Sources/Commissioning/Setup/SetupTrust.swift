import Credentials
import Encoding
import Foundation
import LinuxIO
import Settings
import TrustFiles

/// The trust data of a setup, read and checked as a whole, and installed as by `gatehouse trust import`. An issuer is
/// pinned in a copy of the trust directory, which then replaces the directory in one step. A trust directory without a
/// policy gets the initial policy (``StartRules``).
struct SetupTrust {
    private enum Content {
        case nothing
        case bundle([UInt8], TrustState)
        case copy(TrustCopy, at: String)
        case files([(path: String, bytes: [UInt8])], at: String)
    }

    private let content: Content
    /// Lines for a person about the trust data: versions and keys. The person compares the keys with the publications
    /// of their owner.
    let words: [String]

    /// Reads and checks the trust data that a plan names. Changes nothing.
    ///
    /// - Parameters:
    ///   - plan: The source of the trust data.
    /// - section: The paths of the gate's trust data.
    ///   - replaces: Whether an entry that is pinned already may be replaced.
    init(
        _ plan: SetupPlan.Trust, _ section: TrustSection, replaces: Bool
    ) throws(SetupProblem) {
        switch plan {
        case .unchanged:
            let files = OwnerRole.of(section.directory) {
                section.bundleKeys.isEmpty ? StartRules.files(missingIn: section.directory) : []
            }
            content = files.isEmpty ? .nothing : .files(files, at: section.directory)
            words = files.isEmpty ? [] : [StartRules.words]
        case .bundle(let path):
            let bytes = try SetupFiles.read(path, for: .trustBundle, limit: TrustBundle.Limits().bytes)
            let state = TrustState(section)
            do throws(TrustImportFailure) {
                let (edition, _) = try OwnerRole.of(state.state) { () throws(TrustImportFailure) in
                    try state.check(bytes)
                }
                words = ["trust: bundle \(edition.version), valid until \(edition.validUntil.rfc3339.prefix(10))"]
            } catch {
                throw SetupProblem(.trustBundle, "is not accepted: \(error.text)", error.remedy)
            }
            content = .bundle(bytes, state)
        case .directory(let path):
            do throws(TrustDirectoryError) {
                var copy = try TrustCopy(of: path)
                let rules = copy.begin(at: section.directory)
                (content, words) = (.copy(copy, at: section.directory), ["trust: \(copy.version)"] + rules)
            } catch {
                throw Self.problem(.trustDirectory, error)
            }
        case .issuer(let id, let types, let document, let root, let contexts):
            let bench = SetupPins(id, replaces: replaces)
            defer { bench.remove() }
            try bench.begin(with: section.directory, types)
            for context in contexts { try bench.pin(context) }
            let facts = try document.map { path throws(SetupProblem) in try bench.pin(document: path) } ?? []
            let more = try root.map { path throws(SetupProblem) in try bench.pin(root: path) } ?? []
            var copy = try bench.copy()
            let rules = copy.begin(at: section.directory)
            content = .copy(copy, at: section.directory)
            words = ["trust: the issuer \(id)"] + (facts + more).map { "  " + $0 } + rules
        }
    }

    /// Installs the trust data that were read. Does nothing if the plan keeps the present trust data as they are.
    func install(onStep: (DurableFile.Step) -> Void) throws(SystemError) {
        switch content {
        case .nothing: return
        case .bundle(let bytes, let state):
            let role = OwnerRole(of: state.state)
            defer { role?.end() }
            try DurableFile.make(folder: NamedPlace.folder(of: state.state))
            do throws(TrustImportFailure) {
                try state.install(bytes, onStep: onStep)
            } catch {
                if case .disk(let failure) = error { throw failure }
                throw SystemError("taking the bundle: \(error.text)", code: EBUSY, remedy: error.remedy)
            }
        case .copy(let copy, let directory):
            let role = OwnerRole(of: directory)
            defer { role?.end() }
            if !copy.isAt(directory) { try copy.install(at: directory, onStep: onStep) }
        case .files(let files, let directory):
            let role = OwnerRole(of: directory)
            defer { role?.end() }
            try DurableFile.make(folder: directory)
            for (path, bytes) in files {
                DurableFile.clean(directory + "/" + path)
                try DurableFile.replace(directory + "/" + path, with: bytes, onStep: onStep)
            }
        }
    }

    static func problem(_ question: SetupQuestion, _ error: TrustDirectoryError) -> SetupProblem {
        SetupProblem(question, "cannot be used: \(error.summary)", "Correct it; see gatehouse trust verify.")
    }
}
