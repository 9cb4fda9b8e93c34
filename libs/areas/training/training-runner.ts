import { Inject, Injectable } from '@nestjs/common';
import { TokenPrice } from '#events/token-price.vocabulary.js';
import { type JobUsage } from '#events/jobs/job.events.js';
import { type TrainingProgress } from '#events/training/training.job.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { AttemptFiles, sha256Of } from '#platform/jobs/attempt-files.js';
import { estimateErrorPct } from '#platform/jobs/estimate-error.js';
import {
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { nameOf } from '#platform/own-models/own-model.decider.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { handOver, type TaskFile } from '#platform/tasks/task-file.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { ResidentModels } from './resident-models.port.js';
import { trainingEngine } from './training.engine.js';
import { TRAINING_METER } from './training.product.js';
import { TRAINING_SETTINGS, type TrainingSettings } from './training.settings.js';
import {
  type TrainingCheckpoint,
  type TrainingEnd,
  type TrainingInput,
  type TrainingResult,
  type TrainingTask,
  type WorkProgress,
} from './training.task.js';

type Attempt = JobAttempt<TrainingInput, TrainingCheckpoint>;
type Report = Progress<TrainingProgress, TrainingCheckpoint>;

/** An error whose code the job declares. */
const failure = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

const NOTHING: TrainingProgress = {
  phase: 'training',
  step: 0,
  loss: null,
  tokens: 0,
  tokensPerSecond: null,
  etaSeconds: null,
  checkpointStep: null,
  heldOut: null,
  model: null,
  measuredMs: 0,
  estimateErrorPct: null,
};

/**
 * Runs one attempt: hands the files to an engine, keeps its checkpoints as blobs, and registers the
 * model that it makes. Their blobs are kept for longer than a job runs.
 */
@Injectable()
export class TrainingRunner implements JobRunner<
  TrainingInput,
  TrainingProgress,
  TrainingCheckpoint,
  TrainingResult
> {
  constructor(
    private readonly tasks: Tasks,
    private readonly blobs: Blobs,
    private readonly models: ResidentModels,
    private readonly own: OwnModels,
    @Inject(TRAINING_SETTINGS) private readonly settings: Pick<TrainingSettings, 'workFolder'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async *run(
    attempt: Attempt,
    signal: AbortSignal,
  ): AsyncGenerator<Report, Finished<TrainingResult>, void> {
    const { workFolder } = this.settings;
    const services = { tasks: this.tasks, blobs: this.blobs, workFolder };
    await using files = await AttemptFiles.open(services, attempt);
    const { input } = attempt;
    const task = await this.#taskOf(attempt, files);
    await using pieces = this.tasks.run(trainingEngine, task, signal);
    const weights: Buffer[] = [];
    let state: Buffer[] = [];
    let checkpoint = attempt.checkpoint;
    let shown = checkpoint?.shown ?? NOTHING;
    const report = (): Report => ({
      done: shown.step,
      total: input.plan.recipe.steps,
      shown,
      checkpoint,
      usage: usageOf(shown.measuredMs),
    });
    let next = await pieces.next();
    for (; !next.done; next = await pieces.next()) {
      const piece = next.value;
      if ('progress' in piece) {
        shown = progressOf(piece.progress, shown);
        yield report();
      } else if ('checkpoint' in piece) {
        state.push(Buffer.from(piece.checkpoint.content, 'base64'));
        if (!piece.checkpoint.isLast) continue;
        const blob = await files.keep(Buffer.concat(state));
        state = [];
        const at = progressOf(piece.at, shown);
        shown = { ...at, checkpointStep: at.step };
        checkpoint = { blob, shown };
        yield report();
      } else {
        weights.push(Buffer.from(piece.weights.content, 'base64'));
      }
    }
    signal.throwIfAborted();
    if (next.value === null) throw failure('crashed', 'the engine ended without a result');
    return await this.#finish(attempt, Buffer.concat(weights), next.value, shown);
  }

  async #finish(
    { accountId, jobId, input }: Attempt,
    file: Buffer,
    end: TrainingEnd,
    last: TrainingProgress,
  ): Promise<Finished<TrainingResult, TrainingProgress>> {
    const sha256 = sha256Of(file);
    const { price, ...terms } = input.terms;
    const registration = this.own.register(
      {
        accountId,
        slug: input.jobName,
        origin: { kind: input.kind, jobId, baseModel: input.student.name },
        sha256,
        ...terms,
        price: TokenPrice.parse(price),
        registeredAt: instant(this.clock),
      },
      file,
      // The model of a job is the same one, whichever attempt registers it.
      contextOf(jobId, 'job:training'),
    );
    const model = nameOf(await registration.catch(asFinalFailure));
    const measuredMs = Math.max(last.measuredMs, Math.round(end.seconds * 1_000));
    const shown: TrainingProgress = {
      ...last,
      phase: 'finished',
      step: end.losses.length,
      loss: end.losses.at(-1) ?? null,
      tokens: end.tokens,
      tokensPerSecond: rateOf(end.tokens, end.seconds),
      etaSeconds: 0,
      heldOut: { before: end.before, after: end.after },
      model,
      measuredMs,
      estimateErrorPct: estimateErrorPct(input.estimatedMs, measuredMs),
    };
    return { result: { ...end, model, sha256 }, shown, usage: usageOf(measuredMs) };
  }

  async #taskOf(
    { accountId, input, checkpoint }: Attempt,
    files: AttemptFiles,
  ): Promise<TrainingTask> {
    const modelOf = async (source: TrainingInput['student']): Promise<TaskFile> => {
      const { file, sha256 } = await this.models.find(source.name, accountId).catch(asFinalFailure);
      if (sha256 === source.sha256) return handOver(this.tasks, { file, sha256 });
      throw failure(
        'model_changed',
        `the model ${source.name} has other weights than at the order`,
      );
    };
    return {
      ...input.plan,
      student: await modelOf(input.student),
      teacher: input.teacher && (await modelOf(input.teacher)),
      text: await files.write('text.jsonl', Buffer.from(input.lines, 'utf8')),
      checkpoint: checkpoint && (await files.writeKept('checkpoint', checkpoint.blob)),
    };
  }
}

const usageOf = (measuredMs: number): JobUsage[] => [
  { meter: TRAINING_METER, quantity: measuredMs },
];

/** A model that is gone, or that the account has no room for, is so for every attempt. */
const asFinalFailure = (error: unknown): never => {
  if (error instanceof DomainError) throw failure('model_rejected', error.message);
  throw error;
};

const rateOf = (tokens: number, seconds: number): number | null =>
  seconds > 0 ? Math.round((tokens / seconds) * 10) / 10 : null;

const progressOf = (work: WorkProgress, last: TrainingProgress): TrainingProgress => {
  const { phase, done, total, loss, tokens, seconds } = work;
  const isTraining = phase === 'training';
  return {
    ...last,
    phase,
    step: isTraining ? done : last.step,
    loss,
    tokens,
    tokensPerSecond: rateOf(tokens, seconds),
    etaSeconds: isTraining && done > 0 ? Math.ceil((seconds / done) * (total - done)) : null,
    measuredMs: Math.max(last.measuredMs, Math.round(seconds * 1_000)),
  };
};
