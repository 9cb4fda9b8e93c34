import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOUSE, outputOf, plantHouse, type PlantedHouse } from './planted-house.js';

const TOOL = '../tools/style/check-style.ts';

const PLANTED: Readonly<Record<string, string>> = {
  'libs/areas/word.ts': '// Nobody returns it.\nexport const one = 1;',
  'apps/gateway/wide.ts': `// ${'wide '.repeat(20)}`,
  'test/long.spec.ts': 'void 0;\n'.repeat(400),
  'docker/compose.yaml': 'x-model-shelf: {}',
  'libs/areas/README.md': 'The reader is told.',
  'libs/areas/quoted.ts': '// "nobody"',
  'tools/style/allow-list.json': JSON.stringify([
    { path: 'libs/areas/quoted.ts', rules: ['word'], reason: 'a quotation' },
    { path: 'libs/areas/gone.ts', rules: ['width'], reason: 'it was wide once' },
  ]),
};

const REPORTS = [
  'libs/areas/word.ts:1 word: "nobody": write the component, or the passive',
  'apps/gateway/wide.ts:1 width: 103 columns, at most 100',
  'test/long.spec.ts length: 401 lines, at most 400',
  'docker/compose.yaml:1 word: "shelf": write store',
  'libs/areas/README.md:1 word: "told": write reports, is passed, knows from',
  'tools/style/allow-list.json width: "libs/areas/gone.ts" needs no allowance any more',
];

describe('the style check', () => {
  let house: PlantedHouse;
  let reports: readonly string[];

  beforeAll(async () => {
    house = await plantHouse(PLANTED);
    reports = (await outputOf(house.folder, TOOL, [])).trim().split('\n');
  });

  afterAll(() => house.remove());

  it.each(REPORTS)('reports %s', (report) => {
    expect(reports).toContain(report);
  });

  it('reports nothing else', () => {
    expect(reports).toHaveLength(REPORTS.length);
  });

  it('finds nothing in this repository', async () => {
    expect(await outputOf(HOUSE, TOOL, [])).toBe('');
  });
});
