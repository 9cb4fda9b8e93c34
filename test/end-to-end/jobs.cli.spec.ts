import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommandLine } from '#apps/cli/command-line.js';
import { areas, COMMANDS, JobsWorld } from './jobs.harness.js';

describe('jobs on the command line, beside the running server', () => {
  const world = new JobsWorld();
  const { jobOf, isIn, loom, weave } = world;

  beforeAll(() => world.begin());

  afterAll(() => world.end());

  /** Runs a command of the command line beside the server. */
  const quipu = async (
    words: readonly string[],
    { isTTY = false, onOutput }: { isTTY?: boolean; onOutput?: (text: string) => void } = {},
  ) => {
    const texts = { stdout: '', stderr: '' };
    const collect = (name: 'stdout' | 'stderr') => {
      const stream = new PassThrough();
      stream.on('data', (chunk) => {
        texts[name] += String(chunk);
        if (name === 'stdout') onOutput?.(texts.stdout);
      });
      return Object.assign(stream, {
        isTTY,
        columns: 120,
        cursorTo: () => true,
        clearLine: () => true,
      });
    };
    const exitCode = await runCommandLine([...words], {
      environment: world.environment(),
      stdin: Object.assign(new PassThrough(), { isTTY: false }),
      stdout: collect('stdout'),
      stderr: collect('stderr'),
      signal: new AbortController().signal,
      parts: { areas, folders: [COMMANDS] },
    });
    return { exitCode, ...texts };
  };

  const result = async (...words: readonly string[]): Promise<unknown> => {
    const { exitCode, stdout, stderr } = await quipu([...words, '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout) as unknown;
  };

  it('are listed, shown, cancelled and repeated on the command line', async () => {
    const earlier = await weave(1);
    loom().allow(1);
    await isIn(earlier, 'completed');
    const id = await weave(3);
    expect(await result('jobs', 'list', '--user', 'demo', '--limit', '1')).toMatchObject({
      success: true,
      jobs: [{ id, type: 'weaving' }],
      next_after: id,
    });
    expect(await result('jobs', 'cancel', id)).toMatchObject({ success: true, id });
    await isIn(id, 'cancelled');
    expect(await result('jobs', 'show', id)).toMatchObject({ id, state: 'cancelled' });
    const again = (await result('jobs', 'retry', id)) as { readonly id: string };
    expect(again).toMatchObject({ retry_of: id });
    expect(await jobOf(again.id)).toMatchObject({ retry_of: id, summary: { rows: 3 } });
    loom().allow(3);
    await isIn(again.id, 'completed');
    const listed = await quipu(['jobs', 'list', '--user', 'demo', '--state', 'completed']);
    expect(listed.stdout).toMatch(new RegExp(`^${again.id} +weaving +completed +3 of 3`, 'm'));
    const early = await quipu(['jobs', 'show', randomUUID(), '--json']);
    expect(early.exitCode).toBe(1);
    expect(JSON.parse(early.stderr)).toMatchObject({ success: false, code: 'job_not_found' });
  });

  it('are watched on the command line: by lines, and by a bar on a terminal', async () => {
    const id = await weave(2);
    let allowed = 0;
    const weaveOn = (text: string): void => {
      const reported = text.split('JobProgressed').length;
      if (!text.includes('JobStarted') || reported <= allowed) return;
      allowed = reported;
      loom().allow(1);
    };
    const watched = await quipu(['jobs', 'show', id, '--watch'], { onOutput: weaveOn });
    expect(watched.exitCode).toBe(0);
    const progress = /JobProgressed 1 of 2\n.*JobProgressed 2 of 2\n.*JobCompleted\n/;
    expect(watched.stdout).toMatch(progress);
    expect(watched.stdout).toContain(`Job ${id} of account 1: weaving, completed\n`);
    expect(watched.stderr).toBe('');

    const drawn = await quipu(['jobs', 'show', id, '--watch'], { isTTY: true });
    expect(drawn.stderr).toContain(`Job ${id} [`);
    expect(drawn.stdout).not.toContain('JobProgressed');
    const { stdout } = await quipu(['jobs', 'show', id, '--watch', '--json']);
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(types.at(0)).toMatchObject({ revision: '0', type: 'JobSubmitted' });
    expect(types.at(-1)).toMatchObject({ type: 'JobCompleted' });
  });
});
