import Encoding

extension FuzzTarget {
    /// Strict JSON and JCS: an accepted text can be written and read again without change.
    static let json = FuzzTarget(
        name: "json", longest: 4096,
        seeds: {
            SeedFiles.files("json/JSONTestSuite", endings: [".json"]) + SeedFiles.files("jcs", endings: [".json"])
        },
        check: { bytes in
            guard let json = try? JSON.parse(bytes) else { return }
            require((try? JSON.parse(json.compactBytes)) == json, "written JSON reads as the same value")
            guard let canonical = try? json.canonicalized() else { return }
            let objects = (json.array ?? json.object?.members.map(\.value) ?? []).compactMap(\.object)
            let known = KnownObject.find(objects, in: bytes, limits: .init(), largest: bytes.count)
            let recognised = try? JSON.parse(bytes, knowing: known)
            require(
                recognised == json && (try? recognised?.canonicalized()) == canonical, "known objects change nothing")
            let again = (try? JSON.parse(canonical)).flatMap { try? $0.canonicalized() }
            require(again == canonical, "JCS of JCS is the same bytes")
        })
}
