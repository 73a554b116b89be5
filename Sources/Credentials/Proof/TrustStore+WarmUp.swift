import Encoding
import LinkedData

extension TrustStore {
    /// Processes the contexts with which credentials begin, so that the first visitor need not wait. Call this function
    /// once, before the first verification. The function affects only the duration of verifications.
    package func warmUp() {
        let types: JSON = ["VerifiableCredential", "VerifiablePresentation"]
        for base in ["https://www.w3.org/2018/credentials/v1", "https://www.w3.org/ns/credentials/v2"] as [Text]
        where pins(base) {
            _ = try? processor.deserialize(["@context": [.string(base)], "type": types])
            for url in processor.contexts.documents.keys where url != base {
                _ = try? processor.deserialize(["@context": [.string(base), .string(url)], "type": types])
            }
        }
        _ = processor.definedNames(of: Array(processor.contexts.documents.keys))
        for suite in ProofSuite.all {
            guard let context = suite.context else { continue }
            _ = try? suiteProcessor.deserialize(["@context": .string(context), "type": .string(suite.type)])
        }
    }
}
