import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outputOf, plantHouse, type PlantedHouse } from './planted-house.js';

interface Violation {
  readonly option: string;
  /** As in `error TS2322`. */
  readonly code: number;
  readonly source: string;
}

/** What the compiler must refuse, a file for each. */
const VIOLATIONS: readonly Violation[] = [
  {
    option: 'strict',
    code: 2322,
    source: 'export const name: string = null;',
  },
  {
    option: 'noUncheckedIndexedAccess',
    code: 2322,
    source: 'export const first = (list: readonly string[]): string => list[0];',
  },
  {
    option: 'exactOptionalPropertyTypes',
    code: 2375,
    source: 'export const named: { name?: string } = { name: undefined };',
  },
  {
    option: 'noPropertyAccessFromIndexSignature',
    code: 4111,
    source: 'export const home = (env: Record<string, string>): string | undefined => env.HOME;',
  },
  {
    option: 'noImplicitOverride',
    code: 4114,
    source: "export class Problem extends Error {\n  readonly name = 'Problem';\n}",
  },
  {
    option: 'noImplicitReturns',
    code: 7030,
    source: 'export const half = (n: number) => {\n  if (n > 1) return n;\n};',
  },
  {
    option: 'noUnusedLocals',
    code: 6133,
    source: 'const unused = 1;\nexport {};',
  },
  {
    option: 'total evolve: a new event breaks the build',
    code: 2366,
    source: `type Event = { type: 'Opened' } | { type: 'Closed' };
export const evolve = (state: number, event: Event): number => {
  switch (event.type) {
    case 'Opened':
      return state + 1;
  }
};`,
  },
];

const planted = VIOLATIONS.map((violation, n) => ({ ...violation, file: `libs/planted-${n}.ts` }));

describe('the compiler', () => {
  let house: PlantedHouse;
  let diagnostics: readonly string[];

  beforeAll(async () => {
    house = await plantHouse({
      ...Object.fromEntries(planted.map(({ file, source }) => [file, source] as const)),
      'libs/sound.ts':
        "import { type Sound } from '#platform/sound.js';\nexport type Heard = Sound;",
      'libs/platform/sound.ts': 'export type Sound = number;',
    });
    const args = ['-p', 'tsconfig.json', '--pretty', 'false', '--incremental', 'false'];
    const output = await outputOf(house.folder, 'typescript/bin/tsc', [
      ...args,
      '--tsBuildInfoFile',
      'null',
    ]);
    diagnostics = output.split('\n');
  });

  afterAll(() => house.remove());

  it.each(planted)('refuses what $option forbids', ({ file, code }) => {
    const found = diagnostics.filter((line) => line.startsWith(`${file}(`));
    expect(found).toContainEqual(expect.stringContaining(`error TS${code}:`));
  });

  it('finds subpath imports at their sources, and refuses nothing else', () => {
    const others = diagnostics.filter(
      (line) => line.includes('error TS') && !line.startsWith('libs/planted-'),
    );
    expect(others).toEqual([]);
  });
});
