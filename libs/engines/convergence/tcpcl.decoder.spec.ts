import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConvergenceError } from './convergence.errors.js';
import { MessageDecoder } from './tcpcl.decoder.js';
import {
  decodeContact,
  encodeContact,
  encodeMessage,
  type ExtensionItem,
  lengthItem,
  type Message,
} from './tcpcl.messages.js';

const MRU = 4_096;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const read = (bytes: Uint8Array, size = bytes.length): Message[] => {
  const decoder = new MessageDecoder(MRU);
  const messages: Message[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    decoder.push(bytes.subarray(at, at + size));
    for (let next = decoder.next(); next; next = decoder.next()) messages.push(next);
  }
  return messages;
};

/** Written by hand from the figures of RFC 9174. */
const VECTORS: readonly (readonly [Message, string])[] = [
  [
    {
      ...{ type: 'init', keepaliveSec: 60, segmentMru: 65_536, transferMru: 16_777_216 },
      ...{ node: 'dtn://a/', items: [] },
    },
    '07' +
      '003c' +
      '0000000000010000' +
      '0000000001000000' +
      '0008' +
      '64746e3a2f2f612f' +
      '00000000',
  ],
  [
    {
      ...{ type: 'segment', isStart: true, isEnd: false, transfer: 1 },
      ...{ items: [lengthItem(3)], data: Buffer.from('hi') },
    },
    '01' +
      '02' +
      '0000000000000001' +
      '0000000d' +
      '01' +
      '0001' +
      '0008' +
      '0000000000000003' +
      '0000000000000002' +
      '6869',
  ],
  [
    {
      ...{ type: 'segment', isStart: false, isEnd: true, transfer: 1, items: [] },
      data: Buffer.from('!'),
    },
    '01' + '01' + '0000000000000001' + '0000000000000001' + '21',
  ],
  [
    { type: 'ack', isStart: false, isEnd: true, transfer: 1, length: 3 },
    '02' + '01' + '0000000000000001' + '0000000000000003',
  ],
  [{ type: 'refuse', reason: 2, transfer: 1 }, '03' + '02' + '0000000000000001'],
  [{ type: 'keepalive' }, '04'],
  [{ type: 'term', isReply: true, reason: 1 }, '05' + '01' + '01'],
  [{ type: 'reject', reason: 1, header: 0x2a }, '06' + '01' + '2a'],
];

const items = fc.array(
  fc.record({
    isCritical: fc.boolean(),
    type: fc.integer({ min: 0, max: 65_535 }),
    value: fc.uint8Array({ maxLength: 64 }).map((value) => Buffer.from(value)),
  }) satisfies fc.Arbitrary<ExtensionItem>,
  { maxLength: 4 },
);
const number = fc.maxSafeNat();
const edges = { isStart: fc.boolean(), isEnd: fc.boolean() };
const byte = fc.integer({ min: 0, max: 255 });
const data = fc.uint8Array({ maxLength: MRU }).map((bytes) => Buffer.from(bytes));
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    ...{ type: fc.constant('init' as const), keepaliveSec: fc.integer({ min: 0, max: 65_535 }) },
    ...{ segmentMru: number, transferMru: number, node: fc.string({ maxLength: 100 }), items },
  }),
  fc
    .record({ type: fc.constant('segment' as const), ...edges, transfer: number, items, data })
    .map((segment) => (segment.isStart ? segment : { ...segment, items: [] })),
  fc.record({ type: fc.constant('ack' as const), ...edges, transfer: number, length: number }),
  fc.record({ type: fc.constant('refuse' as const), reason: byte, transfer: number }),
  fc.constant({ type: 'keepalive' as const }),
  fc.record({ type: fc.constant('term' as const), isReply: fc.boolean(), reason: byte }),
  fc.record({ type: fc.constant('reject' as const), reason: byte, header: byte }),
);

describe('the messages of TCPCLv4', () => {
  it.each(VECTORS)('have the bytes of the figures of RFC 9174: %j', (expected, bytes) => {
    expect(hex(encodeMessage(expected))).toBe(bytes);
    expect(read(Buffer.from(bytes, 'hex'))).toEqual([expected]);
  });

  it('begin with a contact header', () => {
    expect(hex(encodeContact(true))).toBe('64746e210401');
    expect(decodeContact(encodeContact(false))).toEqual({ version: 4, canTls: false });
    expect(() => decodeContact(Buffer.from('GET / '))).toThrow(ConvergenceError);
  });

  it('are read as they were written, in chunks of any size', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 6 }),
        fc.integer({ min: 1, max: 999 }),
        (all, n) => {
          expect(read(Buffer.concat(all.map(encodeMessage)), n)).toEqual(all);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are read or rejected whatever bytes come, and never taken beyond the limits', () => {
    const damaged = fc.tuple(message, fc.nat(), byte).map(([one, at, value]) => {
      const bytes = encodeMessage(one);
      bytes[at % bytes.length] = value;
      return Buffer.concat([bytes, bytes]);
    });
    const bytes = fc.oneof(damaged, fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(bytes, (input) => {
        try {
          for (const one of read(input, 7)) {
            expect(one.type === 'segment' ? one.data.length : 0).toBeLessThanOrEqual(MRU);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(ConvergenceError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['a type that is not known', 'ff', 'unsupported'],
    [
      'a segment above the announced size',
      '0101' + '00'.repeat(8) + '0000000000001001',
      'too_large',
    ],
    ['a length above 2^53', '0200' + '00'.repeat(8) + 'ffffffffffffffff', 'too_large'],
    ['items above the limit', '0102' + '00'.repeat(8) + '00001001', 'too_large'],
    [
      'an item that ends after its list',
      '0102' + '00'.repeat(8) + '00000005' + '0000010009',
      'malformed',
    ],
    ['a list that ends within an item', '0102' + '00'.repeat(8) + '00000002' + '0000', 'malformed'],
  ])('are rejected before memory is taken: %s', (_, bytes, code) => {
    expect(() => read(Buffer.from(bytes, 'hex'))).toThrow(expect.objectContaining({ code }));
  });
});
