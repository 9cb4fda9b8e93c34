import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from '#areas/catalog/catalog.parser.js';

const CATALOG = 'catalog.yaml';
const MODEL = /"?\b(?:\w+_)?model"?: ?["'](?<model>[^"'\s]+)["']/g;

describe('the examples of the documentation', () => {
  it('name models of the catalog that ships', async () => {
    const { models } = parseCatalog(await readFile(CATALOG, 'utf8'), CATALOG);
    const served = new Set(models.map(({ id }) => id));
    const named: string[] = [];
    const exclude = ['node_modules/**', 'dist/**', 'bundle/**'];
    for await (const file of glob('**/*.md', { exclude })) {
      const text = await readFile(file, 'utf8');
      named.push(...[...text.matchAll(MODEL)].map(({ groups }) => groups?.['model'] ?? ''));
    }
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((model) => !served.has(model))).toEqual([]);
  });
});
