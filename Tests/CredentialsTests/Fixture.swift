import Credentials
import Encoding
import Foundation
import TestKit

/// One accepted case of `vc/generated` as a starting point for changes.
struct Fixture {
    var material: TrustMaterial
    var policy: VerificationPolicy
    var clock: WallTime
    var document: JSON

    /// Nil (with a message) if the vectors are absent.
    init?(_ id: String = "ed2020-undeclared-v2-employee-valid", in folder: String = "vc/generated") throws {
        guard let path = Vectors.path(folder),
            let item = try VerdictCase.all(in: path).first(where: { $0.id == id }), let clock = item.clock
        else { return nil }
        material = try item.material()
        policy = item.policy
        self.clock = clock
        document = try JSON.parse(item.payload())
    }

    /// Returns the document with one top-level member set or removed.
    func changing(_ name: Text, to value: JSON?) -> JSON {
        var object = document.object ?? JSONObject()
        object[name] = value
        return .object(object)
    }

    /// Returns the document with one member of its proof set or removed.
    func changingProof(_ name: Text, to value: JSON?) -> JSON {
        var proof = document["proof"]?.object ?? JSONObject()
        proof[name] = value
        return changing("proof", to: .object(proof))
    }

    func verify(_ document: JSON? = nil, demand: HolderDemand = .init(), recent: Set<[UInt8]> = []) throws -> Verdict {
        try verify(payload: (document ?? self.document).compactBytes, demand: demand, recent: recent)
    }

    func verify(payload: [UInt8], demand: HolderDemand = .init(), recent: Set<[UInt8]> = []) throws -> Verdict {
        try Verifier(trust: TrustStore(material), policy: policy)
            .verify(payload, demand: demand, recent: recent, at: clock)
    }
}
