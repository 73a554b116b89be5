import Encoding
import LinkedData

/// The IRIs of the linked-data properties and types on which the acceptance of a credential depends (VCDM 1.1
/// and 2.0, Bitstring Status List 1.0, StatusList2021).
enum CredentialVocabulary {
    private static let credentials = "https://www.w3.org/2018/credentials#"
    private static let bitstring = "https://www.w3.org/ns/credentials/status#"
    private static let list2021 = "https://w3id.org/vc/status-list#"

    static let verifiableCredentialType = credential("VerifiableCredential")
    static let verifiablePresentationType = credential("VerifiablePresentation")
    static let issuer = credential("issuer")
    static let subject = credential("credentialSubject")
    static let status = credential("credentialStatus")
    /// The properties that state when a credential's validity begins, in both versions of the data model.
    static let starts = [credential("issuanceDate"), credential("validFrom")]
    /// The properties that state when a credential's validity ends, in both versions of the data model.
    static let ends = [credential("expirationDate"), credential("validUntil")]
    /// The properties of a credential that have at most one value.
    static let single = Set([issuer] + starts + ends)
    static let holder = credential("holder")
    static let verifiableCredential = credential("verifiableCredential")

    /// The vocabularies of bitstring status lists, each with its kind of list.
    static let statusLists: [(prefix: String, kind: StatusListKind)] = [
        (bitstring, .bitstring), (list2021, .statusList2021),
    ]

    private static func credential(_ name: String) -> Text { Text(credentials + name) }

    /// The names of the credential's and presentation's own properties.
    static let credentialNames: [Text] = [
        "issuer", "credentialSubject", "credentialStatus", "issuanceDate", "validFrom", "expirationDate", "validUntil",
        "holder", "verifiableCredential",
    ]

    /// The IRIs of the properties in `credentialNames`.
    static let credentialProperties = Set(credentialNames.map { credential($0.string) })

    /// The properties of credentials, status entries and status lists that have one value.
    static let singleProperties: Set<Text> = {
        let names = ["statusListIndex", "statusListCredential", "statusSize", "encodedList"]
        return single.union(statusLists.flatMap { list in names.map { Text(list.prefix + $0) } })
    }()

    /// The standard name of each property and type above. Under another name, a property or type is hidden from code
    /// that reads members by name.
    static let standardNames: StandardNames = {
        let statusNames = ["statusPurpose", "statusListIndex", "statusListCredential", "statusSize", "encodedList"]
        var names: [Text: Text] = [:]
        for name in credentialNames { names[credential(name.string)] = name }
        for (prefix, kind) in statusLists {
            for name in statusNames.map({ Text($0) }) + [kind.entryType, kind.credentialType, kind.listType] {
                names[Text(prefix + name.string)] = name
            }
        }
        for name in ["VerifiableCredential", "VerifiablePresentation"] { names[credential(name)] = Text(name) }
        // Require these names only in inline contexts, because other data models name some properties of a proof
        // differently.
        let proofNames = [
            "cryptosuite", "proofPurpose", "verificationMethod", "challenge", "domain", "nonce", "previousProof",
        ]
        var proof: [Text: Text] = [
            "https://w3id.org/security#expiration": "expires", "http://purl.org/dc/terms/created": "created",
        ]
        for name in proofNames { proof[Text("https://w3id.org/security#" + name)] = Text(name) }
        return StandardNames(everywhere: names, inline: proof)
    }()
}

/// The kinds of bitstring status lists.
enum StatusListKind: String {
    case bitstring = "BitstringStatusList"
    case statusList2021 = "StatusList2021"

    /// The type of an entry in a credential.
    var entryType: Text { Text(rawValue + "Entry") }
    /// The type of the credential that contains a list.
    var credentialType: Text { Text(rawValue + "Credential") }
    /// The type of the subject of a status list credential.
    var listType: Text { Text(rawValue) }

    static let all: [StatusListKind] = [.bitstring, .statusList2021]
}
