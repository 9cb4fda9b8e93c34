import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outputOf, plantHouse, type PlantedHouse } from './planted-house.js';

interface FileReport {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string | null; readonly severity: number }[];
}

interface Violation {
  readonly rule: string;
  /** Default: a file of an area. */
  readonly file?: string;
  readonly source: string;
}

const longBody = '  Math.abs(1);\n'.repeat(70);
const longFunction = `export const long = (): number => {\n${longBody}  return 1;\n};`;

/** The rules that this repository relies on; ESLint and its plugin test the rules themselves. */
const VIOLATIONS: readonly Violation[] = [
  {
    rule: '@typescript-eslint/no-floating-promises',
    source: 'const save = (): Promise<void> => Promise.resolve();\nsave();',
  },
  {
    rule: '@typescript-eslint/no-misused-promises',
    source: 'export const each = (): void => [1].forEach(async () => Promise.resolve());',
  },
  {
    rule: '@typescript-eslint/switch-exhaustiveness-check',
    source: `export const say = (colour: 'red' | 'green'): string => {
  switch (colour) {
    case 'red':
      return 'stop';
  }
  return '';
};`,
  },
  {
    rule: '@typescript-eslint/no-explicit-any',
    source: 'export const take = (value: any): unknown => value;',
  },
  {
    rule: '@typescript-eslint/no-unsafe-member-access',
    source: "export const name: unknown = JSON.parse('{}').name;",
  },
  {
    rule: '@typescript-eslint/no-non-null-assertion',
    source: 'export const first = (list: readonly string[]): string => list[0]!;',
  },
  {
    rule: '@typescript-eslint/no-unnecessary-condition',
    source: "export const sure = (name: string): string => name ?? 'none';",
  },
  {
    rule: '@typescript-eslint/consistent-type-imports',
    source: "import { Server } from 'node:http';\nexport type Served = Server;",
  },
  {
    rule: 'no-restricted-syntax',
    source: `import { mkdir } from 'node:fs/promises';
export const make = (folder: string) => mkdir(folder, { recursive: true });`,
  },
  { rule: 'eqeqeq', source: 'export const isOne = (n: number): boolean => n == 1;' },
  {
    rule: 'regexp/no-super-linear-move',
    source: 'export const PARTS = /\\{\\{(.*?)\\}\\}/gs;',
  },
  {
    rule: 'regexp/no-super-linear-backtracking',
    source: 'export const WORDS = /^(?:[a-z]+,?)+$/;',
  },
  { rule: 'no-console', source: "console.log('hello');" },
  { rule: 'max-lines-per-function', source: longFunction },
  ...['events/loan.events.ts', 'projections/loan.projection.ts', 'libs/areas/loan.saga.ts'].map(
    (file) => ({
      rule: 'no-restricted-globals',
      file,
      source: 'export const day = (): number => Date.now();',
    }),
  ),
  {
    rule: 'no-restricted-globals',
    file: 'libs/areas/fetched.decider.ts',
    source: "export const ask = (): Promise<unknown> => fetch('http://localhost');",
  },
  {
    rule: 'no-restricted-globals',
    file: 'libs/areas/configured.decider.ts',
    source: "export const home = (): string | undefined => process.env['HOME'];",
  },
  {
    rule: 'no-restricted-properties',
    file: 'libs/areas/drawn.decider.ts',
    source: 'export const draw = (): number => Math.random();',
  },
];

/** Allowed code that resembles a violation. */
const BYSTANDERS: Readonly<Record<string, string>> = {
  'apps/cli/print.ts': "console.log('the result of a command');",
  'libs/areas/stamp.handler.ts': 'export const stamp = (): number => Date.now();',
  'libs/areas/long.spec.ts': longFunction,
};

const planted = VIOLATIONS.map((violation, n) => ({
  file: `libs/areas/planted-${n}.ts`,
  ...violation,
}));

describe('the lint rules', () => {
  let house: PlantedHouse;
  let reports: readonly FileReport[];

  beforeAll(async () => {
    const violations = planted.map(({ file, source }) => [file, source] as const);
    house = await plantHouse({ ...BYSTANDERS, ...Object.fromEntries(violations) });
    const output = await outputOf(house.folder, 'eslint/bin/eslint.js', ['.', '--format', 'json']);
    reports = JSON.parse(output) as readonly FileReport[];
  });

  afterAll(() => house.remove());

  const rulesBrokenBy = (file: string): readonly (string | null)[] => {
    const report = reports.find(({ filePath }) => filePath === path.join(house.folder, file));
    if (!report) throw new Error(`${file} was not linted`);
    return report.messages.filter(({ severity }) => severity === 2).map(({ ruleId }) => ruleId);
  };

  it.each(planted)('$rule is reported in $file', ({ rule, file }) => {
    expect(rulesBrokenBy(file)).toContain(rule);
  });

  it.each(Object.keys(BYSTANDERS))('nothing is reported in %s', (file) => {
    expect(rulesBrokenBy(file)).toEqual([]);
  });
});
