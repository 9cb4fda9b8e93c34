/** A peer of another stack may take no longer message. */
const PART_BYTES_MAX = 48 * 1024;

/** The facts of a frame that go before its bytes. */
export interface FrameHeader {
  readonly frame_id: number;
  /** Milliseconds of a clock of the gateway, for the echo of the client. */
  readonly stamp_ms: number;
  readonly width: number;
  readonly height: number;
  /** The pixels that the model drew. */
  readonly resampled_from: string;
  readonly steps: number;
  readonly model: string;
}

/**
 * The messages of a frame. Each has the length of its header (16 bits, big-endian), the header in
 * JSON, which says which part it is, and bytes of the PNG file. Parts may come in any order.
 */
export const messagesOf = (header: FrameHeader, file: Uint8Array): readonly Uint8Array[] => {
  const parts = Math.max(1, Math.ceil(file.length / PART_BYTES_MAX));
  return Array.from({ length: parts }, (_, part) => {
    const text = Buffer.from(JSON.stringify({ ...header, part, parts }));
    const length = Buffer.alloc(2);
    length.writeUInt16BE(text.length);
    const bytes = file.subarray(part * PART_BYTES_MAX, (part + 1) * PART_BYTES_MAX);
    return Buffer.concat([length, text, bytes]);
  });
};
