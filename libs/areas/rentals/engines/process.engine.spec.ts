import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProcessEngine } from './process.engine.js';
import { recordOf, writeState } from './process-record.js';
import { rentalEngineContract } from './rental-engine.contract.js';

rentalEngineContract('process', () => Promise.resolve(new ProcessEngine(null)));

describe('a rental in a process', () => {
  let folder: string;
  let output: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'rental-process-'));
    output = '';
  });

  afterEach(() => rm(folder, { recursive: true }));

  const programOf = (...command: readonly [string, ...string[]]) => ({
    rentalId: 'r1',
    command,
    environment: {},
    image: null,
    firstPort: 20_000,
    lastPort: 20_099,
    limits: { memoryBytes: 67_108_864, cpus: 2, processes: 64 },
    workspace: folder,
    stateFile: path.join(folder, 'program.json'),
    onOutput: (piece: Buffer) => void (output += piece.toString()),
  });

  it('is not started with an image', async () => {
    const program = { ...programOf('true'), image: 'debian' };
    const starting = new ProcessEngine(null).start(program);
    await expect(starting).rejects.toMatchObject({ code: 'rental_image_unsupported' });
  });

  it('is not started where there is no such program', async () => {
    const starting = new ProcessEngine(null).start(programOf('/no/such/program'));
    await expect(starting).rejects.toMatchObject({ code: 'rental_not_started' });
  });

  // A folder replaces the delegated cgroup: the kernel's use of the files is not tested.
  it('enters a cgroup with its limits before the program begins', async () => {
    const cgroups = path.join(folder, 'cgroups');
    await mkdir(cgroups);
    const engine = new ProcessEngine(cgroups);
    const { exited, isLimited } = await engine.start(
      programOf('/bin/sh', '-c', 'echo "$$ $0"', 'x'),
    );
    expect(isLimited).toBe(true);
    await exited;
    const own = path.join(cgroups, 'rental-r1');
    const written = Object.fromEntries(
      await Promise.all(
        (await readdir(own)).map(async (name) => [
          name,
          (await readFile(path.join(own, name), 'utf8')).trim(),
        ]),
      ),
    ) as Record<string, string>;
    expect(written).toEqual({
      'cgroup.kill': '1',
      'cgroup.procs': output.split(' ')[0],
      'cpu.max': '200000 100000',
      'memory.max': '67108864',
      'memory.swap.max': '0',
      'pids.max': '64',
    });
  });

  it('is not started where its cgroup cannot be made', async () => {
    const engine = new ProcessEngine(path.join(folder, 'program.txt'));
    await writeFile(path.join(folder, 'program.txt'), '');
    const starting = engine.start(programOf('true'));
    await expect(starting).rejects.toMatchObject({ code: 'rental_not_started' });
  });

  it('is not taken for a later process with its id', async () => {
    const own = await recordOf(process.pid);
    const stateFile = path.join(folder, 'program.json');
    const other = { pid: process.pid, startTicks: '1' };
    await writeState(stateFile, { program: other, owner: own ?? other });
    await new ProcessEngine(null).reap('r1', stateFile);
    expect(await readdir(folder)).toEqual([]);
  });
});
