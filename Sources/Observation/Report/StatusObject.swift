package import Encoding

/// An object of the status report, or of an answer about connections. A table of its members is used to write and to
/// read it, so that each name occurs only once in the program.
///
/// All members are optional, because the service and the reading program may have different versions, and a part of
/// the gate may not answer.
package protocol StatusObject: Hashable, Sendable {
    /// Creates an object in which all members are nil.
    init()
    /// The members, in the order in which they are written.
    static var members: [StatusMember<Self>] { get }
}

extension StatusObject {
    /// Reads an object. A member that is missing or cannot be read is nil. If the JSON is no object, all members are
    /// nil.
    package init(_ json: JSON) {
        self.init()
        guard let object = json.object else { return }
        for member in Self.members { if let value = object[member.name] { member.read(value, &self) } }
    }

    /// The object as JSON, without the members that are nil.
    package var json: JSON {
        .object(JSONObject(Self.members.compactMap { member in member.write(self).map { .init(member.name, $0) } }))
    }

    /// The paths of all members at all depths. A path consists of the names from the outermost to the innermost with
    /// dots between them, such as `expiry.next.days`. All elements of a list have the same paths.
    package static var memberPaths: Set<Text> { members.reduce(into: []) { $0.formUnion($1.paths) } }

    /// Returns the name of a member in JSON. Each property has a row in ``members``.
    package static func name<Value>(of path: KeyPath<Self, Value>) -> Text {
        members.first { $0.path as PartialKeyPath == path }?.name ?? "unknown"
    }
}

/// A row in the table of an object: the name of a member, its property, and how its value is written and read.
package struct StatusMember<Whole>: Sendable {
    let name: Text
    let path: any PartialKeyPath<Whole> & Sendable
    let write: @Sendable (Whole) -> JSON?
    let read: @Sendable (JSON, inout Whole) -> Void
    let paths: Set<Text>

    /// Creates a row. A property that is nil is written as `null` if `isAlways` is true, and otherwise left out.
    init<Value>(
        _ name: Text, _ path: any WritableKeyPath<Whole, Value?> & Sendable, _ form: StatusForm<Value>,
        isAlways: Bool = false
    ) {
        (self.name, self.path) = (name, path)
        paths = Set([name] + form.paths.map { "\(name).\($0)" })
        write = { whole in
            if let value = whole[keyPath: path] { return form.write(value) }
            // Write the type: a plain nil would be the JSON value null.
            return isAlways ? .null : Optional<JSON>.none
        }
        read = { $1[keyPath: path] = form.read($0) }
    }
}
