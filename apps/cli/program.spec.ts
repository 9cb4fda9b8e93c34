import { beforeEach, describe, expect, it } from '@jest/globals';
import { ROLES } from '#events/identity/identity.vocabulary.js';
import { createProgram } from './program.js';

const CREATE = ['user', 'create', '--username', 'ada', '--email', 'ada@example.org'];
const CREDIT = ['account', 'credit', '--user', 'ada', '--reason', 'goodwill'];

describe('the command line', () => {
  let invoked: unknown[];
  let printed: string;

  beforeEach(() => {
    invoked = [];
    printed = '';
  });

  const parse = async (...words: string[]): Promise<unknown> => {
    const print = (text: string): void => void (printed += text);
    const program = await createProgram(
      (options) => {
        invoked.push(options);
        return Promise.resolve();
      },
      { output: { writeOut: print, writeErr: print } },
    );
    await program.parseAsync(words, { from: 'user' });
    return invoked.at(-1);
  };

  it('reads a user', async () => {
    const options = await parse(...CREATE, '--role', 'Admin', '--password', 'secret', '--json');
    expect(options).toEqual({
      username: 'ada',
      email: 'ada@example.org',
      role: 'Admin',
      password: 'secret',
      scopes: ['inference'],
      json: true,
    });
  });

  it('reads a credit with micro-dollars', async () => {
    expect(await parse(...CREDIT, '--usd', '1.000001', '--deposit-id', 'd-1')).toEqual({
      user: 'ada',
      reason: 'goodwill',
      usd: 1_000_001n,
      depositId: 'd-1',
    });
  });

  it('reads a tail', async () => {
    const words = ['--from', '7', '--filter-type', 'Hold', '--follow', '--limit', '3'];
    expect(await parse('events', 'tail', ...words)).toEqual({
      from: 7n,
      filterType: 'Hold',
      follow: true,
      limit: 3,
    });
  });

  it('reads the names of a rebuild', async () => {
    expect(await parse('projections', 'rebuild', 'users', 'invoices')).toEqual({
      names: ['users', 'invoices'],
    });
    expect(await parse('projections', 'rebuild', '--all')).toEqual({ names: [], all: true });
  });

  it('reads what jobs to list, and which one to show', async () => {
    const list = ['jobs', 'list', '--user', 'ada'];
    expect(await parse(...list)).toEqual({ user: 'ada', limit: 20 });
    const words = ['--type', 'batch', '--state', 'timed_out', '--after', 'j-1', '--limit', '5'];
    expect(await parse(...list, ...words)).toEqual({
      user: 'ada',
      type: 'batch',
      state: 'timed_out',
      after: 'j-1',
      limit: 5,
    });
    expect(await parse('jobs', 'show', 'j-1', '--watch')).toEqual({ id: 'j-1', watch: true });
    expect(await parse('jobs', 'cancel', 'j-1', '--json')).toEqual({ id: 'j-1', json: true });
    expect(await parse('jobs', 'retry', 'j-1')).toEqual({ id: 'j-1' });
  });

  it('rotates the API key by default', async () => {
    expect(await parse('key', 'rotate', '--user', 'ada')).toEqual({
      user: 'ada',
      kind: 'api',
      overlap: 0,
    });
    const renter = await parse('key', 'rotate', '--user', 'ada', '--kind', 'renter');
    expect(renter).toEqual({ user: 'ada', kind: 'renter', overlap: 0 });
  });

  it.each([
    ['--role', CREATE],
    ['--usd', CREDIT],
    ['--usd', [...CREDIT, '--usd', '-5']],
    ['--deposit-id', [...CREDIT, '--usd', '5', '--deposit-id', '']],
    ['--reason', ['account', 'credit', '--user', 'ada', '--usd', '5', '--reason', ' ']],
    ['--kind', ['key', 'rotate', '--user', 'ada', '--kind', 'app']],
    ['--from', ['events', 'tail', '--from', 'yesterday']],
    ['--limit', ['events', 'tail', '--limit', '0']],
    ['--filter-type', ['events', 'tail', '--filter-stream', 'a', '--filter-type', 'b']],
    ['--colour', ['ledger', 'check', '--colour']],
    ['--group', ['deadletters', 'list', '--topic', 'tasks']],
    ['--topic', ['deadletters', 'retry', '--group', 'workers', '--all']],
    ['--user', ['jobs', 'list']],
    ['--state', ['jobs', 'list', '--user', 'ada', '--state', 'asleep']],
    ['--limit', ['jobs', 'list', '--user', 'ada', '--limit', '1001']],
    ['id', ['jobs', 'show', '--watch']],
    ['lodger', ['lodger', 'check']],
    ['too many arguments', ['ledger', 'check', 'twice']],
  ])('names the invalid %s', async (named, words) => {
    await expect(parse(...words)).rejects.toThrow();
    expect(printed).toContain(named);
    expect(invoked).toEqual([]);
  });

  it('has help for every command, with the exit codes', async () => {
    const program = await createProgram(() => Promise.resolve());
    const commands = program.commands.flatMap((group) =>
      group.commands.map((command) => [group.name(), command.name()]),
    );
    expect(commands.map((words) => words.join(' '))).toEqual(
      expect.arrayContaining(['user create', 'account credit', 'ledger check', 'events tail']),
    );
    for (const words of commands) {
      printed = '';
      await expect(parse(...words, '--help')).rejects.toThrow('(outputHelp)');
      expect(printed).toContain(`Usage: quipu ${words.join(' ')}`);
      expect(printed).toContain('--json');
      expect(printed).toContain('Exit codes:');
    }
  });

  it('lists every role', async () => {
    await expect(parse('user', 'create', '--help')).rejects.toThrow('(outputHelp)');
    for (const role of ROLES) expect(printed).toContain(role);
  });

  it('has a version', async () => {
    await expect(parse('--version')).rejects.toThrow(/^\d+\.\d+\.\d+$/);
  });
});
