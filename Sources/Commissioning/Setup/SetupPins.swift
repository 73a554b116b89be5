import Encoding
import Foundation
import LinuxIO
import TrustFiles

/// A temporary copy of a gate's trust directory in which setup pins an issuer, in order to check the result.
struct SetupPins {
    private let pin: TrustPin
    private let id: Text

    init(_ id: Text, replaces: Bool) {
        self.id = id
        pin = TrustPin(NSTemporaryDirectory() + "gatehouse-setup-" + UUID().uuidString, replaces: replaces)
    }

    func remove() { try? FileManager.default.removeItem(atPath: pin.directory) }

    /// Copies the trust directory, and adds an entry for the issuer with the types `types`.
    func begin(with directory: String, _ types: [Text]) throws(SetupProblem) {
        let files: [(path: String, bytes: [UInt8])]
        let role = OwnerRole(of: directory)
        do throws(TrustDirectoryError) { files = try TrustDirectoryFiles.read(directory) } catch {
            throw SetupTrust.problem(.issuer, error)
        }
        role?.end()
        do throws(SystemError) { try DurableFile.replaceFolder(pin.directory, with: files) } catch {
            throw SetupProblem(.issuer, "cannot be tried: \(error)", "Check the disk.")
        }
        var settings = IssuerSettings()
        settings.types = types
        _ = try told(.issuer) { () throws(TrustPin.Failure) in try pin.issuer(id, settings) }
    }

    func pin(_ context: SetupPlan.Context) throws(SetupProblem) {
        var bytes: [UInt8]?
        if let file = context.file { bytes = try SetupFiles.read(file, for: .context, limit: TrustIndex.largestFile) }
        _ = try told(.context) { () throws(TrustPin.Failure) in try pin.context(context.url, bytes) }
    }

    /// Pins the issuer's DID document. Returns lines with its keys, which a person compares with the issuer's
    /// publications.
    func pin(document: String) throws(SetupProblem) -> [String] {
        let bytes = try SetupFiles.read(document, for: .issuerDocument, limit: TrustIndex.largestFile)
        let outcome = try told(.issuerDocument) { () throws(TrustPin.Failure) in try pin.document(bytes) }
        guard outcome.id == id else {
            throw SetupProblem(
                .issuerDocument, "is not the document of the issuer, but of \(outcome.id.string.prefix(100))",
                "Give the document of \(id).")
        }
        return outcome.facts
    }

    /// Pins the root of the issuer's certificates. Returns lines with its names, which a person compares with the
    /// issuer's publications.
    func pin(root: String) throws(SetupProblem) -> [String] {
        let bytes = try SetupFiles.read(root, for: .issuerRoot, limit: TrustIndex.largestFile)
        return try told(.issuerRoot) { () throws(TrustPin.Failure) in try pin.root(bytes, issuer: id) }.facts
    }

    /// Returns the content of the copy in its present state.
    func copy() throws(SetupProblem) -> TrustCopy {
        do throws(TrustDirectoryError) { return try TrustCopy(of: pin.directory) } catch {
            throw SetupTrust.problem(.issuer, error)
        }
    }

    private func told(
        _ question: SetupQuestion, _ work: () throws(TrustPin.Failure) -> TrustPin.Outcome
    ) throws(SetupProblem) -> TrustPin.Outcome {
        do throws(TrustPin.Failure) { return try work() } catch {
            switch error {
            case .unusable(let message, let remedy):
                throw SetupProblem(question, "cannot be pinned: \(message)", remedy)
            case .differs(let message, let remedy):
                throw SetupProblem(question, "cannot be pinned: \(message)", remedy)
            case .directory(let error): throw SetupTrust.problem(question, error)
            case .disk(let error): throw SetupProblem(question, "cannot be tried: \(error)", "Check the disk.")
            }
        }
    }
}
