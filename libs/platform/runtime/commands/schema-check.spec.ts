import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { schemaCheckOf } from './schema-check.js';

const line = z.strictObject({
  step: z.string().exactOptional(),
  meter: z.string().regex(/^[a-z]+$/),
  quantity: z.int().nonnegative(),
});

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  string: z.string().min(1).max(3),
  pattern: z.string().regex(/^[0-9a-f]+$/),
  uuid: z.uuid().brand<'Id'>(),
  instant: z.iso.datetime({ precision: 3 }),
  integer: z.int().positive(),
  number: z.number().min(0).max(2),
  above: z.number().gt(0).lt(64),
  choice: z.union([z.enum(['a', 'b']), z.literal(1), z.null(), z.boolean()]),
  list: z.array(z.string()).min(1).max(2),
  record: z.record(z.string().min(1), z.int()),
  partial: z.partialRecord(z.enum(['a', 'n']), z.int()),
  strict: z.strictObject({ lines: z.array(line).max(2), note: z.string().nullish() }),
  loose: z.looseObject({ stream: z.boolean().nullish(), n: z.int().default(1) }),
  stripping: z.object({ a: z.unknown() }),
  refined: z.string().refine((text) => text.startsWith('a')),
  stops: z.union([z.string(), z.array(z.string())]).nullish(),
};

const values = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'abcd', '', 'note', '2dae1ad9-917d-437b-adb7-eb22f7bce2d0'),
    fc.constantFrom('2026-11-22T10:32:48.240Z', '2026-02-30T10:32:48.240Z', '2026-11-22'),
    fc.constantFrom(0, -0, 1, 2, 64, 0.5, -1, Number.NaN, Infinity, 2 ** 53, null, true, undefined),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        'lines',
        'note',
        'stream',
        'n',
        'a',
        'meter',
        'quantity',
        'step',
        '__proto__',
      ),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
    fc.record({ meter: fc.constantFrom('a', 'A'), quantity: fc.constantFrom(0, 1, 0.5) }),
    fc.constantFrom({ lines: [] }, { lines: [{ meter: 'a', quantity: 1 }], note: null }),
    fc.constantFrom(new Date(0), new Map([['a', 1]]), 1n, Object.create({ a: 1 })),
  ),
})).value;

describe('the check of a schema', () => {
  it.each(Object.entries(SCHEMAS))('never accepts what zod rejects or changes: %s', (_, schema) => {
    const check = schemaCheckOf(schema);
    if (!check) throw new Error('there is no check');
    let accepted = 0;
    fc.assert(
      fc.property(values, (value) => {
        if (!check(value)) return;
        accepted += 1;
        const parsed = schema.safeParse(value);
        expect(parsed.success).toBe(true);
        expect(parsed.data).toStrictEqual(value);
      }),
      { numRuns: 2_000, seed: 7 },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  it.each([
    ['a missing field', { lines: [{ meter: 'a' }] }],
    ['a field too many', { lines: [], other: 1 }],
    ['a field that is undefined', { lines: [], note: undefined }],
    ['a field of the prototype', Object.create({ lines: [] })],
    ['a list that is too long', { lines: Array(3).fill({ meter: 'a', quantity: 0 }) }],
  ])('does not accept %s', (_, value) => {
    expect(schemaCheckOf(SCHEMAS['strict'] ?? z.never())?.(value)).toBe(false);
  });

  it('asks the pattern again for each other text', () => {
    const check = schemaCheckOf(z.string().regex(/^[ab]$/));
    const values = [undefined, null, 'c', 'a', 'a', 'c', 'b', 'a', null, new String('a')];
    const accepted = values.map((value) => check?.(value));
    expect(accepted).toEqual(values.map((value) => value === 'a' || value === 'b'));
  });

  it('leaves a missing field with a default to zod', () => {
    const check = schemaCheckOf(SCHEMAS['loose'] ?? z.never());
    expect(check?.({ stream: true })).toBe(false);
    expect(check?.({ stream: true, n: 2, other: {} })).toBe(true);
  });

  it.each<readonly [string, z.ZodType]>([
    ['a transformation', z.string().transform(Number)],
    ['a trimmed text', z.string().trim()],
    ['an address', z.url()],
    ['a date', z.date()],
    ['a union with an option that strips', z.union([z.object({ a: z.int() }), z.string()])],
    ['an object with such a field', z.strictObject({ at: z.date() })],
    ['a record that has to have every key', z.record(z.enum(['a', 'b']), z.int())],
    ['a field that every object inherits', z.strictObject({ constructor: z.unknown() })],
  ])('is not made for %s', (_, schema) => {
    expect(schemaCheckOf(schema)).toBeNull();
  });

  /** After an update, read how zod's definitions (`_zod.def`) have changed, then raise this. */
  it('is written for the installed version of zod, whose private definitions it reads', () => {
    expect(z.core.version).toEqual({ major: 4, minor: 6, patch: 7 });
  });
});
