import CZlib

/// Reads and writes gzip (RFC 1952) and zlib (RFC 1950) streams with zlib. The size of the output is limited.
package enum Gzip {
    /// The reason why a stream is refused.
    package enum Failure: Error, Equatable, Sendable {
        /// The input is not a stream of the requested kind, is damaged, or is truncated.
        case malformed
        /// The output would exceed `limit` bytes. Inflation stopped at the limit.
        case tooLarge(limit: Int)
        /// zlib could not get memory.
        case outOfMemory
    }

    /// The wrapper around the deflate data.
    package enum Container: Sendable {
        /// One or more gzip members. Bytes after the last member are ignored, as in Java's GZIPInputStream.
        case gzip
        /// One gzip member and nothing else. Signed content uses this case, because bytes after the member could be
        /// hidden content.
        case gzipMember
        /// One zlib stream and nothing else.
        case zlib
    }

    /// Inflates `input` to at most `limit` bytes over all members. The time is linear in input and output for any
    /// number of members.
    package static func inflate(
        _ input: [UInt8], container: Container = .gzip, limit: Int
    ) throws(Failure) -> [UInt8] {
        guard input.count <= Int(UInt32.max) else { throw .tooLarge(limit: limit) }
        var output: [UInt8] = []
        let failure = input.withUnsafeBufferPointer { inflate($0, container, into: &output, limit: limit) }
        if let failure { throw failure }
        return output
    }

    /// Compresses `input` into one gzip member or zlib stream at zlib's default level.
    package static func deflate(_ input: [UInt8], container: Container = .gzip) throws(Failure) -> [UInt8] {
        var stream = z_stream()
        let version = ZLIB_VERSION
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, container == .zlib ? 15 : 15 + 16, 8, Z_DEFAULT_STRATEGY,
                version, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw .outOfMemory }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
        var source = input
        let status = source.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return CZlib.deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { throw .outOfMemory }
        output.removeLast(Int(stream.avail_out))
        return output
    }

    private static func inflate(
        _ source: UnsafeBufferPointer<UInt8>, _ container: Container, into output: inout [UInt8], limit: Int
    ) -> Failure? {
        var stream = z_stream()
        let windowBits: Int32 = container == .zlib ? 15 : 15 + 16
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return .outOfMemory
        }
        defer { inflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)  // zlib only reads from it
        stream.avail_in = UInt32(source.count)
        var block = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            if let failure = inflateMember(&stream, through: &block, into: &output, limit: limit) { return failure }
            let rest = source.suffix(Int(stream.avail_in))
            if container != .gzip { return rest.isEmpty ? nil : .malformed }
            guard looksLikeMember(rest) else { return nil }
            guard inflateReset(&stream) == Z_OK else { return .malformed }
        }
    }

    /// Inflates up to the end of one member or zlib stream. Returns the reason of a failure; nil on success.
    private static func inflateMember(
        _ stream: inout z_stream, through block: inout [UInt8], into output: inout [UInt8], limit: Int
    ) -> Failure? {
        while true {
            let (status, produced) = block.withUnsafeMutableBufferPointer { block -> (Int32, Int) in
                stream.next_out = block.baseAddress
                stream.avail_out = UInt32(block.count)
                let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                return (status, block.count - Int(stream.avail_out))
            }
            guard output.count + produced <= limit else { return .tooLarge(limit: limit) }
            output.append(contentsOf: block.prefix(produced))
            switch status {
            case Z_STREAM_END: return nil
            case Z_OK where produced > 0 || stream.avail_in > 0: continue
            case Z_MEM_ERROR: return .outOfMemory
            default: return .malformed
            }
        }
    }

    private static func looksLikeMember(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        bytes.count >= 10 && bytes.starts(with: [0x1F, 0x8B, 8])
    }
}
