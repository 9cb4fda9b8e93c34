import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { namesOf, PATH_BYTES_MAX } from './workspace-path.js';

describe('the path of a synced file', () => {
  it.each([
    ['a.txt', ['a.txt']],
    ['src/data/a b.bin', ['src', 'data', 'a b.bin']],
    ['.env', ['.env']],
    ['..data/...x', ['..data', '...x']],
    ['комната/é', ['комната', 'é']],
    ['console/nullable.txt', ['console', 'nullable.txt']],
  ])('has the names of %s', (text, names) => {
    expect(namesOf(text)).toEqual(names);
  });

  it.each([
    '',
    '.',
    '..',
    '/',
    '/a',
    'a/',
    'a//b',
    'a/./b',
    'a/../b',
    'a\0b',
    'a\nb',
    'a\\b',
    'c:a',
    'nul',
    'NUL.txt',
    'a/lpt1',
    'COM9.tar.gz',
    'con .txt',
    'a.',
    'a ',
    'x'.repeat(256),
    'é'.repeat(128),
    'a/'.repeat(32) + 'a',
    `${'x'.repeat(200)}/`.repeat(6) + 'a',
  ])('is refused: %j', (text) => {
    expect(() => namesOf(text)).toThrow(expect.objectContaining({ code: 'sync_path_invalid' }));
  });

  it('never leaves the workspace, whatever it is', () => {
    const name = fc.oneof(fc.constantFrom('..', '.', '', '\\', 'a', '\0', '~'), fc.string());
    const text = fc.array(name, { maxLength: 8 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ maxLength: 2 * PATH_BYTES_MAX })), (filePath) => {
        let names: readonly string[];
        try {
          names = namesOf(filePath);
        } catch {
          return;
        }
        expect(names.join('/')).toBe(filePath);
        expect(path.posix.normalize(filePath)).toBe(filePath);
        expect(path.resolve('/workspace', filePath).startsWith('/workspace/')).toBe(true);
      }),
    );
  });
});
