import { type RentalExit, type RentalProgress } from '#events/rentals/rental.job.js';
import { type RentalLimits } from '../rentals.settings.js';

/** A program that an engine starts. */
export interface RentalProgram {
  readonly rentalId: string;
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** Null: the program runs without one, or in the default one. */
  readonly image: string | null;
  readonly firstPort: number;
  readonly lastPort: number;
  readonly limits: RentalLimits;
  /** Absolute: the working folder of the program. */
  readonly workspace: string;
  /** Absolute: where the engine may keep what it needs to find the program again. */
  readonly stateFile: string;
  /** Receives what the program writes. */
  readonly onOutput: (piece: Buffer) => void;
}

/** A program that was started. */
export interface RunningProgram {
  readonly isLimited: boolean;
  /** Never rejects. */
  readonly exited: Promise<RentalExit>;
  /** Asks it to end, and ends it with everything it has started when the time is over. */
  readonly stop: (graceMs: number) => Promise<RentalExit>;
}

/** Runs the programs of rentals. */
export interface RentalEngine {
  readonly kind: RentalProgress['engine'];

  /** @throws RentalFailure */
  start(program: RentalProgram): Promise<RunningProgram>;

  /** Ends a program that an earlier process has left; nothing where there is none. */
  reap(rentalId: string, stateFile: string): Promise<void>;
}

/** The codes are in the retry policy of the job. */
export class RentalFailure extends Error {
  override readonly name = 'RentalFailure';

  constructor(
    readonly code: 'rental_engine_missing' | 'rental_image_unsupported' | 'rental_not_started',
    message: string,
  ) {
    super(message);
  }
}

/** The variables that Quipu sets for every program. */
export const ownVariables = ({
  rentalId,
  firstPort,
  lastPort,
}: RentalProgram): Readonly<Record<string, string>> => ({
  QUIPU_RENTAL_ID: rentalId,
  QUIPU_FIRST_PORT: String(firstPort),
  QUIPU_LAST_PORT: String(lastPort),
});
