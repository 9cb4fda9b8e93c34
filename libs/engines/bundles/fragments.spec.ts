import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { type Bundle, BUNDLE_FLAGS, bundleKeyOf } from './bundle.js';
import { decodeBundle, encodeBundle } from './bundle.codec.js';
import { fragmentsOf, reassembled } from './fragments.js';
import { decodeStatusReport, encodeStatusReport } from './status-report.js';

const bundleOf = (length: number, flags = 0): Bundle => ({
  primary: {
    flags,
    crcType: 2,
    destination: 'dtn://moon/inbox',
    source: 'dtn://earth/outbox',
    reportTo: 'dtn:none',
    created: { timeMs: 817_000_000_000, sequence: 3 },
    lifetimeMs: 86_400_000,
    fragment: null,
  },
  blocks: [
    { type: 7, number: 2, flags: 1, crcType: 0, data: Uint8Array.of(0) },
    { type: 10, number: 3, flags: 0, crcType: 0, data: Uint8Array.of(0x82, 30, 0) },
    {
      ...{ type: 1, number: 1, flags: 0, crcType: 1 },
      data: Uint8Array.from({ length }, (_, at) => at % 251),
    },
  ],
});

describe('fragments', () => {
  it('fit the limit, and make the bundle in any order and with repeats', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3_000 }),
        fc.integer({ min: 220, max: 900 }),
        fc.infiniteStream(fc.nat()),
        (length, bytesMax, random) => {
          const bundle = bundleOf(length);
          const parts = fragmentsOf(bundle, bytesMax);
          for (const part of parts) {
            expect(encodeBundle(part).length).toBeLessThanOrEqual(bytesMax);
            expect(decodeBundle(encodeBundle(part))).toEqual(part);
          }
          const [first] = parts;
          if (!first || parts.length === 1) {
            expect(first).toBe(bundle);
            return;
          }
          const keys = new Map(parts.map((part) => [part, random.next().value as number]));
          const keyOf = (part: Bundle): number => keys.get(part) ?? 0;
          const shuffled = parts.toSorted((one, other) => keyOf(one) - keyOf(other));
          expect(reassembled([...shuffled, first])).toEqual(bundle);
          expect(reassembled(shuffled.slice(1))).toBeNull();
          expect(new Set(parts.map(bundleKeyOf)).size).toBe(parts.length);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('are not made of a bundle that must stay whole, or too small', () => {
    expect(() => fragmentsOf(bundleOf(900, BUNDLE_FLAGS.mustNotFragment), 500)).toThrow(/divided/);
    expect(() => fragmentsOf(bundleOf(900), 100)).toThrow(/too small/);
  });

  it('of a bundle that is divided again keep their places', () => {
    const bundle = bundleOf(2_000);
    const parts = fragmentsOf(bundle, 1_000).flatMap((part) => fragmentsOf(part, 400));
    expect(parts.length).toBeGreaterThan(6);
    expect(reassembled(parts)).toEqual(bundle);
  });

  it('that contradict each other make nothing', () => {
    const bundle = bundleOf(900);
    const parts = fragmentsOf(bundle, 600);
    const [one, ...others] = parts;
    if (!one) throw new Error('a fragment');
    const damaged = {
      ...one,
      blocks: one.blocks.map((block) =>
        block.number === 1 ? { ...block, data: block.data.map((byte) => byte ^ 1) } : block,
      ),
    };
    expect(() => reassembled([...parts, damaged])).toThrow(/contradict/);
    const created = { timeMs: 1, sequence: 3 };
    const foreign = { ...one, primary: { ...one.primary, created } };
    expect(() => reassembled([foreign, ...others])).toThrow(/several bundles/);
    expect(() => reassembled([bundleOf(5)])).toThrow(/no fragment/);
    expect(reassembled([])).toBeNull();
  });
});

describe('status reports', () => {
  it('have the bytes of RFC 9171', () => {
    const never = { isAsserted: false, timeMs: null };
    const report = {
      items: { received: { isAsserted: true, timeMs: 1_000 }, forwarded: never, delivered: never },
      reason: 0,
      source: 'ipn:2.1',
      created: { timeMs: 0, sequence: 40 },
      fragment: null,
    };
    const whole = { ...report, items: { ...report.items, deleted: never } };
    const bytes = encodeStatusReport(whole);
    expect(Buffer.from(bytes).toString('hex')).toBe(
      '8201848482f51903e881f481f481f400820282020182001828',
    );
    expect(decodeStatusReport(bytes)).toEqual(whole);
    const part = { ...whole, fragment: { offset: 100, length: 20 } };
    expect(decodeStatusReport(encodeStatusReport(part))).toEqual(part);
    expect(() => decodeStatusReport(Uint8Array.of(0x82, 2, 0x80))).toThrow(/type 2/);
  });
});
