import { setTimeout as sleep } from 'node:timers/promises';
import { type RentalExit } from '#events/rentals/rental.job.js';
import { Cgroup } from './cgroup.js';
import { type Child, exitWithin, signalGroup, startChild } from './child-program.js';
import { isRunning, readState, recordOf, removeState, writeState } from './process-record.js';
import {
  ownVariables,
  type RentalEngine,
  RentalFailure,
  type RentalProgram,
  type RunningProgram,
} from './rental-engine.js';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Enters the cgroup, then becomes the program. */
const ENTER = 'echo $$ > "$0" && exec "$@"';
const GONE_POLLS = 100;
const GONE_POLL_MS = 20;

/**
 * Runs programs as processes of this machine, in a session of their own, with the rights of the
 * service. Limits hold where a cgroup v2 folder is delegated to the service.
 */
export class ProcessEngine implements RentalEngine {
  readonly kind = 'process';

  /** @param cgroupFolder where the cgroups of rentals are created; null: programs have no limits */
  constructor(private readonly cgroupFolder: string | null) {}

  async start(program: RentalProgram): Promise<RunningProgram> {
    if (program.image !== null) {
      const message = 'rentals run as processes here: leave the image out';
      throw new RentalFailure('rental_image_unsupported', message);
    }
    const cgroup = await this.#enter(program);
    const child = await this.#spawn(program, cgroup);
    const [record, owner] = await Promise.all([recordOf(child.pid), recordOf(process.pid)]);
    // A program that has ended by now leaves nothing to find again.
    if (record && owner) await writeState(program.stateFile, { program: record, owner });
    let isOver = false;
    const exited = child.exited.then(async (exit) => {
      // From now on its id may belong to another process.
      isOver = true;
      await endGroup(child.pid, cgroup);
      await removeState(program.stateFile);
      return exit;
    });
    const stop = async (graceMs: number): Promise<RentalExit> => {
      if (isOver) return exited;
      signalGroup(child.pid, 'SIGTERM');
      if (!(await exitWithin(exited, graceMs))) await endGroup(child.pid, cgroup);
      return exited;
    };
    return { isLimited: cgroup !== null, exited, stop };
  }

  async reap(rentalId: string, stateFile: string): Promise<void> {
    const state = await readState(stateFile);
    if (!state) return;
    const cgroup = this.#cgroupOf(rentalId);
    if (await isRunning(state.program)) await endGroup(state.program.pid, cgroup);
    else await cgroup?.kill();
    await cgroup?.remove();
    await removeState(stateFile);
  }

  #cgroupOf(rentalId: string): Cgroup | null {
    return this.cgroupFolder === null ? null : new Cgroup(this.cgroupFolder, rentalId);
  }

  async #enter({ rentalId, limits }: RentalProgram): Promise<Cgroup | null> {
    const cgroup = this.#cgroupOf(rentalId);
    try {
      await cgroup?.create(limits);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `the cgroup of the rental cannot be made: ${reason}`;
      throw new RentalFailure('rental_not_started', message);
    }
    return cgroup;
  }

  #spawn(program: RentalProgram, cgroup: Cgroup | null): Promise<Child> {
    const [name, ...words] = program.command;
    const { workspace: folder, environment: chosen, onOutput } = program;
    const environment = {
      ...{ PATH, HOME: folder, LANG: 'C.UTF-8' },
      ...chosen,
      ...ownVariables(program),
    };
    const options = { folder, environment, onOutput };
    if (!cgroup) return startChild({ ...options, command: name, words });
    const entered = ['-c', ENTER, cgroup.processesFile, name, ...words];
    return startChild({ ...options, command: '/bin/sh', words: entered });
  }
}

/** Ends the program and what it has started; resolves when the group is gone. */
const endGroup = async (pid: number, cgroup: Cgroup | null): Promise<void> => {
  signalGroup(pid, 'SIGKILL');
  await cgroup?.kill();
  for (let poll = 1; poll <= GONE_POLLS && signalGroup(pid, 0); poll += 1) {
    await sleep(GONE_POLL_MS);
  }
  await cgroup?.remove();
};
