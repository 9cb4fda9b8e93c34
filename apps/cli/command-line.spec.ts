import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { CommandFailure, failureOf } from './command-failure.js';
import { runCommandLine } from './command-line.js';
import { EXIT } from './exit-code.js';

const run = async (words: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  const { signal } = new AbortController();
  const invocation = { environment, stdin, stdout, stderr, signal };
  const exitCode = await runCommandLine(words, invocation);
  const textOf = (stream: PassThrough): string => String(stream.read() ?? '');
  return { exitCode, stdout: textOf(stdout), stderr: textOf(stderr) };
};

describe('running a command line', () => {
  it('prints help and the version as results', async () => {
    const help = await run(['--help']);
    expect(help).toMatchObject({ exitCode: EXIT.done, stderr: '' });
    expect(help.stdout).toContain('Usage: quipu');
    expect(await run(['--version'])).toMatchObject({ exitCode: EXIT.done, stderr: '' });
  });

  it('prints an error as a sentence', async () => {
    const { exitCode, stdout, stderr } = await run(['events', 'tail', '--limit', 'none']);
    expect({ exitCode, stdout }).toEqual({ exitCode: EXIT.usage, stdout: '' });
    expect(stderr).toContain(
      "error: option '--limit <count>' argument 'none' is invalid. Expected a whole number",
    );
  });

  it('prints an error as JSON', async () => {
    const { exitCode, stdout, stderr } = await run(['key', 'rotate', '--json']);
    expect({ exitCode, stdout }).toEqual({ exitCode: EXIT.usage, stdout: '' });
    const message = "required option '--user <name>' not specified";
    expect(JSON.parse(stderr)).toEqual({ success: false, code: 'usage', message });
  });

  it('asks for a missing command', async () => {
    const { exitCode, stderr } = await run(['user']);
    expect(exitCode).toBe(EXIT.usage);
    expect(stderr).toContain('Usage: quipu user');
    expect(JSON.parse((await run(['user', '--json'])).stderr)).toMatchObject({ code: 'usage' });
  });

  it('names a bad setting', async () => {
    const words = ['events', 'tail', '--json'];
    const { exitCode, stderr } = await run(words, { PORT: 'eighty' });
    expect(exitCode).toBe(EXIT.usage);
    expect(JSON.parse(stderr)).toMatchObject({
      success: false,
      code: 'bad_settings',
      message: expect.stringContaining('PORT'),
    });
  });

  it('does not create an installation', async () => {
    const words = ['events', 'tail', '--json'];
    const { exitCode, stderr } = await run(words, { QUIPU_HOME: '/nowhere/at-all' });
    expect(exitCode).toBe(EXIT.usage);
    expect(JSON.parse(stderr)).toEqual({
      success: false,
      code: 'no_installation',
      message:
        'there is no event log at /nowhere/at-all/events.db; set QUIPU_HOME to an installation',
    });
  });

  it('lists no dead letters without a shared bus', async () => {
    const words = ['deadletters', 'list', '--topic', 'tasks', '--group', 'workers', '--json'];
    const { exitCode, stderr } = await run(words);
    expect(exitCode).toBe(EXIT.usage);
    expect(JSON.parse(stderr)).toMatchObject({ success: false, code: 'no_shared_bus' });
  });

  it.each([[[]], [['--all', '00000000-0000-4000-8000-000000000001']]])(
    'retries dead letters by name or all of them: %j',
    async (which) => {
      const words = ['deadletters', 'retry', '--topic', 'tasks', '--group', 'workers', ...which];
      const { exitCode, stderr } = await run(words, { QUIPU_BUS: 'kafka://127.0.0.1:1' });
      expect(exitCode).toBe(EXIT.usage);
      expect(stderr).toBe('error: give either ids or --all\n');
    },
  );
});

describe('the failure of an error', () => {
  it('keeps the code and the detail of a domain error', () => {
    const failure = failureOf(new DomainError('username_taken', 'the username is taken'));
    expect(failure).toMatchObject({
      code: 'username_taken',
      message: 'the username is taken',
      exitCode: EXIT.failed,
    });
  });

  it('keeps an unexpected error as the cause', () => {
    const cause = new Error('the disk is gone');
    expect(failureOf(cause)).toMatchObject({
      code: 'internal_error',
      message: 'the disk is gone',
      exitCode: EXIT.failed,
      cause,
    });
  });

  it('is kept if it is a CommandFailure', () => {
    const failure = new CommandFailure('not_confirmed', 'not confirmed');
    expect(failureOf(failure)).toBe(failure);
  });
});
