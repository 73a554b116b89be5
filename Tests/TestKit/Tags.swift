package import Testing

/// The requirements of a test on the machine. By these tags, the steps of `Tests/TestSteps` decide which tests run
/// together.
///
/// A test without any of these tags is deterministic: it only computes, or uses its own files and sockets without a
/// time limit. If it fails, the code is wrong.
extension Tag {
    /// A test that waits for real time or measures it: threads, processes and sockets with time limits. Each process
    /// runs only one such test at a time. A failed test is repeated alone, because the machine may have been too slow.
    @Tag package static var realTime: Self
    /// A deterministic test in a suite with the tag ``realTime``. It is not repeated after a failure.
    @Tag package static var exact: Self
    /// A test that communicates with a real Aries agent. Such tests wait most of their time, so one process begins with
    /// them.
    @Tag package static var agents: Self
    /// A test that simulates disks or crowds with the program itself. There are few such tests, and each computes for a
    /// long time.
    @Tag package static var models: Self
    /// A test that runs only in `make nightly`: it repeats another test with other versions of a peer or with many more
    /// cases.
    @Tag package static var nightly: Self
}
