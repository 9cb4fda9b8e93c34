import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import {
  type CertifiedModel,
  type MeasuringProblem,
  type RigMeasurements,
} from '#events/rigs/rig.events.js';
import { type CertificationProgress } from '#events/rigs/rig.job.js';
import {
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type CertificationInput, type MeasuredFacts } from './certification-facts.js';
import { type MeasuredRig, MeasuredRigs, RigProblem } from './measured-rigs.port.js';
import { CONCURRENT_STREAMS, FIRST_TOKEN_SAMPLES, RigMeasuring } from './rig-measuring.js';

/** With fractions of a millisecond: it times answers. */
export const STOPWATCH = Symbol('Stopwatch');

type Quantity = MeasuringProblem['quantity'];
type Step = Progress<CertificationProgress, null>;

/** The codes of failures are in the retry policy of the job. */
class RigUnknownError extends Error {
  override readonly name = 'RigUnknownError';
  readonly code = 'rig_unknown';
}

/** The figures would be of two rigs. Another attempt measures the one that is there now. */
class RigChangedError extends Error {
  override readonly name = 'RigChangedError';
  readonly code = 'rig_changed';
}

const QUANTITIES = 5;

/**
 * Measures a rig, one quantity after the other. What the rig does not allow to measure stays null,
 * with the reason. Another attempt measures everything again: figures of one time belong together.
 */
@Injectable()
export class CertificationRunner implements JobRunner<
  CertificationInput,
  CertificationProgress,
  null,
  MeasuredFacts
> {
  constructor(
    private readonly rigs: MeasuredRigs,
    @Inject(STOPWATCH) private readonly stopwatch: Clock,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async *run(
    { input }: JobAttempt<CertificationInput, null>,
    signal: AbortSignal,
  ): AsyncGenerator<Step, Finished<MeasuredFacts>, void> {
    const rig = await this.rigs.find(input.rig);
    if (!rig) throw new RigUnknownError(`there is no rig ${input.rig}`);
    const problems: MeasuringProblem[] = [];
    const attempt = async <Value>(
      quantity: Quantity,
      measure: () => Promise<Value>,
    ): Promise<Value | null> => {
      try {
        return await measure();
      } catch (error) {
        if (signal.aborted || !(error instanceof RigProblem)) throw error;
        problems.push({ quantity, message: error.message.slice(0, 500) });
        return null;
      }
    };
    const models = await this.#models(rig, attempt, signal);
    yield stepOf(rig, 1);
    const model = rig.models.find((_, index) => models[index]?.isListed !== false);
    const measuring = model
      ? new RigMeasuring(this.rigs, rig.name, model, this.stopwatch, signal)
      : null;
    const measurements = yield* measured(rig, measuring, attempt);
    await this.#rejectChanged(rig);
    const result = {
      rig: rig.name,
      kind: rig.kind,
      description: rig.description,
      models: [...models],
      measuredModel: model?.id ?? null,
      measurements,
      problems,
      measuredAt: instant(this.clock),
    };
    return { result, shown: stepOf(rig, QUANTITIES).shown, usage: [] };
  }

  /** A worker that is lost, drained or started on another machine meanwhile is not certified. */
  async #rejectChanged({ name, description }: MeasuredRig): Promise<void> {
    if (description === null) return;
    const now = await this.rigs.find(name);
    if (isDeepStrictEqual(now?.description, description)) return;
    throw new RigChangedError(`rig ${name} is another one than before the measurement`);
  }

  async #models(
    rig: MeasuredRig,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<readonly CertifiedModel[]> {
    const listed = await attempt('models', () => this.rigs.listedModels(rig.name, signal));
    return rig.models.map(({ id }) => ({ id, isListed: listed && listed.has(id) }));
  }
}

/** The value, or null for a quantity that the rig does not allow to measure. */
type Attempt = <Value>(quantity: Quantity, measure: () => Promise<Value>) => Promise<Value | null>;

/** The first question also loads the model, so that no figure includes that. */
async function* measured(
  rig: MeasuredRig,
  measuring: RigMeasuring | null,
  attempt: Attempt,
): AsyncGenerator<Step, RigMeasurements, void> {
  const ask = async <Value>(
    quantity: Quantity,
    measure: (by: RigMeasuring) => Promise<Value>,
  ): Promise<Value | null> =>
    attempt(quantity, () => {
      if (!measuring) throw new RigProblem('the rig has no model to ask');
      return measure(measuring);
    });
  const isAnswerConsistent = await ask('answer', (by) => by.isAnswerConsistent());
  yield stepOf(rig, 2);
  const firstTokenMs = await ask('first_token', (by) => by.firstTokenMs());
  yield stepOf(rig, 3);
  const tokensPerSecond = await ask('tokens_per_second', (by) => by.tokensPerSecond(1));
  yield stepOf(rig, 4);
  const streams = Math.min(rig.streamsMax, CONCURRENT_STREAMS);
  const tokensPerSecondConcurrent = await ask('tokens_per_second_concurrent', (by) => {
    if (streams < 2) throw new RigProblem('the rig has no second slot for streams of low priority');
    return by.tokensPerSecond(streams);
  });
  return {
    firstTokenMs,
    firstTokenSamples: firstTokenMs === null ? 0 : FIRST_TOKEN_SAMPLES,
    tokensPerSecond,
    concurrentStreams: tokensPerSecondConcurrent === null ? null : streams,
    tokensPerSecondConcurrent,
    isAnswerConsistent,
  };
}

const stepOf = ({ name: rig }: MeasuredRig, quantities: number): Step => ({
  done: quantities,
  total: QUANTITIES,
  shown: { rig, quantities },
  checkpoint: null,
  usage: [],
});
