import path from 'node:path';
import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

/** The engine of the programs of rentals. */
export type EngineChoice = 'auto' | 'docker' | 'podman' | 'process';

export interface RentalSettings {
  /** Absolute: a folder for each rental, and the files that are being received. */
  readonly folder: string;
  readonly engine: EngineChoice;
  /** Of a rental in a container that names none. */
  readonly image: string;
  readonly ports: PortRange;
  readonly limits: RentalLimits;
  /** A cgroup v2 folder that this process may write to, for rentals in processes; null: none. */
  readonly cgroup: string | null;
  /** Between the request to stop and the end of the program. */
  readonly graceMs: number;
  /** How long the workspace of an ended rental is kept. */
  readonly keptMs: number;
  /** The largest synced file. */
  readonly fileBytesMax: number;
}

/** Both included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Of one rental. */
export interface RentalLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly processes: number;
}

export const RENTAL_SETTINGS = Symbol('RentalSettings');

const MIB = 1_024 ** 2;
const PORT_MAX = 65_535;

const Ports = z
  .string()
  .regex(/^\d{1,5}-\d{1,5}$/, 'expected two ports, such as 20000-29999')
  .transform((text): PortRange => {
    const [first = 0, last = 0] = text.split('-').map(Number);
    return { first, last };
  })
  .refine(
    ({ first, last }) => first >= 1_024 && last <= PORT_MAX && last - first >= 99,
    'expected at least 100 ports from 1024 to 65535',
  );

export const rentalSettings = defineSettings({
  token: RENTAL_SETTINGS,
  variables: {
    QUIPU_RENTALS: variable(
      z.string().min(1).optional(),
      'the folder of workspaces; gateways and the processes that run rentals share it',
      '`<QUIPU_HOME>/rentals`',
    ),
    QUIPU_RENTAL_ENGINE: variable(
      z.enum(['auto', 'docker', 'podman', 'process']).default('auto'),
      'what runs rentals: `auto` takes docker or podman; `process` runs programs with the rights ' +
        'of the service, for trusted renters only',
    ),
    QUIPU_RENTAL_IMAGE: variable(
      z.string().min(1).default('debian:stable-slim'),
      'the image of a container whose order names none',
    ),
    QUIPU_RENTAL_PORTS: variable(
      Ports.default({ first: 20_000, last: 29_999 }),
      'the ports of which each rental gets 100, as first-last',
      '`20000-29999`',
    ),
    QUIPU_RENTAL_MEMORY_MIB: variable(
      wholeNumber(16, 16_777_216).default(2_048),
      'the memory of a rental',
    ),
    QUIPU_RENTAL_CPUS: variable(wholeNumber(1, 1_024).default(1), 'the CPUs of a rental'),
    QUIPU_RENTAL_PROCESSES: variable(
      wholeNumber(1, 100_000).default(512),
      'the processes and threads of a rental',
    ),
    QUIPU_RENTAL_CGROUP: variable(
      z.string().startsWith('/').optional(),
      'a cgroup v2 folder that is delegated to the service, for the limits of rentals in ' +
        'processes; without it they have none',
    ),
    QUIPU_RENTAL_GRACE_SECONDS: variable(
      wholeNumber(0, 25).default(5),
      'how long a program has to end by itself when its rental stops',
    ),
    QUIPU_RENTAL_KEEP_HOURS: variable(
      wholeNumber(0, 8_760).default(24),
      'how long the workspace of an ended rental is kept',
    ),
    QUIPU_RENTAL_FILE_MIB_MAX: variable(
      wholeNumber(1, 65_536).default(1_024),
      'the largest file of a file sync',
    ),
  },
  read: (values, { home }): RentalSettings => ({
    folder: path.resolve(values.QUIPU_RENTALS ?? path.join(home, 'rentals')),
    engine: values.QUIPU_RENTAL_ENGINE,
    image: values.QUIPU_RENTAL_IMAGE,
    ports: values.QUIPU_RENTAL_PORTS,
    limits: {
      memoryBytes: values.QUIPU_RENTAL_MEMORY_MIB * MIB,
      cpus: values.QUIPU_RENTAL_CPUS,
      processes: values.QUIPU_RENTAL_PROCESSES,
    },
    cgroup: values.QUIPU_RENTAL_CGROUP ?? null,
    graceMs: values.QUIPU_RENTAL_GRACE_SECONDS * 1_000,
    keptMs: values.QUIPU_RENTAL_KEEP_HOURS * 3_600_000,
    fileBytesMax: values.QUIPU_RENTAL_FILE_MIB_MAX * MIB,
  }),
});
