import { describe, expect, it } from '@jest/globals';
import { Frames } from './frames.js';

const messageOf = (id: number, part: number, parts: number): ArrayBuffer => {
  const header = new TextEncoder().encode(JSON.stringify({ frame_id: id, part, parts }));
  const message = new Uint8Array(2 + header.length + 1);
  new DataView(message.buffer).setUint16(0, header.length);
  message.set(header, 2);
  message[2 + header.length] = part;
  return message.buffer;
};

describe('the frames of a stream', () => {
  it('are complete when all parts are here, in the order of the parts', () => {
    const frames = new Frames();
    expect(frames.add(messageOf(1, 1, 2))).toBeNull();
    expect(frames.add(messageOf(1, 1, 2))).toBeNull();
    const frame = frames.add(messageOf(1, 0, 2));
    expect(frame?.parts.map(([byte]) => byte)).toEqual([0, 1]);
  });

  it('are left out behind a newer one', () => {
    const frames = new Frames();
    expect(frames.add(messageOf(2, 0, 1))?.header.frame_id).toBe(2);
    expect(frames.add(messageOf(1, 0, 1))).toBeNull();
  });

  it('are forgotten when parts of many are missing', () => {
    const frames = new Frames();
    for (let id = 1; id <= 9; id += 1) frames.add(messageOf(id, 0, 2));
    expect(frames.add(messageOf(1, 1, 2))).toBeNull();
    expect(frames.add(messageOf(9, 1, 2))?.header.frame_id).toBe(9);
  });
});
