package import Encoding

/// An object of a status report, or of an answer about connections. One table of its members serves the writer and the
/// reader, so each name exists once.
///
/// All members are optional: service and program may have different versions, and a part of the gate may not answer.
package protocol StatusObject: Hashable, Sendable {
    /// Creates a part without members.
    init()
    /// The members in the order of the JSON.
    static var members: [StatusMember<Self>] { get }
}

extension StatusObject {
    /// Reads a part. A member that is missing or has another form is nil. If the JSON is not an object, all members are
    /// nil.
    package init(_ json: JSON) {
        self.init()
        guard let object = json.object else { return }
        for member in Self.members { if let value = object[member.name] { member.read(value, &self) } }
    }

    /// The part in JSON.
    package var json: JSON {
        .object(JSONObject(Self.members.compactMap { member in member.write(self).map { .init(member.name, $0) } }))
    }

    /// The paths of all members at any depth. A path has the names from the outside to the inside, with dots between
    /// them, for example `expiry.next.days`. The elements of a list share their paths.
    package static var memberPaths: Set<Text> { members.reduce(into: []) { $0.formUnion($1.paths) } }

    /// Returns the name of a member in JSON. Every property of a part has a row in ``members``.
    package static func name<Value>(of path: KeyPath<Self, Value>) -> Text {
        members.first { $0.path as PartialKeyPath == path }?.name ?? "unknown"
    }
}

/// One row of the table of a part: the name of a member, its property and its form.
package struct StatusMember<Whole>: Sendable {
    let name: Text
    let path: any PartialKeyPath<Whole> & Sendable
    let write: @Sendable (Whole) -> JSON?
    let read: @Sendable (JSON, inout Whole) -> Void
    let paths: Set<Text>

    /// Creates a row. `isAlways`: whether a property without a value is written as `null`; otherwise it is omitted.
    init<Value>(
        _ name: Text, _ path: any WritableKeyPath<Whole, Value?> & Sendable, _ form: StatusForm<Value>,
        isAlways: Bool = false
    ) {
        (self.name, self.path) = (name, path)
        paths = Set([name] + form.paths.map { "\(name).\($0)" })
        write = { whole in
            if let value = whole[keyPath: path] { return form.write(value) }
            // The literal nil would be the JSON value null.
            return isAlways ? .null : Optional<JSON>.none
        }
        read = { $1[keyPath: path] = form.read($0) }
    }
}
