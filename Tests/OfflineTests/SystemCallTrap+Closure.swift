import SystemCallTrap

/// The result of a run under the trap.
struct Trapped<Value> {
    /// The value that the body returned.
    var value: Value?
    /// The number of system calls that were refused.
    var refused: Int
    /// The number of the first refused system call; -1 if none was refused.
    var first: Int
    /// The error code if this kernel has no such trap; 0 if it has.
    var error: Int

    /// Runs `body` on a thread that can open nothing.
    init(_ body: @escaping () -> Value) {
        let box = Box(body)
        var (refused, first) = (Int32(0), Int32(-1))
        let error = runTrapped(box, &refused, &first)
        value = box.value
        self.refused = Int(refused)
        self.first = Int(first)
        self.error = Int(error)
    }

    private final class Box: Work {
        let body: () -> Value
        var value: Value?
        init(_ body: @escaping () -> Value) { self.body = body }
        override func run() { value = body() }
    }
}

/// The work of the trap's thread.
private class Work {
    func run() {}
}

private func runTrapped(_ work: Work, _ refused: inout Int32, _ first: inout Int32) -> Int32 {
    withExtendedLifetime(work) {
        system_call_trap_run(
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().run() }
            }, Unmanaged.passUnretained(work).toOpaque(), &refused, &first)
    }
}
