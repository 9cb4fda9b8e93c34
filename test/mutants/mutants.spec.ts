import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readOptions, sampleOf } from './mutant-options.js';
import { MutantRun, type MutantResult, UnfitSpecsError } from './mutant-run.js';
import { mutantsOf, mutated } from './mutants.js';
import { SourceGraph } from './related-specs.js';
import { documentOf, equivalentOf, fileResultOf, scoreOf } from './results.js';
import { SpecRunner } from './spec-runner.js';
import { Workspace } from './workspace.js';
import { HOUSE, plantHouse, type PlantedHouse } from '../probes/planted-house.js';

/** The files that a run needs beside the sources. */
const CARRIED = [
  '.swcrc',
  'jest.config.mjs',
  'test/typescript-sources.mjs',
  'test/typescript-workers.mjs',
  'test/mutants/jest.child.mjs',
];

const TEENS = 'libs/areas/planted/teens.ts';
const TEENS_SOURCE = 'export const isTeen = (age: number): boolean => age > 12 && age < 20;\n';
const COUNT = 'libs/areas/planted/count.ts';
const BROKEN = 'libs/areas/planted/broken.ts';

const PLANTED: Readonly<Record<string, string>> = {
  [TEENS]: TEENS_SOURCE,
  'libs/areas/planted/teens.spec.ts': `
    import { expect, it } from '@jest/globals';
    import { isTeen } from './teens.js';
    it('begins at 13', () => expect([12, 13].map(isTeen)).toEqual([false, true]));`,
  [COUNT]: `export const count = (): number => {
    let counted = 0;
    for (let left = 3; left > 0; left -= 1) counted += 1;
    return counted;
  };`,
  'libs/areas/planted/count.spec.ts': `
    import { expect, it } from '@jest/globals';
    import { count } from './count.js';
    it('counts', () => expect(count()).toBe(3));`,
  [BROKEN]: 'export const one = 1;',
  'libs/areas/planted/broken.spec.ts': `
    import { expect, it } from '@jest/globals';
    import { one } from './broken.js';
    it('is two', () => expect(one).toBe(2));`,
};

const verdicts = (results: readonly MutantResult[]): readonly string[] =>
  results.map(({ mutant, verdict }) => `${verdict} ${mutant.before} -> ${mutant.after}`);

describe('the mutants of a source', () => {
  const changesOf = (source: string): readonly string[] =>
    mutantsOf('a.ts', source).map(({ operator, before, after }) =>
      after === '' || after === ';' ? `${operator}: ${before}` : `${operator}: ${before} ${after}`,
    );

  it.each<[string, readonly string[]]>([
    ['a === b', ['comparison: === !==']],
    ['a < b', ['comparison: < <=', 'comparison: < >=']],
    ['a >= b', ['comparison: >= >', 'comparison: >= <']],
    ['a && b', ['logic: && ||']],
    ['a * b', ['arithmetic: * /']],
    ['a ?? b', ['default: ?? b']],
    ['a = !b', ['removed statement: a = !b', 'negation: !']],
    ['f(true)', ['removed statement: f(true)', 'boolean: true false']],
    ['let a = 7', ['constant: 7 (8)', 'constant: 7 (6)']],
    ['let a = 7n', ['constant: 7n (8n)', 'constant: 7n (6n)']],
    ['let c = a ? b : d', ['condition: a !(a)']],
    ['await f()', ['removed statement: await f()']],
    [
      'for (;;) { if (a) continue; }',
      ['removed early exit: if (a) continue;', 'condition: a !(a)'],
    ],
    ['if (a) { b; } else c', ['condition: a !(a)']],
    ['this.logger.info({ a: 1 }, "b")', []],
    ['type A = 1 | true', []],
    ['"a" + b', []],
    ['super(1 as 2)', ['constant: 1 (2)', 'constant: 1 (0)']],
  ])('%s', (source, expected) => {
    expect(changesOf(source)).toEqual(expected);
  });

  it('change one place', () => {
    expect(mutantsOf(TEENS, TEENS_SOURCE).map((one) => mutated(TEENS_SOURCE, one))).toEqual(
      ['>= 12 && age < 20', '<= 12 && age < 20', '> (13) && age < 20', '> (11) && age < 20']
        .concat(['> 12 || age < 20', '> 12 && age <= 20', '> 12 && age >= 20'])
        .concat(['> 12 && age < (21)', '> 12 && age < (19)'])
        .map((condition) => TEENS_SOURCE.replace('> 12 && age < 20', condition)),
    );
  });
});

describe('a run on planted mutants', () => {
  let house: PlantedHouse;
  let workspace: Workspace;
  let runner: SpecRunner;
  let run: MutantRun;

  beforeAll(async () => {
    const carried = await Promise.all(
      CARRIED.map(async (file) => [file, await readFile(path.join(HOUSE, file), 'utf8')] as const),
    );
    house = await plantHouse({ ...PLANTED, ...Object.fromEntries(carried) });
    workspace = await Workspace.copyOf(house.folder);
    runner = new SpecRunner(workspace.folder, 20_000);
    const graph = await SourceGraph.read(workspace.folder);
    run = new MutantRun(workspace, graph, runner, { specsMax: 4, slowness: 2, graceMs: 2_000 });
  });

  afterAll(async () => {
    await runner.close();
    await workspace.remove();
    await house.remove();
  });

  const judge = async (file: string, before: string): Promise<readonly string[]> => {
    const chosen = (await run.mutantsOf(file)).filter((one) => one.before === before);
    return verdicts(await Array.fromAsync(run.run(file, chosen)));
  };

  it('kills what a spec notices and reports what none does', async () => {
    expect(await judge(TEENS, '>')).toEqual(['killed > -> >=', 'killed > -> <=']);
    expect(await judge(TEENS, '<')).toEqual(['survived < -> <=', 'killed < -> >=']);
  });

  it('ends an endless mutant, and continues', async () => {
    expect(await judge(COUNT, '-=')).toEqual(['timed out -= -> +=']);
    expect(await judge(COUNT, '3')).toEqual(['killed 3 -> (4)', 'killed 3 -> (2)']);
  });

  it('names a spec that fails without a mutant', async () => {
    const judged = judge(BROKEN, '1');
    await expect(judged).rejects.toThrow(UnfitSpecsError);
    await expect(judged).rejects.toThrow(/broken\.spec\.ts fails without a mutant: is two/);
  });

  it('leaves the copy and the original as they were', async () => {
    expect(await workspace.read(TEENS)).toBe(`${TEENS_SOURCE}\n`);
    expect(await readFile(path.join(house.folder, TEENS), 'utf8')).toBe(`${TEENS_SOURCE}\n`);
  });
});

describe('the specs of a source', () => {
  it.each([
    ['libs/areas/billing/price.ts', 'libs/areas/billing/price.spec.ts'],
    ['libs/areas/inference/token-bound.ts', 'libs/areas/inference/token-bound.spec.ts'],
    ['apps/operations/open-requests.ts', 'apps/operations/open-requests.spec.ts'],
    [
      'libs/platform/event-store/sqlite/writer.worker.ts',
      'libs/platform/event-store/sqlite/chain-segments.spec.ts',
    ],
  ])('reach %s, and begin with its own or the nearest', async (source, nearest) => {
    const graph = await SourceGraph.read(HOUSE);
    expect(graph.specsOf(source, 1)).toEqual([nearest]);
  });
});

describe('the results', () => {
  const all = mutantsOf(TEENS, TEENS_SOURCE);
  const equivalents = [{ file: TEENS, mutant: 'comparison: < -> <=', reason: 'Planted.' }];
  const isEquivalent = (mutant: (typeof all)[number]): boolean =>
    equivalentOf(mutant, TEENS_SOURCE, equivalents) !== undefined;
  const results = all.map((mutant, index): MutantResult => {
    const verdict = index === 0 ? 'timed out' : index < 5 ? 'killed' : 'survived';
    return { mutant, verdict, killer: null };
  });
  const result = fileResultOf(TEENS, all, results, isEquivalent);

  it('count an equivalent as neither caught nor survived', () => {
    expect(result).toMatchObject({ mutants: 9, run: 9, killed: 4, timedOut: 1, equivalent: 1 });
    expect(result.survivors).toHaveLength(3);
    expect(scoreOf([result])).toBe(62.5);
  });

  it('name survivors and equivalents', () => {
    const text = documentOf([{ ...result, date: '2026-01-02', commit: 'abc' }], equivalents);
    expect(text).toContain(`- \`${TEENS}:1 comparison: < -> >=\``);
    expect(text).toContain(`- \`${TEENS}\` \`comparison: < -> <=\`: Planted.`);
    expect(text).toContain('| all | 1 | 9 | 9 | 62.5 % |');
  });
});

describe('the options', () => {
  it.each([
    [['--sample', '0'], '--sample: "0"'],
    [['--seed', 'x'], '--seed: "x"'],
    [['--specs', '1.5'], '--specs: "1.5"'],
    [['--named', 'libs/areas/billing'], '--named: '],
    [['--loud'], '--loud'],
  ])('%j are rejected by name', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });

  it('draw the same sample for the same seed', () => {
    const all = Array.from({ length: 50 }, (_, index) => index);
    expect(sampleOf(all, 5, 1)).toEqual(sampleOf(all, 5, 1));
    expect(sampleOf(all, 5, 1)).not.toEqual(sampleOf(all, 5, 2));
    expect(sampleOf(all, 5, 1)).toHaveLength(5);
    expect(sampleOf(all, 50, 1)).toEqual(all);
  });
});
