/**
 * Binary frames between stages. Little-endian; 40 bytes of header, then the payload:
 *
 * | at | bytes | field                                                        |
 * | -- | ----- | ------------------------------------------------------------ |
 * |  0 |     4 | magic, `QLF1`                                                |
 * |  4 |     1 | kind: 1 step, 2 release, 3 acknowledgement                   |
 * |  5 |     1 | type of the payload: 0 none, 1 f32, 2 i32, 3 JSON            |
 * |  6 |     2 | flags: 1 = the step's logits are wanted                      |
 * |  8 |     4 | request                                                      |
 * | 12 |     4 | sequence number on this link                                 |
 * | 16 |     4 | position of the first value in the request                   |
 * | 20 |     4 | positions; of an acknowledgement the bytes that were handled |
 * | 24 |     8 | when it was sent: nanoseconds of the sender's steady clock   |
 * | 32 |     4 | bytes of the payload                                         |
 * | 36 |     4 | CRC-32 of the payload                                        |
 */
import { crc32 } from 'node:zlib';

const MAGIC = 0x31464c51;
export const HEADER_BYTES = 40;
const WANTS_LOGITS = 1;

const KINDS = { step: 1, release: 2, acknowledgement: 3 } as const;
const TYPES = { none: 0, f32: 1, i32: 2, json: 3 } as const;

export type FrameKind = keyof typeof KINDS;
export type FramePayload = Float32Array | Int32Array | string | null;

export interface Frame {
  readonly kind: FrameKind;
  readonly request: number;
  readonly sequence: number;
  readonly position: number;
  readonly count: number;
  readonly wantsLogits: boolean;
  readonly sentAtNs: bigint;
  readonly payload: FramePayload;
}

/** Bytes that are no frame, or not the next one of their link. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

const bytesOf = (payload: FramePayload): Buffer => {
  if (payload === null) return Buffer.alloc(0);
  if (typeof payload === 'string') return Buffer.from(payload);
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
};

const typeOf = (payload: FramePayload): number => {
  if (payload === null) return TYPES.none;
  if (typeof payload === 'string') return TYPES.json;
  return payload instanceof Float32Array ? TYPES.f32 : TYPES.i32;
};

export const encodeFrame = (frame: Frame): Buffer => {
  const body = bytesOf(frame.payload);
  const bytes = Buffer.alloc(HEADER_BYTES + body.length);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt8(KINDS[frame.kind], 4);
  bytes.writeUInt8(typeOf(frame.payload), 5);
  bytes.writeUInt16LE(frame.wantsLogits ? WANTS_LOGITS : 0, 6);
  bytes.writeUInt32LE(frame.request, 8);
  bytes.writeUInt32LE(frame.sequence, 12);
  bytes.writeUInt32LE(frame.position, 16);
  bytes.writeUInt32LE(frame.count, 20);
  bytes.writeBigUInt64LE(frame.sentAtNs, 24);
  bytes.writeUInt32LE(body.length, 32);
  bytes.writeUInt32LE(crc32(body), 36);
  body.copy(bytes, HEADER_BYTES);
  return bytes;
};

/** @throws FrameError */
export const decodeFrame = (bytes: Buffer): Frame => {
  if (bytes.length < HEADER_BYTES) throw new FrameError(`a frame of ${bytes.length} bytes`);
  if (bytes.readUInt32LE(0) !== MAGIC) throw new FrameError('a frame of another protocol');
  const body = bytes.subarray(HEADER_BYTES);
  if (bytes.readUInt32LE(32) !== body.length) throw new FrameError('a frame that was cut');
  if (bytes.readUInt32LE(36) !== crc32(body)) throw new FrameError('a frame with a wrong checksum');
  return {
    kind: kindOf(bytes.readUInt8(4)),
    request: bytes.readUInt32LE(8),
    sequence: bytes.readUInt32LE(12),
    position: bytes.readUInt32LE(16),
    count: bytes.readUInt32LE(20),
    wantsLogits: (bytes.readUInt16LE(6) & WANTS_LOGITS) !== 0,
    sentAtNs: bytes.readBigUInt64LE(24),
    payload: payloadOf(bytes.readUInt8(5), body),
  };
};

const kindOf = (code: number): FrameKind => {
  for (const kind of ['step', 'release', 'acknowledgement'] as const) {
    if (KINDS[kind] === code) return kind;
  }
  throw new FrameError(`a frame of unknown kind ${code}`);
};

const payloadOf = (type: number, body: Buffer): FramePayload => {
  if (type === TYPES.none) return null;
  if (type === TYPES.json) return body.toString('utf8');
  if (body.length % 4 !== 0) throw new FrameError('a frame with part of a number');
  // Copied: a view needs an offset that is a multiple of four.
  const { buffer } = Uint8Array.from(body);
  if (type === TYPES.f32) return new Float32Array(buffer);
  if (type === TYPES.i32) return new Int32Array(buffer);
  throw new FrameError(`a frame with a payload of unknown type ${type}`);
};

/** The frames of one direction of one link, which must come once each and in order. */
export class FrameOrder {
  #next = 0;

  /** @throws FrameError for a frame that is a repeat, or comes before its turn */
  demand({ sequence }: Frame): void {
    if (sequence < this.#next) throw new FrameError(`frame ${sequence} came again`);
    if (sequence > this.#next) {
      throw new FrameError(`frame ${sequence} came where ${this.#next} was due`);
    }
    this.#next += 1;
  }
}
