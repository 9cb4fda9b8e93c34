import { z } from 'zod';

/** How long and how an attack runs. `main.ts` sets the variables; this is where they are read. */
const Options = z.object({
  /** Fuzzed requests for each operation; bad credentials are few, and are all sent. */
  ATTACK_RUNS: z.coerce.number().int().min(1).max(1_000_000).default(20),
  /** Repeats the requests of an earlier run. */
  ATTACK_SEED: z.coerce.number().int().optional(),
});

const { ATTACK_RUNS, ATTACK_SEED } = Options.parse(process.env);

export const RUNS = ATTACK_RUNS;

/** Parameters of fast-check. Without a seed it draws one, and prints it with a failure. */
export const PARAMETERS = {
  numRuns: RUNS,
  ...(ATTACK_SEED !== undefined && { seed: ATTACK_SEED }),
} as const;

/** The time limit of the walk over all operations; one slow log-in takes 200 ms. */
export const WALK_MS_MAX = 120_000 + RUNS * 10_000;
