import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const GATEWAY = path.resolve(import.meta.dirname, '..');

describe('the schemas of the OpenAPI document', () => {
  // The document has one schema of a name: a second class of that name replaces the first.
  it('are described by classes with a name each', async () => {
    const classes: string[] = [];
    for await (const file of glob('**/*.ts', { cwd: GATEWAY })) {
      const text = await readFile(path.join(GATEWAY, file), 'utf8');
      classes.push(
        ...[...text.matchAll(/^(?:export )?class (\w+Dto)\b/gm)].map(([, name = '']) => name),
      );
    }
    expect(classes.length).toBeGreaterThan(20);
    expect(classes.filter((name, at) => classes.indexOf(name) !== at)).toEqual([]);
  });
});
