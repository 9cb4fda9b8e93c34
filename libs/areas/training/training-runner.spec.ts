import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHATS, RECIPE, TrainingFolder } from '#engines/training/training.fixture.js';
import { ownModelEvents } from '#events/platform/own-model.events.js';
import { type TrainingProgress } from '#events/training/training.job.js';
import { MemoryBlobs } from '#platform/blobs/memory-blobs.fake.js';
import { type Finished, type JobAttempt } from '#platform/jobs/job-type.js';
import { systemClock } from '#platform/kernel/clock.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore } from '#platform/runtime/faulty-stores.fake.js';
import { silent } from '#platform/runtime/stock.fixture.js';
import { engineHost } from '#platform/tasks/counting.engine.fake.js';
import { createLocalTasks } from '#platform/tasks/local-tasks.js';
import { type ResidentModel, ResidentModels } from './resident-models.port.js';
import { TrainingRunner } from './training-runner.js';
import {
  type TrainingCheckpoint,
  type TrainingInput,
  type TrainingResult,
} from './training.task.js';

const never = new AbortController().signal;
const JOB = '0e9e9b5e-6a1c-5d2a-9f5a-1f6f0d1c2b3a';
const PRICE = { inputMicroUsdPerMtok: '1', outputMicroUsdPerMtok: '2' };
const terms = {
  contextTokens: 128,
  maxOutputTokens: 16,
  price: PRICE,
  rateCardVersion: 1,
  batchDiscountPercent: 50,
  parameters: 1_000,
};

class FilesOf extends ResidentModels {
  constructor(private readonly folder: string) {
    super();
  }

  override async find(name: string): Promise<ResidentModel> {
    const file = path.join(this.folder, `${name}.gguf`);
    const sha256 = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    return { name, file, sha256, vocabulary: 'same', ...terms };
  }
}

type Attempt = JobAttempt<TrainingInput, TrainingCheckpoint>;

describe('the job of a training', () => {
  let folder: TrainingFolder;
  let input: TrainingInput;

  beforeAll(async () => {
    folder = await TrainingFolder.make();
    await folder.micro('student', 1);
    await folder.micro('teacher', 2);
    const models = new FilesOf(folder.path);
    const sourceOf = async (name: string) => ({ name, sha256: (await models.find(name)).sha256 });
    input = {
      student: await sourceOf('student'),
      teacher: await sourceOf('teacher'),
      lines: CHATS.map((document) => JSON.stringify(document)).join('\n'),
      jobName: 'small',
      kind: 'distillation',
      plan: {
        name: '7/small',
        method: { kind: 'distillation', temperature: 2, alpha: 0.75, beta: 0.25 },
        recipe: { ...RECIPE, tuning: { kind: 'full' } },
      },
      estimatedMs: 5_000,
      terms,
    };
  });
  afterAll(() => folder.remove());

  /** Processes that share a log and blobs, each with an engine of its own. */
  const fleet = () => {
    const blobs = new MemoryBlobs();
    const codec = new EventCodec(ownModelEvents);
    const eventStore = new FaultyEventStore();
    const own = new OwnModels({ eventStore, codec, blobs, clock: systemClock, logger: silent });
    const runner = (): TrainingRunner =>
      new TrainingRunner(
        createLocalTasks(engineHost('in-process', 'spec')),
        blobs,
        new FilesOf(folder.path),
        own,
        { workFolder: path.join(folder.path, 'work') },
        systemClock,
      );
    return { runner, blobs, own };
  };

  const attemptOf = (attempt: number, checkpoint: TrainingCheckpoint | null): Attempt => ({
    jobId: JOB,
    accountId: '7',
    submittedAt: '2026-11-22T15:00:00.000Z',
    attempt,
    input,
    checkpoint,
    usage: [],
  });

  const finished = async (
    runner: TrainingRunner,
    attempt: Attempt,
  ): Promise<Finished<TrainingResult, TrainingProgress>> => {
    const run = runner.run(attempt, never);
    let next = await run.next();
    while (!next.done) next = await run.next();
    return next.value as Finished<TrainingResult, TrainingProgress>;
  };

  /** The checkpoint that the log has when the process dies behind it. */
  const killed = async (
    runner: TrainingRunner,
    attempt: Attempt,
    step: number,
  ): Promise<TrainingCheckpoint> => {
    const stop = new AbortController();
    const run = runner.run(attempt, stop.signal);
    for (let next = await run.next(); !next.done; next = await run.next()) {
      const { checkpoint } = next.value;
      if (checkpoint?.shown.checkpointStep !== step) continue;
      stop.abort(new Error('killed'));
      await expect(run.next()).rejects.toThrow();
      return checkpoint;
    }
    throw new Error('the attempt was not killed');
  };

  it('that is killed twice ends on a third process with the same losses and model', async () => {
    const undisturbed = fleet();
    const whole = await finished(undisturbed.runner(), attemptOf(1, null));
    const { runner, own } = fleet();
    const first = await killed(runner(), attemptOf(1, null), 3);
    const second = await killed(runner(), attemptOf(2, first), 6);
    const end = await finished(runner(), attemptOf(3, second));
    expect(end.result.losses).toEqual(whole.result.losses);
    expect(end.result.losses).toHaveLength(RECIPE.steps);
    expect(end.result.sha256).toBe(whole.result.sha256);
    expect(end.shown).toMatchObject({ phase: 'finished', step: 8, model: '7/small' });
    expect(end.usage[0]?.quantity).toBeGreaterThanOrEqual(second.shown.measuredMs);
    // A repeated end registers the same model.
    const again = await finished(runner(), attemptOf(4, second));
    expect(again.result.model).toBe(end.result.model);
    own.start();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(own.ofAccount('7')).toHaveLength(1);
    await own.stop();
  });

  it('that is abandoned ends its thread, and leaves its engine to another attempt', async () => {
    const threads: Worker[] = [];
    const started = (message: unknown): void => {
      threads.push((message as { readonly worker: Worker }).worker);
    };
    subscribe('worker_threads', started);
    const runner = fleet().runner();
    for (const attempt of [1, 2]) {
      const run = runner.run(attemptOf(attempt, null), never);
      await expect(run.next()).resolves.toMatchObject({ done: false });
      await run.return(undefined as never);
    }
    unsubscribe('worker_threads', started);
    // A thread that has ended has no id.
    expect(threads.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });

  it('fails for good where the student has other weights than at the order', async () => {
    const { runner } = fleet();
    const student = { name: 'student', sha256: 'ab'.repeat(32) };
    const attempt = { ...attemptOf(1, null), input: { ...input, student } };
    await expect(finished(runner(), attempt)).rejects.toMatchObject({ code: 'model_changed' });
  });
});
