import { describe, expect, it } from '@jest/globals';
import { problemsOf, withoutAllowed, type Problem } from './check-style.js';

const found = (file: string, content: string): readonly string[] =>
  problemsOf(file, content).map(({ rule, line }) => `${rule} ${line}`);

describe('problemsOf', () => {
  it.each([
    ['prose', '// The writer is told the revision.'],
    ['a capital', '// Nobody reads this.'],
    ['camel case', 'const reasonTold = 1;'],
    ['Pascal case', 'class ToldReason {}'],
    ['capitals', 'const TOLD_MAX = 1;'],
    ['dashes', "const header = 'x-told-off';"],
    ['a digit beside it', 'const told2 = 1;'],
  ])('finds a word in %s', (_where, line) => {
    expect(found('libs/one.ts', `const zero = 0;\n${line}\n`)).toEqual(['word 2']);
  });

  it('finds a word in the name of a file', () => {
    expect(found('libs/loan.refusals.ts', '')).toEqual(['word 0']);
  });

  it.each(['// recommend, amend', 'const tenured = 1;', "// I'll", '// illegal'])(
    'finds nothing in a word that only contains one: %s',
    (line) => {
      expect(found('libs/one.ts', line)).toEqual([]);
    },
  );

  it.each([
    '/** What a command prints. */',
    '// The remains of what was read.',
    'and those of the others',
    'The result is that of the last run.',
    'the texts that stand in the log',
    'The run goes on.',
    'a name that is none of them',
    'A host waits for so long.',
    'A run goes without.',
  ])('finds a phrase that reads as translated: %s', (line) => {
    expect(found('libs/one.ts', line)).toEqual(['phrase 1']);
  });

  it.each([
    '/** What did a rate card say? One document for each version. */',
    'It knows what to do.',
    'so many characters are cut',
    'without an account',
    'a standby stage',
  ])('finds no phrase in plain English: %s', (line) => {
    expect(found('libs/one.ts', line)).toEqual([]);
  });

  it('says what to write instead', () => {
    expect(problemsOf('README.md', 'a tenure')).toEqual([
      { file: 'README.md', line: 1, rule: 'word', text: '"tenure": write leadership term' },
    ]);
  });

  it('allows 100 characters in a line, not 101', () => {
    expect(found('libs/one.ts', `// ${'é'.repeat(97)}\n`)).toEqual([]);
    expect(found('libs/one.ts', `// ${'é'.repeat(98)}\n`)).toEqual(['width 1']);
  });

  it('leaves the lines of Markdown as wide as they are', () => {
    expect(found('README.md', `| ${'wide '.repeat(40)} |\n`)).toEqual([]);
  });

  it('allows 400 lines, not 401', () => {
    expect(found('libs/one.ts', 'one();\n'.repeat(400))).toEqual([]);
    expect(found('libs/one.ts', 'one();\n'.repeat(401))).toEqual(['length 0']);
  });

  it.each(['schemas/one.json', 'package-lock.json', 'models/nano.gguf'])('skips %s', (file) => {
    expect(found(file, `told ${'x'.repeat(200)}`)).toEqual([]);
  });
});

describe('withoutAllowed', () => {
  const word: Problem = { file: 'libs/one/two.ts', line: 3, rule: 'word', text: 'a word' };
  const width: Problem = { file: 'libs/one/two.ts', line: 4, rule: 'width', text: 'too wide' };

  it('removes what an allowance covers, by path and rule', () => {
    const allowance = { path: 'libs/one/**', rules: ['word'], reason: 'a quotation' } as const;
    expect(withoutAllowed([word, width], [allowance])).toEqual([width]);
  });

  it('keeps what lies outside the path of an allowance', () => {
    const allowance = { path: 'apps/**', rules: ['word'], reason: 'a quotation' } as const;
    expect(withoutAllowed([word], [allowance])).toContain(word);
  });

  it('reports each rule that an allowance no longer needs', () => {
    const path = 'libs/one/*.ts';
    const allowance = { path, rules: ['word', 'length'], reason: 'a quotation' } as const;
    expect(withoutAllowed([word], [allowance])).toEqual([
      {
        file: 'tools/style/allow-list.json',
        line: 0,
        rule: 'length',
        text: '"libs/one/*.ts" needs no allowance any more',
      },
    ]);
  });
});
