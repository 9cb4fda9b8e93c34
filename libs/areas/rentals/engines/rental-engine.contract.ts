import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type RentalEngine, type RentalProgram } from './rental-engine.js';

const RENTAL = '019aa7d0-7a3b-7c5d-8e9f-0a1b2c3d4e5f';
const POLL_MS = 10;
const POLLS = 1_000;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const until = async (condition: () => boolean): Promise<void> => {
  for (let poll = 0; !condition(); poll += 1) {
    if (poll === POLLS) throw new Error('did not happen');
    await sleep(POLL_MS);
  }
};

/**
 * The contract of every engine with programs; `open` gives one whose programs run on this machine.
 */
export const rentalEngineContract = (
  name: string,
  open: (folder: string) => Promise<RentalEngine>,
): void =>
  describe(`RentalEngine contract: ${name}`, () => {
    let folder: string;
    let engine: RentalEngine;
    let output: string;

    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'rental-engine-'));
      engine = await open(folder);
      output = '';
    });

    afterEach(async () => {
      await engine.reap(RENTAL, path.join(folder, 'program.json'));
      await rm(folder, { recursive: true });
    });

    const programOf = (...command: readonly [string, ...string[]]): RentalProgram => ({
      rentalId: RENTAL,
      command: [...command],
      environment: { GREETING: 'hello  there' },
      image: null,
      firstPort: 20_000,
      lastPort: 20_099,
      limits: { memoryBytes: 2 ** 26, cpus: 1, processes: 64 },
      workspace: folder,
      stateFile: path.join(folder, 'program.json'),
      onOutput: (piece) => (output += piece.toString()),
    });
    const sh = (script: string) => engine.start(programOf('/bin/sh', '-c', script));
    const pidIn = async (): Promise<number> => {
      await until(() => /pid \d+\n/.test(output));
      return Number(/pid (\d+)\n/.exec(output)?.[1]);
    };

    it('runs a program in its workspace, and gives its output and its exit code', async () => {
      await writeFile(path.join(folder, 'input'), 'data');
      const script =
        'cat input > copy; echo "$GREETING $QUIPU_FIRST_PORT-$QUIPU_LAST_PORT"; exit 7';
      const { exited } = await sh(script);
      expect(await exited).toEqual({ exitCode: 7, signal: null });
      expect(output).toBe('hello  there 20000-20099\n');
      expect(await readFile(path.join(folder, 'copy'), 'utf8')).toBe('data');
    });

    it('gives no setting of the service to a program', async () => {
      process.env['QUIPU_SECRET'] = 'of the service';
      try {
        const { exited } = await sh('echo "[$QUIPU_SECRET]"');
        await exited;
      } finally {
        delete process.env['QUIPU_SECRET'];
      }
      expect(output).toBe('[]\n');
    });

    it('asks a program to end, which may tidy up', async () => {
      const { stop } = await sh(
        'trap "echo bye; exit 0" TERM; echo "pid $$"; while :; do sleep 0.05; done',
      );
      await pidIn();
      expect(await stop(10_000)).toEqual({ exitCode: 0, signal: null });
      expect(output).toContain('bye\n');
    });

    it('ends a program that does not, with the processes that it has started', async () => {
      const running = await sh(
        'trap "" TERM; sleep 300 & echo "pid $!"; while :; do sleep 0.05; done',
      );
      const child = await pidIn();
      expect(isAlive(child)).toBe(true);
      await running.stop(50);
      await running.exited;
      await until(() => !isAlive(child));
    });

    it('ends the program that an earlier process has left, and nothing else', async () => {
      const running = await sh('echo "pid $$"; while :; do sleep 0.05; done');
      const pid = await pidIn();
      await engine.reap(RENTAL, path.join(folder, 'program.json'));
      await running.exited;
      expect(isAlive(pid)).toBe(false);
      await engine.reap(RENTAL, path.join(folder, 'program.json'));
    });
  });
