import { beforeAll, describe, expect, it } from '@jest/globals';
import { publishers } from '#apps/composition/areas.js';
import { revive } from '#events/definition.js';
import { goldenEvents, nameOf, type VersionedFile } from './golden.files.js';

const definitions = publishers.flatMap(({ name, events }) =>
  events.map((definition) => ({ area: name, definition })),
);

/** Every version that a log may contain. */
const everWritten = definitions.flatMap(({ area, definition }) =>
  Array.from({ length: definition.version }, (_, n) => ({
    area,
    type: definition.type,
    version: n + 1,
    definition,
  })),
);

describe('golden events', () => {
  let golden: ReadonlyMap<string, VersionedFile>;

  beforeAll(async () => {
    golden = new Map((await goldenEvents()).map((file) => [nameOf(file), file]));
  });

  const dataOf = (name: string): unknown => {
    const file = golden.get(name);
    if (!file) throw new Error(`test/golden/${name}.json is missing`);
    return file.content;
  };

  it.each(everWritten.map((written) => ({ name: nameOf(written), ...written })))(
    '$name revives',
    ({ name, type, version, definition }) => {
      const revived = revive(definition, { type, version, data: dataOf(name) });
      expect(revived.type).toBe(type);
      // Idempotent: a revived event equals an event of the newest version.
      const again = { type, version: definition.version, data: revived.data };
      expect(revive(definition, again)).toEqual(revived);
    },
  );

  it('in their newest version are unchanged by a revival', () => {
    for (const { area, definition } of definitions) {
      const { type, version } = definition;
      const data = dataOf(nameOf({ area, type, version }));
      expect(revive(definition, { type, version, data }).data).toEqual(data);
    }
  });

  it('all have a definition', () => {
    const known = new Set(everWritten.map(nameOf));
    expect([...golden.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  it('have unique type names', () => {
    const types = definitions.map(({ definition }) => definition.type);
    expect([...types].sort()).toEqual([...new Set(types)].sort());
  });
});
