import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type RentalExit } from '#events/rentals/rental.job.js';
import { type RentalEngine, type RentalProgram } from '../engines/rental-engine.js';
import { RentalFolders } from './rental-folders.js';
import { RentalRunner } from './rental-runner.js';

const RENTAL = '019aa7d0-7a3b-7c5d-8e9f-0a1b2c3d4e5f';

/** A program that ends when the spec says so. */
class ScriptedEngine implements RentalEngine {
  readonly kind = 'process';
  readonly story: string[] = [];
  readonly #exit = Promise.withResolvers<RentalExit>();
  readonly #started = Promise.withResolvers<null>();

  start(program: RentalProgram) {
    this.story.push(`start ${program.command.join(' ')} in ${path.basename(program.workspace)}`);
    program.onOutput(Buffer.from('output\n'));
    const stop = (graceMs: number): Promise<RentalExit> => {
      this.story.push(`stop within ${graceMs}`);
      this.end({ exitCode: null, signal: 'SIGTERM' });
      return this.#exit.promise;
    };
    this.#started.resolve(null);
    return Promise.resolve({ isLimited: true, exited: this.#exit.promise, stop });
  }

  reap(rentalId: string): Promise<void> {
    this.story.push(`reap ${rentalId}`);
    return Promise.resolve();
  }

  /** Resolves when the runner follows the program. */
  async followed(): Promise<void> {
    await this.#started.promise;
    await new Promise((resolve) => setImmediate(resolve));
  }

  end(exit: RentalExit): void {
    this.#exit.resolve(exit);
  }
}

describe('the runner of a rental', () => {
  let folder: string;
  let engine: ScriptedEngine;
  let status: string;
  const clock = { nowMs: 0, now: () => clock.nowMs };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'rental-runner-'));
    engine = new ScriptedEngine();
    status = 'running';
    clock.nowMs = 1_000_000;
  });

  afterEach(() => rm(folder, { recursive: true }));

  const attempt = (seconds: number) => ({
    jobId: RENTAL,
    accountId: '7',
    submittedAt: '2026-11-22T15:00:00.000Z',
    attempt: 1,
    checkpoint: null,
    usage: seconds === 0 ? [] : [{ meter: 'seconds', quantity: seconds }],
    input: {
      number: 1,
      rig: 'rack',
      environment: {},
      image: null,
      command: ['sleep', '9'] as [string, ...string[]],
      firstPort: 20_000,
      lastPort: 20_099,
    },
  });
  const run = (signal: AbortSignal, seconds = 0) => {
    const folders = new RentalFolders({ folder });
    const streams = { stateOf: () => Promise.resolve({ status }) };
    const limits = { memoryBytes: 1, cpus: 1, processes: 1 };
    const settings = { limits, graceMs: 2_500 };
    const engines = { pick: () => Promise.resolve(engine) };
    const runner = new RentalRunner(engines as never, folders, streams as never, settings, clock);
    return runner.run(attempt(seconds), signal);
  };
  const log = () => readFile(path.join(folder, 'by-id', RENTAL, 'output.log'), 'utf8');
  const never = new AbortController().signal;

  it('ends what an earlier attempt has left, then runs the program to its end', async () => {
    const steps = run(never);
    const next = steps.next();
    await engine.followed();
    clock.nowMs += 1_001;
    engine.end({ exitCode: 3, signal: null });
    expect(await next).toEqual({
      done: true,
      value: {
        result: { exitCode: 3, signal: null },
        shown: { exitCode: 3, signal: null },
        usage: [{ meter: 'seconds', quantity: 2 }],
      },
    });
    expect(engine.story.slice(0, 2)).toEqual([`reap ${RENTAL}`, 'start sleep 9 in workspace']);
    expect(await log()).toMatch(
      /attempt 1 starts.*\noutput\n\[quipu\] the program ended: exit code 3/,
    );
  });

  it.each([
    ['paused', 'because the account is out of funds'],
    ['cancelling', 'as it was asked to'],
    ['running', 'because its host stops, or its time is over'],
  ])('stops the program with notice when the job is %s, and counts its time', async (now, why) => {
    const stop = new AbortController();
    const steps = run(stop.signal, 40);
    const next = steps.next();
    await engine.followed();
    status = now;
    clock.nowMs += 5_000;
    stop.abort(new Error('stopped'));
    const shown = { seconds: 45, engine: 'process', isLimited: true };
    const usage = [{ meter: 'seconds', quantity: 45 }];
    expect(await next).toEqual({
      done: false,
      value: { done: 45, total: null, shown, checkpoint: null, usage },
    });
    await expect(steps.next()).rejects.toThrow('stopped');
    expect(engine.story).toContain('stop within 2500');
    expect(await log()).toContain(`[quipu] the rental stops ${why}\n`);
  });

  it('leaves no program behind when the host gives it up', async () => {
    const stop = new AbortController();
    const steps = run(stop.signal);
    const next = steps.next();
    await engine.followed();
    stop.abort(new Error('stopped'));
    await next;
    await steps.return(null as never);
    expect(engine.story.at(-1)).toBe('stop within 0');
  });
});
