import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { areas } from '#apps/composition/areas.js';
import { schemaCheckOf } from '#platform/runtime/commands/schema-check.js';
import { goldenEvents } from './golden.files.js';

const golden = await goldenEvents();

const cases = areas
  .flatMap(({ events }) => events)
  .flatMap(({ type, version, schema }) => {
    const check = schemaCheckOf(schema);
    const found = golden.find((file) => file.type === type && file.version === version);
    return check && found ? [{ type, schema, check, data: found.content }] : [];
  });

const others = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  0.5,
  2 ** 53,
  '',
  '7',
  '-7',
  'x'.repeat(501),
  '2026-11-22T10:32:48.240Z',
  '2026-13-22T10:32:48.240Z',
  '2dae1ad9-917d-437b-adb7-eb22f7bce2d0',
  [],
  {},
);

/** The value with one field, at any depth, that is another, gone or new. */
const changed = (value: unknown, choices: () => number, other: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return other;
  const copy: unknown = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  const fields = copy as Record<string, unknown>;
  const names = Object.keys(fields);
  const name = names[choices() % (names.length + 1)];
  if (name === undefined) fields[Array.isArray(copy) ? String(names.length) : 'added'] = other;
  else if (choices() % 4 === 0) Reflect.deleteProperty(fields, name);
  else fields[name] = changed(fields[name], choices, other);
  return copy;
};

describe('the checks of events', () => {
  it('exist for the events of a chat', () => {
    const types = cases.map(({ type }) => type);
    const ofChats = ['HoldPlaced', 'HoldCaptured', 'HoldReleased', 'RigAttemptsRecorded'];
    expect(types).toEqual(expect.arrayContaining(ofChats));
  });

  it.each(cases)('accept $type as it is stored', ({ data, check }) => {
    expect(check(data)).toBe(true);
  });

  it.each(cases)('accept nothing else of $type than zod does', ({ data, schema, check }) => {
    fc.assert(
      fc.property(others, fc.infiniteStream(fc.nat({ max: 1_000 })), (other, stream) => {
        const value = changed(data, () => Number(stream.next().value), other);
        const { success, data: parsed } = schema.safeParse(value);
        if (check(value)) expect(parsed).toStrictEqual(value);
        // On the way of every event: what zod takes unchanged needs no parsing.
        else expect(success).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});
