import Foundation
import TestKit
import Testing

/// One function answers each question that decides about a credential, and nothing else in `Credentials`
/// reads the data that this function decides by. The question of a token's kind has its own tests
/// (``KindOwnerTests``).
@Suite struct QuestionOwnerTests {
    /// A question, the declaration that answers it, and the files that may contain the deciding code.
    struct Question: CustomTestStringConvertible, Sendable {
        let name: String
        let owner: String
        let declaration: String
        /// The code that only the owner, and files that pass its answer on, may contain.
        let words: String
        let files: Set<String>
        var testDescription: String { name }
    }

    static let questions = [
        Question(
            name: "what was signed", owner: "LinkedDataFormat/SignedCredential.swift",
            declaration: "struct SignedCredential",
            words: "CredentialFacts(", files: ["LinkedDataFormat/SignedCredential.swift"]),
        Question(
            name: "when only what was signed is left", owner: "LinkedDataFormat/CredentialCheck.swift",
            declaration: "func readSigned(", words: "SignedCredential(",
            files: ["LinkedDataFormat/CredentialCheck.swift"]),
        Question(
            name: "what a name means", owner: "Policy/ClaimNames.swift", declaration: "struct ClaimNames",
            words: ".names(under:", files: ["Policy/ClaimNames.swift"]),
        Question(
            name: "what is complete", owner: "LinkedDataFormat/CredentialFacts.swift", declaration: "func isComplete(",
            words: "takesArraysWhole else", files: ["LinkedDataFormat/CredentialFacts.swift"]),
        Question(
            name: "which statements had to be shown", owner: "LinkedDataFormat/CredentialFacts.swift",
            declaration: "func isComplete(", words: "mandatory.contains",
            // The proof separates the mandatory statements from the others, whose signatures it checks.
            files: ["LinkedDataFormat/CredentialFacts.swift", "Proof/LinkedDataProof.swift"]),
        Question(
            name: "which credential decided", owner: "Verifier.swift", declaration: "func ask(", words: "decisive = [",
            // The verdict stores the verifier's decision.
            files: ["Verifier.swift", "Run/Verdict.swift"]),
        Question(
            name: "what a root may sign", owner: "Trust/SignerRole.swift", declaration: "enum SignerRole",
            words: "trust.tokenRoots",
            // `NeedsReader` proposes entries that an operator may add.
            files: ["Trust/SignerRole.swift", "Needs/NeedsReader.swift"]),
        Question(
            name: "what admits", owner: "Run/Admission.swift", declaration: "func finding(about claims: SignedClaims)",
            words: "(.issuerUntyped", files: ["Run/Admission.swift"]),
        Question(
            name: "what never admits", owner: "Presentations/Received+Check.swift",
            declaration: "func verify(", words: "CredentialKind.admits(",
            // An SD-JWT credential adds the types that never admit, for example a status list's, to its `vct`.
            files: ["Presentations/Received+Check.swift", "Tokens/SDJWTCredential.swift"]),
    ]

    private static let root = Vectors.repository.appendingPathComponent("Sources/Credentials")

    @Test(arguments: questions) func hasOneOwner(question: Question) throws {
        let owner = try String(contentsOf: Self.root.appendingPathComponent(question.owner), encoding: .utf8)
        #expect(owner.contains(question.declaration), "\(question.owner)")
        let files = try #require(FileManager.default.enumerator(at: Self.root, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let code = SwiftSource(try String(contentsOf: file, encoding: .utf8)).lines.map(\.code).joined(
                separator: "\n")
            if code.contains(question.words) { found.insert(String(file.path.dropFirst(Self.root.path.count + 1))) }
        }
        #expect(found == question.files, "\(question.words)")
    }
}
