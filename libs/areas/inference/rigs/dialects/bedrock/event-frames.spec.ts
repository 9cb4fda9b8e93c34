import { describe, expect, it } from '@jest/globals';
import { EventStreamCodec } from '@smithy/core/event-streams';
import fc from 'fast-check';
import { eventFrames } from './event-frames.js';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** A message as the AWS SDK encodes it, with headers of other types before the texts. */
const messageOf = (name: string, payload: string): Buffer =>
  Buffer.from(
    codec.encode({
      headers: {
        flag: { type: 'boolean', value: true },
        count: { type: 'integer', value: 7 },
        bytes: { type: 'binary', value: Buffer.from('abc') },
        ':message-type': { type: 'string', value: 'event' },
        ':event-type': { type: 'string', value: name },
      },
      body: Buffer.from(payload),
    }),
  );

const read = (pieces: readonly Buffer[], bytesMax = 1_000_000) => {
  const events: (readonly [string | undefined, string])[] = [];
  const frames = eventFrames((data, name) => events.push([name, data]), bytesMax);
  for (const piece of pieces) frames.push(piece);
  frames.end();
  return { events, isTooLong: frames.isTooLong };
};

describe('the frames of an event stream', () => {
  it("reads what AWS's encoder writes, however it is cut", () => {
    const message = fc.tuple(fc.stringMatching(/^[a-zA-Z]{1,20}$/), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        fc.integer({ min: 1, max: 64 }),
        (all, n) => {
          const bytes = Buffer.concat(all.map(([name, payload]) => messageOf(name, payload)));
          const pieces = Array.from({ length: Math.ceil(bytes.length / n) }, (_, at) =>
            bytes.subarray(at * n, (at + 1) * n),
          );
          const expected = all.map(([name, payload]) => [
            name,
            Buffer.from(payload).toString('utf8'),
          ]);
          expect(read(pieces).events).toEqual(expected);
        },
      ),
    );
  });

  it('reports a message with one changed byte, and reads nothing after it', () => {
    const bytes = Buffer.concat([messageOf('one', '{"a":1}'), messageOf('two', '{}')]);
    const first = messageOf('one', '{"a":1}').length;
    for (let at = 0; at < first; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at);
      expect(read([changed]).events).toEqual([['damaged', '']]);
    }
  });

  it('reports a message that ends early, and one above the limit', () => {
    const bytes = messageOf('one', '{"a":1}');
    expect(read([bytes.subarray(0, -1)]).events).toEqual([['damaged', '']]);
    expect(read([bytes], 20)).toEqual({ events: [], isTooLong: true });
  });

  it('marks exceptions and errors', () => {
    const text = (value: string) => ({ type: 'string' as const, value });
    const exception = codec.encode({
      headers: { ':message-type': text('exception'), ':exception-type': text('throttling') },
      body: Buffer.from('{"message":"slow"}'),
    });
    const error = codec.encode({
      headers: {
        ':message-type': text('error'),
        ':error-code': text('500'),
        ':error-message': text('broken'),
      },
      body: Buffer.from(''),
    });
    expect(read([Buffer.from(exception), Buffer.from(error)]).events).toEqual([
      ['!throttling', '{"message":"slow"}'],
      ['!500', '{"message":"broken"}'],
    ]);
  });
});
