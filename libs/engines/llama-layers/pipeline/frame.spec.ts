import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeFrame,
  encodeFrame,
  type Frame,
  FrameError,
  FrameOrder,
  HEADER_BYTES,
} from './frame.js';

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const payload = fc.oneof(
  fc.constant(null),
  fc.string(),
  fc.float32Array({ maxLength: 40 }),
  fc.int32Array({ maxLength: 40 }),
);

const frame: Frame = {
  kind: 'step',
  request: 7,
  sequence: 0,
  position: 3,
  count: 2,
  wantsLogits: true,
  sentAtNs: 123n,
  payload: Float32Array.of(1, -2.5),
};

describe('a frame', () => {
  it('is read as it was written, to the bit', () => {
    const frames = fc.record({
      kind: fc.constantFrom('step', 'release', 'acknowledgement'),
      request: u32,
      sequence: u32,
      position: u32,
      count: u32,
      payload,
      wantsLogits: fc.boolean(),
      sentAtNs: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    });
    fc.assert(
      fc.property(frames, (written) => {
        const bytes = encodeFrame(written);
        expect(decodeFrame(bytes)).toEqual(written);
        expect(encodeFrame(decodeFrame(bytes)).equals(bytes)).toBe(true);
      }),
    );
  });

  it('has the layout of its documentation', () => {
    const bytes = encodeFrame(frame);
    expect(bytes.toString('latin1', 0, 4)).toBe('QLF1');
    expect([...bytes.subarray(4, 8)]).toEqual([1, 1, 1, 0]);
    expect(bytes.readUInt32LE(8)).toBe(7);
    expect(bytes.readUInt32LE(32)).toBe(8);
    expect(bytes.readFloatLE(HEADER_BYTES + 4)).toBe(-2.5);
  });

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, -1), /cut/],
    ['short', (bytes: Buffer) => bytes.subarray(0, 12), /12 bytes/],
    ['of another protocol', (bytes: Buffer) => bytes.fill(0, 0, 4), /protocol/],
    ['damaged', (bytes: Buffer) => bytes.fill(1, HEADER_BYTES, HEADER_BYTES + 1), /checksum/],
    ['of no kind', (bytes: Buffer) => bytes.fill(9, 4, 5), /kind 9/],
    ['of no type', (bytes: Buffer) => bytes.fill(9, 5, 6), /type 9/],
  ])('is refused: %s', (_, change, reason) => {
    const bytes = change(encodeFrame(frame));
    expect(() => decodeFrame(bytes)).toThrow(FrameError);
    expect(() => decodeFrame(bytes)).toThrow(reason);
  });
});

describe('the order of frames', () => {
  const seen = (...sequences: number[]) => {
    const order = new FrameOrder();
    for (const sequence of sequences) order.demand({ ...frame, sequence });
  };

  it('is each once, from 0', () => expect(() => seen(0, 1, 2)).not.toThrow());

  it.each([
    ['a repeat', [0, 1, 1], /1 came again/],
    ['a loss', [0, 2], /2 came where 1 was due/],
    ['a swap', [0, 2, 1], /2 came where 1/],
    ['a loss at the start', [1], /1 came where 0/],
  ])('shows %s', (_, sequences, reason) => expect(() => seen(...sequences)).toThrow(reason));
});
