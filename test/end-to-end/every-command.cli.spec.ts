import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Argument, type Command, type Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProgram } from '#apps/cli/program.js';
import { runCommand } from './command-line.fixture.js';
import { OUTCOMES } from './every-command.outcomes.js';

const UUID = '01890a5d-ac96-474b-8cce-b302099a8057';

/** A value of each option and argument that a command may require. */
const valuesIn = (home: string): Readonly<Record<string, string>> => ({
  '--acquired-at': '2026-01-01',
  '--allocation': UUID,
  '--beneficiary': 'partner-1',
  '--card': '1',
  '--category': 'chat',
  '--country': 'DE',
  '--email': 'ada@example.org',
  '--epsilon': '1',
  '--fee': '1',
  '--file': path.join(home, 'file'),
  '--from': '2026-01-01',
  '--gpus': '1',
  '--group': 'workers',
  '--input': 'sort',
  '--key': '0123456789abcdef',
  '--kind': 'refund',
  '--latitude': '1',
  '--longitude': '1',
  '--member': UUID,
  '--month': '2026-01',
  '--partner': '1',
  '--payout': UUID,
  '--price': '1',
  '--purchased-on': '2026-01-01',
  '--rate-card': path.join(home, 'catalog.yaml'),
  '--request': UUID,
  '--rig': 'none',
  '--role': 'renter',
  '--rule': UUID,
  '--share': '1',
  '--sha256': 'a'.repeat(64),
  '--slug': 'word',
  '--team': `team-${UUID}`,
  '--to': '2026-01-02',
  '--topic': 'tasks',
  '--url': 'http://127.0.0.1:1/mcp',
  '--usd': '1',
  '--user': 'demo',
  '--username': 'ada',
  args: '',
  file: path.join(home, 'file'),
  files: path.join(home, 'file'),
  folder: path.join(home, 'folder'),
  number: '1',
  'request-id': UUID,
  shell: 'bash',
});

/** Values that one command reads otherwise. */
const OF_COMMAND: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'log copy': { '--from': 'sqlite:/nowhere/a.db', '--to': 'sqlite:/nowhere/b.db' },
  'log import': { '--to': 'file:///nowhere/b.db' },
  'alerts mail': { state: 'on' },
  'orbit retire-station': { id: '1' },
  'team invite': { '--role': 'developer' },
  'traces replay': { '--from': '1' },
  'placement release': { id: '1' },
  'workflows show': { id: '1' },
  'workflows version': { id: '1' },
};

/** Words of commands that need one of several options. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  'deadletters retry': ['--all'],
  'energy recompute': ['--request', UUID],
  'projections rebuild': ['users'],
};

const commandsOf = (
  parent: Command,
  before: readonly string[] = [],
): (readonly [string, Command])[] =>
  parent.commands.flatMap((one) => {
    const words = [...before, one.name()];
    return one.commands.length > 0 ? commandsOf(one, words) : [[words.join(' '), one] as const];
  });

describe('every command', () => {
  let home: string;
  let environment: NodeJS.ProcessEnv;
  let commands: (readonly [string, Command])[];

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-commands-'));
    await writeFile(path.join(home, 'file'), 'knots');
    environment = { QUIPU_HOME: home, QUIPU_LOG_LEVEL: 'silent' };
    const user = ['--username', 'demo', '--email', 'demo@example.org', '--role', 'Admin'];
    expect((await runCommand(environment, ['user', 'create', ...user])).exitCode).toBe(0);
    commands = commandsOf(await createProgram(() => Promise.resolve()));
  });

  afterAll(() => rm(home, { recursive: true, force: true }));

  const wordsOf = (name: string, command: Command): readonly string[] => {
    const values = { ...valuesIn(home), ...OF_COMMAND[name] };
    const ofOption = ({ long, mandatory }: Option): readonly string[] =>
      mandatory && long != null ? [long, values[long] ?? 'knots'] : [];
    const ofArgument = (argument: Argument): readonly string[] =>
      argument.required ? [values[argument.name()] ?? UUID] : [];
    const asks = command.options.some(({ long }) => long === '--yes');
    return [
      ...name.split(' '),
      ...command.options.flatMap(ofOption),
      ...(asks ? ['--yes'] : []),
      ...command.registeredArguments.flatMap(ofArgument),
      ...(MORE[name] ?? []),
    ];
  };

  it('is in the table of outcomes', () => {
    expect(commands.map(([name]) => name).sort()).toEqual(Object.keys(OUTCOMES).sort());
  });

  it.each(Object.entries(OUTCOMES))(
    'prints JSON with --json, and ends with its exit code: %s',
    async (name, outcome) => {
      const [, command] = commands.find(([one]) => one === name) ?? [];
      const words = command ? wordsOf(name, command) : [];
      const ended = await runCommand(environment, [...words, '--json']);
      expect(outcomeOf(ended)).toBe(outcome);
    },
  );

  it('that cannot be undone needs --yes without a terminal, before it does anything', async () => {
    const asking = commands.filter(([, { options }]) =>
      options.some(({ long }) => long === '--yes'),
    );
    const outcomes = await Promise.all(
      asking.map(async ([name, command]) => {
        const words = wordsOf(name, command).filter((word) => word !== '--yes');
        return [name, outcomeOf(await runCommand(environment, [...words, '--json']))];
      }),
    );
    // The confirmation of `prices propose` shows the prices of its list, which this one lacks.
    const first = { 'prices propose': '2 bad_price_list' } as Record<string, string>;
    expect(outcomes).toEqual(asking.map(([name]) => [name, first[name] ?? '2 usage']));
  });

  it('without its options ends with the exit code for bad usage, and says so in JSON', async () => {
    for (const [name] of commands) {
      const ended = await runCommand(environment, [
        ...name.split(' '),
        '--json',
        '--no-such-option',
      ]);
      expect([name, outcomeOf(ended)]).toEqual([name, '2 usage']);
    }
  });
});

/** The exit code and the code of the JSON; `0` alone is a success. */
const outcomeOf = ({
  exitCode,
  stdout,
  stderr,
}: Awaited<ReturnType<typeof runCommand>>): string => {
  const isResult = stdout !== '';
  const lines = (isResult ? stdout : stderr).trimEnd().split('\n');
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const { success, code } = parsed.at(-1) ?? {};
  if (exitCode === 0) {
    expect(stderr).toBe('');
    return '0';
  }
  expect([success, typeof code]).toEqual([false, 'string']);
  return `${exitCode} ${String(code)}`;
};
