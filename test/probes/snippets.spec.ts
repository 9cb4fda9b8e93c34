import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOUSE, outputOf, plantHouse, type PlantedHouse } from './planted-house.js';

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md'];
const BLOCK = /^```ts\n(.*?)^```$/gms;
const PATH = /^\/\/ (\S+\.ts)\n/;

/**
 * The TypeScript blocks of a document, by path. A block that begins with a path in a comment is
 * planted there, so that another block can import it.
 */
const snippetsOf = async (document: string): Promise<Readonly<Record<string, string>>> => {
  const text = await readFile(path.join(HOUSE, document), 'utf8');
  const blocks = [...text.matchAll(BLOCK)].map(([, source = ''], index) => {
    const file = PATH.exec(source)?.[1] ?? `test/${document}.${index}.ts`;
    return [file, source] as const;
  });
  return Object.fromEntries(blocks);
};

/** The modules that the snippets import; `events/` itself must stay a folder to plant in. */
const linked = async (): Promise<readonly string[]> => {
  const events = await readdir(path.join(HOUSE, 'events'));
  return ['libs/platform', 'apps/gateway/openapi', ...events.map((name) => `events/${name}`)];
};

const BROKEN = 'test/broken.ts';

describe('the TypeScript snippets of the documentation', () => {
  let house: PlantedHouse;
  let snippets: Readonly<Record<string, string>>;
  let diagnostics: readonly string[];

  beforeAll(async () => {
    const found = await Promise.all(DOCUMENTS.map(snippetsOf));
    snippets = Object.assign({}, ...found) as Readonly<Record<string, string>>;
    const sources = { ...snippets, [BROKEN]: "import '#platform/runtime/areas/missing.js';" };
    const config = {
      extends: './tsconfig.json',
      // A snippet may end with the value that it shows.
      compilerOptions: { incremental: false, tsBuildInfoFile: null, noUnusedLocals: false },
      files: Object.keys(sources),
      include: [],
    };
    house = await plantHouse(
      { ...sources, 'tsconfig.snippets.json': JSON.stringify(config) },
      await linked(),
    );
    const args = ['-p', 'tsconfig.snippets.json', '--pretty', 'false'];
    const output = await outputOf(house.folder, 'typescript-native/bin/tsc', args);
    diagnostics = output.split('\n').filter((line) => line !== '');
  });

  afterAll(() => house.remove());

  it('are found in each document', () => {
    expect(Object.keys(snippets)).toEqual(
      expect.arrayContaining(['test/README.md.0.ts', 'libs/areas/greetings/greetings.area.ts']),
    );
  });

  it('compile, and one with a wrong import does not', () => {
    expect(diagnostics).toEqual([expect.stringContaining(`${BROKEN}(1,`)]);
  });
});
