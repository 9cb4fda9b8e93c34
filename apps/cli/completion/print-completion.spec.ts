import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Command } from 'commander';
import { createProgram } from '../program.js';
import { completionsOf, printCompletion } from './print-completion.js';

let program: Command;

beforeAll(async () => {
  program = await createProgram(() => Promise.resolve());
});

/** The words that bash offers after these; the last one is not complete. */
const offered = async (words: readonly string[]): Promise<readonly string[]> => {
  const { text } = await printCompletion({ shell: 'bash' }, program);
  const script = [
    text,
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`,
    `COMP_CWORD=${words.length - 1}`,
    '_quipu',
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
};

describe('the completion of bash', () => {
  it.each([
    [['quipu', 'comp'], ['completion']],
    [['quipu', 'user', 'cr'], ['create']],
    [
      ['quipu', 'config', ''],
      ['check', 'show'],
    ],
    [['quipu', 'user', 'create', '--js'], ['--json']],
    [['quipu', 'user', 'create', '--user', '--js'], ['--json']],
  ])('offers the commands and options: %j', async (words, expected) => {
    expect(await offered(words)).toEqual(expected);
  });
});

describe('the completion of fish', () => {
  it('has a line for each command and option', async () => {
    const { text } = await printCompletion({ shell: 'fish' }, program);
    const all = completionsOf(program).flatMap(({ commands, options }) => [
      ...commands,
      ...options,
    ]);
    expect(text.match(/^complete -c quipu /gm)).toHaveLength(all.length);
    expect(text).toContain(`-n 'test (__quipu_path) = "user"' -a create -d `);
  });
});

describe('the completion of zsh', () => {
  it('is the completion of bash in its compatibility mode', async () => {
    const { text } = await printCompletion({ shell: 'zsh' }, program);
    expect(text).toMatch(/^autoload -Uz bashcompinit && bashcompinit\n_quipu\(\) \{/);
  });
});

it('names the shells that have a completion', () => {
  expect(() => printCompletion({ shell: 'csh' }, program)).toThrow('bash, zsh, fish');
});
