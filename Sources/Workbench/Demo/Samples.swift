package import Credentials
import Crypto
package import Encoding
import Simulation

/// The credential of the demonstration, and the data that a gate needs in order to trust it. `Licences/README.md` names
/// the credential's owner.
package enum Samples {
    /// The sample credential as its issuer signed it. It is valid from 2025-01-02 to 2027-01-02.
    package static let credential = PackageResources.farmer_credential_json

    /// The DID document of the sample credential's issuer.
    package static let issuerDocument = PackageResources.farmer_issuer_json

    /// The JSON-LD context with which the sample credential was signed, and the URL under which a gate pins it.
    package static let context = (
        url: Text("https://piyush7034.github.io/my-files/farmer.json"),
        document: PackageResources.farmer_context_json
    )

    /// The SHA-256 of the context, in 64 hexadecimal digits, as a trust directory pins it.
    package static var contextDigest: String { Hex.encode(SHA256.hash(data: context.document)) }

    /// The DID of the sample credential's issuer.
    package static let issuer: Text = "did:web:vharsh.github.io:DID:local"

    /// The type of the sample credential, which the gate admits.
    package static let type: Text = "https://piyush7034.github.io/my-files/farmer.json#FarmerCredential"

    /// A date at which the sample credential is valid (2026-06-01T09:00:00Z).
    package static let validDate = Timestamp(seconds: 1_780_304_400)

    /// A date shortly after the sample credential expired (2027-01-05T09:00:00Z).
    static let expiredDate = Timestamp(seconds: 1_799_139_600)

    /// The trust data of a gate that admits the sample credential.
    package static var trust: TrustMaterial {
        var contexts = [context.url: context.document]
        if let core = BuiltInContexts.document("https://www.w3.org/2018/credentials/v1") {
            contexts[core.url] = core.bytes
        }
        return TrustMaterial(issuers: [TrustedIssuer(id: issuer)], documents: [issuerDocument], contexts: contexts)
    }

    /// The sample credential with one claim changed, so that its signature is wrong.
    package static var tamperedCredential: [UInt8] {
        guard var document = (try? JSON.parse(credential))?.object,
            var subject = document["credentialSubject"]?.object
        else { return credential }
        subject["primaryCropType"] = "Saffron"
        document["credentialSubject"] = .object(subject)
        return JSON.object(document).compactBytes
    }

    /// Returns the record that an Inji wallet sends: the credential with the members that the wallet adds.
    ///
    /// `ballast` is the number of bytes of issuer metadata in the record, as some versions of the wallet send. These
    /// bytes cannot be compressed.
    package static func record(_ credential: [UInt8], ballast: Int = 0) -> [UInt8] {
        var record: JSONObject = [
            "vcMetadata": [
                "idType": "", "isPinned": false, "id": "b1a7c5de-0d5c-4b6e-9f0a-3c1f5a2e7d10", "issuer": "Farmers",
                "protocol": "OpenId4VCI", "isVerified": true, "format": "ldp_vc", "credentialType": "FarmerCredential",
            ],
            "generatedOn": "2026-01-02T03:04:06.000Z", "format": "ldp_vc", "credential": nil,
            "verifiableCredential": [
                "credential": (try? JSON.parse(credential)) ?? nil, "credentialConfigurationId": "FarmerCredential",
            ],
            "hashedId": "", "publicKey": "", "privateKey": "", "OTP": "", "error": "", "requestId": "",
        ]
        if ballast > 0 {
            var random = SplitMix64(seed: 7)
            record["wellknownResponse"] = ["logo": .text(Base64.encode(random.bytes(ballast * 3 / 4)))]
        }
        return JSON.object(record).compactBytes
    }
}
