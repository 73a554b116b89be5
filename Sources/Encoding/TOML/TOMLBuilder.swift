/// A table during the parsing of the document. The type is a class because distant headers may add to one table.
final class TOMLBuilder {
    /// The way in which a table was created. This way determines which headers and keys may add to the table (TOML
    /// 1.0.0, "Table").
    enum Origin {
        /// The table was created as the parent of another header. The table may get its own header once.
        case implied
        /// The table was created by its own header.
        case header
        /// The table was created by dotted keys. Further dotted keys may add to it.
        case dotted
        /// The table was created inline and is complete.
        case inline
    }

    enum Value {
        case value(TOML)
        case table(TOMLBuilder)
        case tables([TOMLBuilder])
    }

    var origin: Origin
    private var names: [Text] = []
    private var values: [Text: (value: Value, line: Int)] = [:]

    init(_ origin: Origin) {
        self.origin = origin
    }

    subscript(name: Text) -> Value? { values[name]?.value }

    func add(_ name: Text, _ value: Value, line: Int) {
        names.append(name)
        values[name] = (value, line)
    }

    func append(_ table: TOMLBuilder, to name: Text) {
        guard case (.tables(var tables), let line)? = values[name] else { return }
        // Remove the stored list first. Otherwise each append would copy the list.
        values[name] = (.tables([]), line)
        tables.append(table)
        values[name] = (.tables(tables), line)
    }

    var table: TOMLTable {
        TOMLTable(
            names.compactMap { name in
                values[name].map { TOMLTable.Entry(name: name, value: $0.value.toml, line: $0.line) }
            })
    }
}

extension TOMLBuilder.Value {
    var toml: TOML {
        switch self {
        case .value(let value): value
        case .table(let builder): .table(builder.table)
        case .tables(let builders): .array(builders.map { .table($0.table) })
        }
    }
}
