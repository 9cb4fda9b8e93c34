import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  BLOCK_FLAGS,
  BLOCK_TYPES,
  type Bundle,
  BUNDLE_FLAGS,
  type CanonicalBlock,
  payloadOf,
} from './bundle.js';
import { BLOCKS_MAX, decodeBundle, encodeBundle } from './bundle.codec.js';
import { type BundleError } from './bundles.errors.js';
import { crc16, crc32c, type CrcType } from './crc.js';
import { EID_LENGTH_MAX, isEndpointId, nodeOf } from './endpoint-id.js';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

/** RFC 9173, appendix A.1.1. */
const RFC_BUNDLE =
  '9f88070000820282010282028202018202820201820018281a000f424085010100005823526561647920746f206765' +
  '6e657261746520612033322d62797465207061796c6f6164ff';

const payload = (data: Uint8Array, crcType: CrcType = 0): CanonicalBlock => ({
  type: BLOCK_TYPES.payload,
  number: 1,
  flags: 0,
  crcType,
  data,
});

const bundleOf = (crcType: CrcType, blocks: readonly CanonicalBlock[] = []): Bundle => ({
  primary: {
    flags: 0,
    crcType,
    destination: 'dtn://moon/inbox',
    source: 'dtn://earth/outbox',
    reportTo: 'dtn:none',
    created: { timeMs: 817_000_000_000, sequence: 3 },
    lifetimeMs: 86_400_000,
    fragment: null,
  },
  blocks: [...blocks, payload(ascii('hello'), crcType)],
});

const faultOf = (bytes: Uint8Array): string => {
  try {
    decodeBundle(bytes);
    return 'none';
  } catch (error) {
    return (error as BundleError).code;
  }
};

describe('checksums', () => {
  it('have the check values of their catalog', () => {
    expect(crc16(ascii('123456789')).toString(16)).toBe('906e');
    expect(crc32c(ascii('123456789')).toString(16)).toBe('e3069283');
  });

  // RFC 3720, appendix B.4, in the order of its numbers.
  it.each([
    ['8a9136aa', () => 0],
    ['62a8ab43', () => 0xff],
    ['46dd794e', (at: number) => at],
    ['113fdb5c', (at: number) => 31 - at],
  ])('have the value %s of RFC 3720', (expected, byteAt) => {
    const content = Uint8Array.from({ length: 32 }, (_, at) => byteAt(at));
    expect(crc32c(content).toString(16)).toBe(expected);
  });
});

describe('a bundle', () => {
  it('has the bytes of RFC 9173', () => {
    const bundle = decodeBundle(hex(RFC_BUNDLE));
    expect(bundle.primary).toEqual({
      flags: 0,
      crcType: 0,
      destination: 'ipn:1.2',
      source: 'ipn:2.1',
      reportTo: 'ipn:2.1',
      created: { timeMs: 0, sequence: 40 },
      lifetimeMs: 1_000_000,
      fragment: null,
    });
    expect(Buffer.from(payloadOf(bundle)).toString()).toBe('Ready to generate a 32-byte payload');
    expect(hexOf(encodeBundle(bundle))).toBe(RFC_BUNDLE);
  });

  it.each([0, 1, 2] as const)('is read as it was written, with CRC type %i', (crcType) => {
    const age = { type: BLOCK_TYPES.age, number: 2, flags: 0x1, crcType, data: hex('19012c') };
    const bundle = bundleOf(crcType, [age]);
    const bytes = encodeBundle(bundle);
    expect(decodeBundle(bytes)).toEqual(bundle);
    expect(hexOf(bytes).startsWith('9f8')).toBe(true);
  });

  it('is read as it was written, with the longest endpoints and the largest numbers', () => {
    const { primary, blocks } = bundleOf(1);
    const longest = `dtn://${'n'.repeat(EID_LENGTH_MAX - 7)}/`;
    const endpoints = { destination: longest, source: longest, reportTo: longest };
    for (const lifetimeMs of [23, 24, 0xff, 0x100, 0xffff, 0x1_0000, 2 ** 32, 2 ** 53 - 1]) {
      const bundle = { primary: { ...primary, ...endpoints, lifetimeMs }, blocks };
      expect(decodeBundle(encodeBundle(bundle))).toEqual(bundle);
    }
    const tooLarge = { primary: { ...primary, lifetimeMs: 2 ** 53 }, blocks };
    expect(() => encodeBundle(tooLarge)).toThrow(/no number/);
  });

  it.each([1, 2] as const)('with a bit turned breaks CRC type %i', (crcType) => {
    const bytes = encodeBundle(bundleOf(crcType));
    const at = Buffer.from(bytes).indexOf('hello');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(faultOf(bytes)).toBe('crc_mismatch');
  });

  it.each([
    ['', 'malformed'],
    ['80', 'malformed'],
    [`${RFC_BUNDLE}00`, 'malformed'],
    [RFC_BUNDLE.slice(0, -2), 'malformed'],
    // The version as 6, and in two bytes.
    [RFC_BUNDLE.replace('9f8807', '9f8806'), 'unsupported'],
    [RFC_BUNDLE.replace('9f8807', '9f881807'), 'malformed'],
    // The scheme of an endpoint.
    [RFC_BUNDLE.replace('820282', '820982'), 'unsupported'],
    // A payload that is not number 1, and a second one.
    [RFC_BUNDLE.replace('8501010000', '8501020000'), 'malformed'],
    [RFC_BUNDLE.replace('8501010000', '8501020000408501010000'), 'malformed'],
    // A lifetime above 2^53.
    [RFC_BUNDLE.replace('1a000f4240', '1bffffffffffffffff'), 'unsupported'],
  ])('that is not one is rejected: %#', (text, code) => {
    expect(faultOf(hex(text))).toBe(code);
  });

  it('has at most 64 blocks', () => {
    const blocks = Array.from({ length: BLOCKS_MAX }, (_, n) => ({
      ...payload(hex('00')),
      type: 200,
      number: n + 2,
    }));
    expect(faultOf(encodeBundle(bundleOf(0, blocks)))).toBe('too_large');
    expect(faultOf(encodeBundle(bundleOf(0, blocks.slice(1))))).toBe('none');
  });

  it('without a source asks for no reports', () => {
    const { primary, blocks } = bundleOf(0);
    const anonymous = { ...primary, source: 'dtn:none', flags: BUNDLE_FLAGS.mustNotFragment };
    expect(() => encodeBundle({ primary: anonymous, blocks })).not.toThrow();
    const flags = anonymous.flags | BUNDLE_FLAGS.reportDelivery;
    expect(() => encodeBundle({ primary: { ...anonymous, flags }, blocks })).toThrow(/a rule/);
  });
});

describe('endpoints', () => {
  it.each([
    ['dtn:none', undefined],
    ['dtn://moon/', 'dtn://moon/'],
    ['dtn://moon/in/box?x', 'dtn://moon/'],
    ['ipn:5.7', 'ipn:5.0'],
  ])('%s is of node %s', (eid, node) => {
    expect(isEndpointId(eid)).toBe(true);
    expect(nodeOf(eid)).toBe(node);
  });

  it.each([
    '',
    'moon',
    'dtn:moon/in',
    'dtn://moon',
    'dtn:///in',
    'dtn://mo on/',
    'ipn:5',
    'ipn:05.1',
  ])('%p is none', (eid) => {
    expect(isEndpointId(eid)).toBe(false);
  });
});

const eids = fc.oneof(
  fc.constant('dtn:none'),
  fc.stringMatching(/^dtn:\/\/[a-z0-9.-]{1,20}\/[a-z0-9/]{0,20}$/),
  fc.tuple(fc.nat(), fc.nat()).map(([node, service]) => `ipn:${node}.${service}`),
);
const crcTypes = fc.constantFrom<CrcType>(0, 1, 2);
const sizes = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const bundles = fc
  .record({
    crcType: crcTypes,
    destination: eids,
    source: eids.filter((eid) => eid !== 'dtn:none'),
    reportTo: eids,
    timeMs: sizes,
    sequence: sizes,
    lifetimeMs: sizes,
    extensions: fc.array(
      fc.record({
        type: fc.integer({ min: 2, max: 255 }),
        crcType: crcTypes,
        data: fc.uint8Array(),
      }),
      { maxLength: 5 },
    ),
    data: fc.uint8Array({ maxLength: 300 }),
  })
  .map(({ extensions, data, timeMs, sequence, ...primary }): Bundle => ({
    primary: { ...primary, flags: 0, created: { timeMs, sequence }, fragment: null },
    blocks: [
      ...extensions.map((block, n) => ({ ...block, number: n + 2, flags: BLOCK_FLAGS.replicate })),
      payload(data, primary.crcType),
    ],
  }));

describe('the decoder', () => {
  it('reads every bundle that is written', () => {
    fc.assert(
      fc.property(bundles, (bundle) => {
        expect(decodeBundle(encodeBundle(bundle))).toEqual(bundle);
      }),
      { numRuns: 300 },
    );
  });

  it('rejects damaged bytes, or reads what is written with the same bytes', () => {
    const damage = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(bundles, damage, fc.nat(400), (bundle, changes, cut) => {
        const bytes = encodeBundle(bundle);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        const damaged = cut % 3 === 0 ? bytes.slice(0, cut) : bytes;
        try {
          expect(hexOf(encodeBundle(decodeBundle(damaged)))).toBe(hexOf(damaged));
        } catch (error) {
          if ((error as Error).name !== 'BundleError') throw error;
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('rejects any other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(faultOf(bytes)).not.toBe('none');
      }),
      { numRuns: 1_000 },
    );
  });
});
