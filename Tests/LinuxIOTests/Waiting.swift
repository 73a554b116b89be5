import Glibc

/// Returns whether the condition becomes true within 20 s.
func waits(_ isTrue: () -> Bool) -> Bool {
    for _ in 0..<20_000 {
        if isTrue() { return true }
        usleep(1000)
    }
    return false
}
