import { Inject, Injectable } from '@nestjs/common';
import { type QuantizationMeasured } from '#events/quantization/quantization.evidence.js';
import { type QuantizationProgress } from '#events/quantization/quantization.job.js';
import { TokenPrice } from '#events/token-price.vocabulary.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { AttemptFiles, sha256Of } from '#platform/jobs/attempt-files.js';
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
import { handOver } from '#platform/tasks/task-file.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { QuantizableModels } from './quantizable-models.port.js';
import { quantizationEngine } from './quantization.engine.js';
import { usageOf } from './quantization.product.js';
import { LEARNING_RATE } from './quantization-order.js';
import { QUANTIZATION_SETTINGS, type QuantizationSettings } from './quantization.settings.js';
import {
  type QuantizationCheckpoint,
  type QuantizationEnd,
  type QuantizationInput,
  type QuantizationResult,
  type QuantizationTask,
} from './quantization.task.js';
import { QuantizationTexts } from './quantization-texts.js';

type Attempt = JobAttempt<QuantizationInput, QuantizationCheckpoint>;
type Report = Progress<QuantizationProgress, QuantizationCheckpoint>;
type Done = Finished<QuantizationResult, QuantizationProgress>;

/** Tensors of the answer that lose most. */
const LOSSES_SHOWN = 10;

/** An error whose code the job declares. */
const failure = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

const BEGINNING: QuantizationCheckpoint = {
  measurements: { baseline: null, sensitivities: [] },
  training: null,
  shown: { phase: 'measuring', products: 0, measured: null },
};

/**
 * Runs one attempt: hands the files to an engine, keeps the state of a training as a blob, and
 * registers the model that it makes. The blob is kept for longer than a job runs.
 */
@Injectable()
export class QuantizationRunner implements JobRunner<
  QuantizationInput,
  QuantizationProgress,
  QuantizationCheckpoint,
  QuantizationResult
> {
  constructor(
    private readonly tasks: Tasks,
    private readonly blobs: Blobs,
    private readonly models: QuantizableModels,
    private readonly texts: QuantizationTexts,
    private readonly own: OwnModels,
    @Inject(QUANTIZATION_SETTINGS)
    private readonly settings: Pick<QuantizationSettings, 'workFolder'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async *run(attempt: Attempt, signal: AbortSignal): AsyncGenerator<Report, Done, void> {
    const { workFolder } = this.settings;
    const services = { tasks: this.tasks, blobs: this.blobs, workFolder };
    await using files = await AttemptFiles.open(services, attempt);
    let reached = attempt.checkpoint ?? BEGINNING;
    const task = await this.#taskOf(attempt, reached, files);
    await using pieces = this.tasks.run(quantizationEngine, task, signal);
    const file: Buffer[] = [];
    const state: Buffer[] = [];
    let next = await pieces.next();
    for (; next.done !== true; next = await pieces.next()) {
      const piece = next.value;
      if ('file' in piece) file.push(Buffer.from(piece.file.content, 'base64'));
      else if ('checkpoint' in piece) {
        state.push(Buffer.from(piece.checkpoint.content, 'base64'));
        if (!piece.checkpoint.isLast) continue;
        const training = await files.keep(Buffer.concat(state.splice(0)));
        reached = { ...reached, training };
      } else {
        const { phase, measurements, done, total } = piece;
        const products = Math.max(reached.shown.products, piece.products);
        reached = { ...reached, measurements, shown: { phase, products, measured: null } };
        const usage = usageOf(products);
        yield { done, total, shown: reached.shown, checkpoint: reached, usage };
      }
    }
    signal.throwIfAborted();
    if (next.value === null) throw failure('crashed', 'the engine ended without a result');
    return await this.#finish(attempt, Buffer.concat(file), next.value, reached.shown.products);
  }

  async #finish(
    { accountId, jobId, input }: Attempt,
    file: Buffer,
    end: QuantizationEnd,
    products: number,
  ): Promise<Done> {
    const sha256 = sha256Of(file);
    const { price, ...terms } = input.terms;
    const registration = this.own.register(
      {
        accountId,
        slug: input.slug,
        origin: { kind: 'quantization', jobId, baseModel: input.model.name },
        sha256,
        parameters: end.report.parameters,
        ...terms,
        price: TokenPrice.parse(price),
        registeredAt: instant(this.clock),
      },
      file,
      // The model of a job is the same one, whichever attempt registers it.
      contextOf(jobId, 'job:quantization'),
    );
    const model = nameOf(await registration.catch(asFinalFailure));
    const measured = measuredOf(end, sha256, file.length);
    const shown = { phase: 'finished', products, measured } as const;
    return { result: { ...end, model, sha256 }, shown, usage: usageOf(products) };
  }

  async #taskOf(
    { accountId, input }: Attempt,
    { measurements, training }: QuantizationCheckpoint,
    files: AttemptFiles,
  ): Promise<QuantizationTask> {
    const { name, sha256 } = input.model;
    const model = await this.models.find(name, accountId).catch(asFinalFailure);
    if (model.sha256 !== sha256) {
      throw failure('model_changed', `the model ${name} has other weights than at the order`);
    }
    const { slug, coding, budgetBytes, addsOnly, trainingSteps, seed } = input;
    return {
      model: await handOver(this.tasks, model),
      name: `${accountId}/${slug}`,
      coding,
      budgetBytes,
      kernel: addsOnly ? 'add_subtract' : 'multiply',
      text: (await this.texts.heldOut()).content,
      training:
        trainingSteps === null
          ? null
          : {
              text: await files.write(
                'text.jsonl',
                Buffer.from((await this.texts.learned()).content),
              ),
              steps: trainingSteps,
              learningRate: LEARNING_RATE,
              seed,
              checkpoint: training === null ? null : await files.writeKept('state', training),
            },
      known: measurements,
    };
  }
}

/** A model that is gone, or that the account has no room for, is so for every attempt. */
const asFinalFailure = (error: unknown): never => {
  if (error instanceof DomainError) throw failure('model_rejected', error.message);
  throw error;
};

const measuredOf = (
  { report, speed }: QuantizationEnd,
  sha256: string,
  bytes: number,
): QuantizationMeasured => {
  const { originalBytes, quantizedBytes, baseline, quantized, energySavingPct, tensors } = report;
  const losses = tensors
    .flatMap(({ tensor, coding, format, divergenceNatsPerToken }) =>
      divergenceNatsPerToken === null ? [] : [{ tensor, coding, format, divergenceNatsPerToken }],
    )
    .sort((one, other) => other.divergenceNatsPerToken - one.divergenceNatsPerToken);
  return {
    originalBytes,
    quantizedBytes,
    tokens: baseline.tokens,
    baselinePerplexity: Math.exp(baseline.nats / baseline.tokens),
    quantizedPerplexity: Math.exp(quantized.nats / quantized.tokens),
    energySavingPct,
    ...speed,
    losses: losses.slice(0, LOSSES_SHOWN),
    sha256,
    bytes,
  };
};
