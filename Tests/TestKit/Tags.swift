package import Testing

/// What a test needs of the machine. The steps of `Tests/TestSteps` choose by these tags which tests run together.
///
/// A test without one of them is deterministic: it computes, or touches files and sockets of its own without a limit in
/// time, so a failure is a fault.
extension Tag {
    /// Waits for real time or measures it: threads, processes and sockets under limits. Each process runs one such test
    /// at a time. One that fails is a measurement and is made again, alone.
    @Tag package static var realTime: Self
    /// Deterministic although its suite is tagged ``realTime``: a failure is final.
    @Tag package static var exact: Self
    /// Talks to a real Aries agent. Such tests wait most of their time; one of the processes begins with them.
    @Tag package static var agents: Self
    /// Models disks, or plays crowds with the program itself: few tests that compute for long.
    @Tag package static var models: Self
    /// Runs in `make nightly` only: a repetition with other versions or with many more cases.
    @Tag package static var nightly: Self
}
