/** The commands that pages of the console offer, at the command line that they name. */
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createProgram } from '../../apps/cli/program.js';
import { commandOf, type PageCommand } from '../../apps/console/shell/page-command.js';

const CONSOLE = path.resolve(import.meta.dirname, '../../apps/console');
const USER = 'ada';

interface Page {
  readonly path: string;
  readonly command?: PageCommand;
}

/** A value of each field that a route may have, as its page writes it. */
const FIELDS: Readonly<Record<string, string>> = {
  account: '7',
  after: '20',
  beneficiary: 'partner-1',
  by: 'model',
  from: '2026-11-01',
  model: 'quipu/nano',
  page: '2',
  rig: 'built-in',
  state: 'running',
  status: 'charged',
  tag: 'project=knots',
  to: '2026-11-30',
  type: 'batch',
  user: 'a1b2',
  version: '3',
};
/** Other ids are numbers. */
const REQUEST_ID = '01990a5d-ac96-774b-bcce-b302099a8057';

const offering: (readonly [string, PageCommand])[] = [];
for await (const file of glob(`${CONSOLE}/*/*.pages.ts`)) {
  const { default: area } = (await import(file)) as {
    readonly default: { readonly pages: readonly Page[] };
  };
  for (const page of area.pages) if (page.command) offering.push([page.path, page.command]);
}

const wordsOf = async (words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
  let invoked: Readonly<Record<string, unknown>> = {};
  let printed = '';
  const print = (text: string): void => void (printed += text);
  const program = await createProgram(
    (options) => {
      invoked = { ...(options as Readonly<Record<string, unknown>>) };
      return Promise.resolve();
    },
    { output: { writeOut: print, writeErr: print } },
  );
  await program.parseAsync(words, { from: 'user' }).catch((cause: unknown) => {
    throw new Error(`${words.join(' ')}: ${printed}`, { cause });
  });
  return invoked;
};

describe('a page of the console', () => {
  it('offers a command in most areas', () => {
    expect(offering.length).toBeGreaterThan(30);
  });

  it.each(offering)('%s offers a command that exists and takes its options', async (_, command) => {
    const fields = Object.keys(command.options ?? {}).map((name) => {
      const value = FIELDS[name];
      if (value === undefined) throw new Error(`FIELDS has no ${name}`);
      return [name, value] as const;
    });
    const id = command.words.startsWith('explain') ? REQUEST_ID : '7';
    const written = commandOf(command, {
      parameters: { id },
      route: `/route?${new URLSearchParams(Object.fromEntries(fields)).toString()}`,
      username: USER,
    });
    expect(written).toMatch(/^quipu [\w-]+/);
    const options = await wordsOf((written ?? '').split(' ').slice(1));
    const given = Object.keys(options);
    const expected = fields.map(([name]) =>
      (command.options?.[name] ?? '').replaceAll(/-(\w)/g, (_match, letter: string) =>
        letter.toUpperCase(),
      ),
    );
    expect(given).toEqual(expect.arrayContaining(expected));
    expect(options['user']).toBe(command.ofUser === true ? USER : undefined);
  });
});
