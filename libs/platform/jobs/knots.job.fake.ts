import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineEngine } from '#platform/tasks/engine.js';
import { type AnyAttempt, type HostedType } from './hosted-type.js';
import { type AnyJobType, type Finished, type Progress } from './job-type.js';

export const KnotsInput = z.strictObject({
  knots: z.int().positive(),
  /** Before each knot; 0 for none. */
  pauseMs: z.int().nonnegative(),
  /** The attempt throws an error with this code behind the last knot, unless it is empty. */
  failsWith: z.string(),
});
export type KnotsInput = z.infer<typeof KnotsInput>;

const Tied = z.strictObject({ tied: z.int().nonnegative() });

/** The actions of all fake hosts. */
export class KnotsLog {
  /** Job, attempt and the first knot that the attempt tied. */
  readonly attempts: string[] = [];
  /** Every knot that was tied, a knot that was tied twice included. */
  readonly knots: string[] = [];
  running = 0;
  runningMost = 0;
}

/** A job that ties knots one by one and continues behind the last knot of its checkpoint. */
export const knotsType = (changes: Partial<AnyJobType> = {}): AnyJobType => ({
  name: 'knots',
  title: 'Knots',
  input: KnotsInput,
  progress: Tied,
  checkpoint: Tied,
  result: z.strictObject({ knots: z.int() }),
  place: { on: 'areas', runner: KnotsRunner },
  limits: {
    openPerAccountMax: 10_000,
    runningPerAccountMax: 100,
    runningPerHostMax: 4,
    queueMsMax: 3_600_000,
    runMsMax: 3_600_000,
  },
  retry: {
    attemptsMax: 3,
    backOff: { firstMs: 10, maxMs: 40 },
    failures: { snapped: 'retry', too_thick: 'final' },
  },
  price: null,
  ...changes,
});

/** Where a type runs whose hosts have no stores. The engine is never opened. */
export const onEngine: AnyJobType['place'] = {
  on: 'engine',
  engine: defineEngine<AnyAttempt, Progress, Finished<unknown>>({
    name: 'knots',
    input: z.custom<AnyAttempt>(),
    piece: z.custom<Progress>(),
    end: z.custom<Finished<unknown>>(),
    tasksMax: { worker: 4, inProcess: 4 },
    failures: { no_rope: 'elsewhere', cut: 'final' },
    canRunHere: () => Promise.resolve(null),
    open: () => Promise.reject(new Error('it is a fake')),
  }),
};

/** Never injected: the hosts of specs run `runKnots`. */
class KnotsRunner {
  run = runKnots;
  readonly log = new KnotsLog();
}

export const knotsHosted = (log: KnotsLog, type: AnyJobType = knotsType()): HostedType => ({
  type,
  free: () => type.limits.runningPerHostMax,
  run: (attempt, signal) => runKnots.call({ log }, attempt, signal),
});

async function* runKnots(
  this: { readonly log: KnotsLog },
  attempt: AnyAttempt,
  signal: AbortSignal,
): AsyncGenerator<Progress, Finished<unknown>> {
  const { log } = this;
  const { knots, pauseMs, failsWith } = KnotsInput.parse(attempt.input);
  let { tied } = Tied.parse(attempt.checkpoint ?? { tied: 0 });
  log.attempts.push(`${attempt.jobId}.${attempt.attempt} from ${tied}`);
  log.running += 1;
  log.runningMost = Math.max(log.runningMost, log.running);
  try {
    while (tied < knots) {
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
      signal.throwIfAborted();
      tied += 1;
      log.knots.push(`${attempt.jobId} ${tied}`);
      yield {
        done: tied,
        total: knots,
        shown: { tied },
        checkpoint: { tied },
        usage: usedOf(tied),
      };
    }
    if (failsWith !== '') throw Object.assign(new Error('the rope'), { code: failsWith });
    return { result: { knots: tied }, shown: { tied }, usage: usedOf(tied) };
  } finally {
    log.running -= 1;
  }
}

const usedOf = (tied: number) => [{ meter: 'knots', quantity: tied }];
