package import Encoding
import LinkedData

/// The JSON-LD contexts that ship with the product, pinned by SHA-256.
///
/// Proof options may use every built-in context. A credential may use a context only if the trust directory lists the
/// context. An entry of `contexts/index.json` without a file refers to the built-in document.
package enum BuiltInContexts {
    /// One context document as published.
    package struct Document: Sendable {
        /// The URL at which the context is published.
        package let url: Text
        /// SHA-256 of ``bytes``, 64 lower-case hexadecimal digits.
        package let sha256: String
        /// The bytes of the document.
        package let bytes: [UInt8]

        init(_ url: Text, sha256: String, _ bytes: [UInt8]) {
            self.url = url
            self.sha256 = sha256
            self.bytes = bytes
        }
    }

    /// Every built-in context.
    package static let all: [Document] = [
        Document(
            "https://www.w3.org/2018/credentials/v1",
            sha256: "ab4ddd9a531758807a79a5b450510d61ae8d147eab966cc9a200c07095b0cdcc",
            PackageResources.www_w3_org_2018_credentials_v1_jsonld),
        Document(
            "https://www.w3.org/ns/credentials/v2",
            sha256: "59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734",
            PackageResources.www_w3_org_ns_credentials_v2_jsonld),
        Document(
            "https://w3id.org/security/v1",
            sha256: "abaf97e107d1925503c433dcaf3ffd2831697cacc1ed2a293e1bc8030d5bcb47",
            PackageResources.w3id_org_security_v1_jsonld),
        Document(
            "https://w3id.org/security/v2",
            sha256: "611bd81151d5efe53ec9aed78f5a813e577287bc9451ee26d6879b1b8b46bc3b",
            PackageResources.w3id_org_security_v2_jsonld),
        Document(
            "https://w3id.org/security/v3",
            sha256: "311be32772d8e42f96c1a6ae899e3fa15efb06c27cfd207d86e8abb9951a3e74",
            PackageResources.w3id_org_security_v3_jsonld),
        Document(
            "https://w3id.org/security/suites/ed25519-2018/v1",
            sha256: "166c6abb9e08176cee5f6c87c9c1bbfefa5717da391bcac525e5437f93eab809",
            PackageResources.w3id_org_security_suites_ed25519_2018_v1_jsonld),
        Document(
            "https://w3id.org/security/suites/ed25519-2020/v1",
            sha256: "b9e1ab971fd8bf2c7553e0c4a9438e0b9450afde1ea1ca5b2492368b9f549588",
            PackageResources.w3id_org_security_suites_ed25519_2020_v1_jsonld),
        Document(
            "https://w3id.org/security/suites/secp256k1-2019/v1",
            sha256: "8452efdde151151539b78d240f55cee7d9cc985bf078123ce310aa7ae04763b4",
            PackageResources.w3id_org_security_suites_secp256k1_2019_v1_jsonld),
        Document(
            "https://w3id.org/security/suites/jws-2020/v1",
            sha256: "d648e05ddc6577827ca2bfd5e931f53e9ebc6e52a57a8da81df4ec8c46ffcd1e",
            PackageResources.w3id_org_security_suites_jws_2020_v1_jsonld),
        Document(
            "https://w3id.org/security/data-integrity/v1",
            sha256: "b5d829bd09aa7c42abc6efa0c8ed7635313b5487f37ccfce3ecd149ca9418554",
            PackageResources.w3id_org_security_data_integrity_v1_jsonld),
        Document(
            "https://w3id.org/security/data-integrity/v2",
            sha256: "67f21e6e33a6c14e5ccfd2fc7865f7474fb71a04af7e94136cb399dfac8ae8f4",
            PackageResources.w3id_org_security_data_integrity_v2_jsonld),
        Document(
            "https://w3id.org/security/multikey/v1",
            sha256: "ba2c182de2d92f7e47184bcca8fcf0beaee6d3986c527bf664c195bbc7c58597",
            PackageResources.w3id_org_security_multikey_v1_jsonld),
        Document(
            "https://www.w3.org/ns/credentials/status/v1",
            sha256: "fda5add353231e6a6884a46b12e6c75464281900cb348284d9c360f62381d9f7",
            PackageResources.www_w3_org_ns_credentials_status_v1_jsonld),
        Document(
            "https://w3id.org/vc/status-list/2021/v1",
            sha256: "6dd06a52bedb771e059c1083ba8ba7848dce22f6b4a8cfa0b98ba3fc188870e4",
            PackageResources.w3id_org_vc_status_list_2021_v1_jsonld),
    ]

    /// Returns the built-in context that is published at `url`; nil if there is none.
    package static func document(_ url: Text) -> Document? { all.first { $0.url == url } }

    /// The built-in contexts whose bytes have the pinned hash, by URL.
    package static let documents: [Text: JSON] = {
        var documents: [Text: JSON] = [:]
        for document in all where Hex.encode(Digest.sha256(document.bytes)).utf8.elementsEqual(document.sha256.utf8) {
            documents[document.url] = try? JSON.parse(document.bytes)
        }
        return documents
    }()

    /// The contexts under which proof options may be read.
    static let suites = ContextDocuments(documents)
}
