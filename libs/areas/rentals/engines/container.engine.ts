import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type RentalExit } from '#events/rentals/rental.job.js';
import { exitWithin, signalGroup, startChild } from './child-program.js';
import {
  ownVariables,
  type RentalEngine,
  type RentalProgram,
  type RunningProgram,
} from './rental-engine.js';

const run = promisify(execFile);

/** Where the workspace is in the container. */
export const CONTAINER_WORKSPACE = '/workspace';
/** A stop by the engine may take so much longer than its grace. */
const STOP_MARGIN_MS = 10_000;
const COMMAND_MS_MAX = 60_000;

export interface ContainerEngineOptions {
  /** `docker`, `podman`, or the path of a program with their command line. */
  readonly program: string;
  /** For orders that name no image. */
  readonly image: string;
}

/**
 * Runs programs in containers, by the command line that docker and podman share. A container has
 * the workspace, its ports on the same numbers, no privileges and limited resources.
 */
export class ContainerEngine implements RentalEngine {
  readonly kind = 'container';

  constructor(private readonly options: ContainerEngineOptions) {}

  async start(program: RentalProgram): Promise<RunningProgram> {
    const { program: command } = this.options;
    const { workspace: folder, rentalId, onOutput } = program;
    const words = this.#words(program);
    const environment = variablesOfService();
    const child = await startChild({ command, words, folder, environment, onOutput });
    const stop = async (graceMs: number): Promise<RentalExit> => {
      const seconds = String(Math.ceil(graceMs / 1_000));
      const stopping = this.#tell(['stop', '--time', seconds, nameOf(rentalId)]);
      const exit = await exitWithin(child.exited, graceMs + STOP_MARGIN_MS);
      await stopping;
      if (exit) return exit;
      await this.#tell(['rm', '--force', nameOf(rentalId)]);
      signalGroup(child.pid, 'SIGKILL');
      return child.exited;
    };
    return { isLimited: true, exited: child.exited, stop };
  }

  async reap(rentalId: string): Promise<void> {
    await this.#tell(['rm', '--force', nameOf(rentalId)]);
  }

  /** Whether the engine answers. */
  async isPresent(): Promise<boolean> {
    return this.#tell(['info']);
  }

  #words(program: RentalProgram): readonly string[] {
    const { rentalId, image, command, firstPort, lastPort, limits, workspace } = program;
    const ports = `${firstPort}-${lastPort}`;
    const variables = { ...program.environment, ...ownVariables(program) };
    return [
      'run',
      ...['--rm', '--init', '--name', nameOf(rentalId)],
      ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      ...['--memory', `${limits.memoryBytes}b`, '--memory-swap', `${limits.memoryBytes}b`],
      ...['--cpus', String(limits.cpus), '--pids-limit', String(limits.processes)],
      ...['--publish', `${ports}:${ports}`],
      ...['--volume', `${workspace}:${CONTAINER_WORKSPACE}`, '--workdir', CONTAINER_WORKSPACE],
      ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      image ?? this.options.image,
      ...command,
    ];
  }

  /** False where the command fails; what it was about is then gone, or the engine is. */
  async #tell(words: readonly string[]): Promise<boolean> {
    const options = { timeout: COMMAND_MS_MAX, env: variablesOfService() };
    return run(this.options.program, [...words], options).then(
      () => true,
      () => false,
    );
  }
}

const nameOf = (rentalId: string): string => `quipu-rental-${rentalId}`;

/** The engine finds its socket and its configuration by these; the settings of Quipu stay here. */
const variablesOfService = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('QUIPU_') ? [] : [[name, value]],
    ),
  );
