import Credentials
import Encoding
import Foundation
import Reasons
import TestKit

extension FuzzTarget {
    /// The whole verifier, given linked data, presentations and wallet records.
    static let envelope = verification("envelope", over: linkedData)

    /// The whole verifier, given JWT and SD-JWT credentials and presentations.
    static let jws = verification("jws", over: tokens)

    /// The whole verifier, given mdocs: the input is their CBOR, and the verifier receives its base64url
    /// text.
    static let mdoc = verification("mdoc", over: mdocs)

    private static let linkedData = Samples(formats: ["ldp_vc", "ldp_vp", "wallet-record", "auto"])
    private static let tokens = Samples(
        formats: ["jwt_vc_json", "vc+jwt", "vp+jwt", "vc+sd-jwt", "dc+sd-jwt", "sd-jwt"])
    private static let mdocs = Samples(formats: ["mso_mdoc"], form: .base64URL)

    /// Returns a target over the cases of those formats. No change to an input makes the verifier accept new
    /// content: the signed content of an accepted input is the content of some seed.
    private static func verification(
        _ name: String, over samples: @autoclosure @escaping @Sendable () -> Samples
    ) -> FuzzTarget {
        FuzzTarget(
            name: name, longest: 6144,
            seeds: {
                require(!samples().accepted.isEmpty, "some cases are accepted")
                return samples().inputs
            },
            check: { bytes in
                let samples = samples()
                guard let (dependencies, payload) = samples.open(bytes) else { return }
                let verdict = dependencies.verify(payload)
                require(!verdict.reasons.isEmpty && verdict.code != .internal, "every verdict has a reason")
                let line = VerdictReport(file: name, verdict: verdict).jsonLine
                require((try? JSON.parse(line)) != nil, "every report is JSON")
                guard verdict.isAccepted else { return }
                guard let digest = verdict.credential.signedDigest else { return require(false, "accepted: a digest") }
                require(samples.accepted.contains(digest), "accepted only what a seed says")
            })
    }
}

/// The verifier and its circumstances, which one or more cases share.
private struct Setting: Sendable {
    let verifier: Verifier
    let claimed: CredentialFormat?
    let demand: HolderDemand
    let clock: WallTime
    let mode: Verifier.Mode

    func verify(_ payload: [UInt8]) -> Verdict {
        verifier.verify(payload, claimed: claimed, demand: demand, at: clock, mode: mode)
    }
}

/// The cases of some formats. An input is two bytes that select the setting, and the payload.
private final class Samples: Sendable {
    /// How an input contains a payload.
    enum Form: Sendable {
        /// The payload itself.
        case plain
        /// The bytes that the payload encodes as base64url.
        case base64URL
    }

    private let settings: [Setting]
    /// The payloads of all cases, each after the number of its setting.
    let inputs: [[UInt8]]
    private let form: Form
    /// The signed content of all cases that are accepted.
    let accepted: Set<[UInt8]>

    init(formats: Set<String>, form: Form = .plain) {
        self.form = form
        var numbers: [JSON: Int] = [:]
        var settings: [Setting] = []
        var inputs: [[UInt8]] = []
        var accepted: Set<[UInt8]> = []
        for (item, key) in Self.cases(formats) {
            guard let clock = item.clock, let payload = try? item.payload() else { continue }
            let number = numbers[key] ?? settings.count
            if number == settings.count {
                guard let trust = try? item.trust() else { continue }
                numbers[key] = number
                settings.append(
                    Setting(
                        verifier: Verifier(trust: trust, policy: item.policy), claimed: item.claimed,
                        demand: item.demand, clock: clock, mode: item.verifierMode))
            }
            let verdict = settings[number].verify(payload)
            if verdict.isAccepted, let digest = verdict.credential.signedDigest { accepted.insert(digest) }
            let content = form == .plain ? payload : Base64.decodeURL(String(decoding: payload, as: UTF8.self))
            guard let content else { continue }
            inputs.append([UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)] + content)
        }
        self.settings = settings
        self.inputs = inputs
        self.accepted = accepted
    }

    func open(_ input: [UInt8]) -> (Setting, payload: [UInt8])? {
        guard input.count >= 2, !settings.isEmpty else { return nil }
        let number = Int(input[0]) << 8 | Int(input[1])
        let content = Array(input.dropFirst(2))
        return (settings[number % settings.count], form == .plain ? content : Array(Base64.encode(content).utf8))
    }

    /// Returns the cases that are verified whole, each with the values that determine its setting.
    private static func cases(_ formats: Set<String>) -> [(VerdictCase, key: JSON)] {
        let folders = ["vc", "sd-jwt", "mdoc"].compactMap { Vectors.path($0) }
            .flatMap { Vectors.files(in: $0) }.filter { Vectors.has("cases.json", in: $0) }
        return folders.flatMap { folder in
            ((try? VerdictCase.all(in: folder)) ?? [])
                .filter {
                    formats.contains($0.format) && ["issuer-data-only", nil].contains($0.mode) && $0.outOfScope == nil
                }
                .map { item in
                    let members: [Text] = [
                        "trust", "statusList", "holder", "profile", "keyPurpose", "clock", "format", "mode",
                    ]
                    return (item, .array([.text(folder.path)] + members.map { item.json[$0] ?? .null }))
                }
        }
    }
}

extension Vectors {
    fileprivate static func has(_ name: String, in folder: URL) -> Bool {
        files(in: folder).contains { $0.lastPathComponent == name }
    }
}
