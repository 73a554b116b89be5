import TestSteps

/// Lines as Swift Testing 6.3.1 writes them, reduced to the members that the runner reads.
enum Streams {
    static func test(_ id: String, tags: [String] = []) -> String {
        let list = tags.map { "\".\($0)\"" }.joined(separator: ",")
        return """
            {"kind":"test","payload":{\(tags.isEmpty ? "" : "\"_tags\":[\(list)],")"id":"\(escaped(id))",\
            "isParameterized":false,"kind":"function","name":"f()"},"version":"6.3.0"}
            """
    }

    static func suite(_ id: String) -> String {
        #"{"kind":"test","payload":{"id":"\#(id)","kind":"suite","name":"S"},"version":"6.3.0"}"#
    }

    static func event(_ kind: String, _ id: String, at instant: Double, symbol: String = "default") -> String {
        """
        {"kind":"event","payload":{"instant":{"absolute":\(instant),"since1970":1},"kind":"\(kind)",\
        "messages":[{"symbol":"\(symbol)","text":"words"}],"testID":"\(escaped(id))"},"version":"6.3.0"}
        """
    }

    static func issue(_ id: String, isFailure: Bool) -> String {
        """
        {"kind":"event","payload":{"instant":{"absolute":5,"since1970":1},"issue":{"isFailure":\(isFailure),\
        "isKnown":\(!isFailure),"severity":"error","sourceLocation":{"column":1,"fileID":"M/F.swift",\
        "filePath":"F.swift","line":7}},"kind":"issueRecorded","messages":[{"symbol":"fail","text":"1 == 2"}],\
        "testID":"\(escaped(id))"},"version":"6.3.0"}
        """
    }

    /// Returns the records of these lines.
    static func records(_ lines: [String]) -> [TestRecord] { lines.compactMap { TestRecord(line: $0.utf8) } }

    private static func escaped(_ id: String) -> String { id.split(separator: "/").joined(separator: #"\/"#) }
}
