/** A training from its files to the file of its result. It never runs on a loop of HTTP. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { type LayeredModel, readLayeredModel } from '../../llama-layers/run/layered-model.js';
import { AdamW } from '../adam-w.optimizer.js';
import {
  type Batch,
  copyIn,
  copyOut,
  type Learner,
  sizeOf,
  startTensorFlow,
} from '../gradient.shard.js';
import { type LlamaFile, readLlamaFile, writtenAs } from '../files/llama-file.js';
import {
  disposeModel,
  learnerOf,
  type LearnerPlan,
  modelOf,
  sharedModel,
  writtenTensors,
} from '../learner.js';
import { ParallelGradients } from '../parallel-gradients.js';
import { beginningOf, documentsIn, type TokenDocument, tokensOf } from '../text/documents.js';
import { batchOf, packed, type RowShape, TokenRows } from '../text/token-rows.js';
import { TrainingError } from '../training.errors.js';
import {
  type HeldOut,
  type TrainingEnd,
  type TrainingPiece,
  type TrainingProgress,
  type TrainingTask,
} from '../training.protocol.js';
import { demandOneVocabulary } from '../files/vocabularies.js';
import { BEGINNING, checkpointOf, stateIn, type TrainingState } from './checkpoint.js';
import { heldOutOf } from './held-out.js';
import { TeacherTexts, writtenDocument } from './teacher-texts.js';

/** Rows that the student is judged by, before and after. */
const HELD_OUT_ROWS_MAX = 32;
/** Documents that a teacher continues. */
const WRITTEN_MAX = 256;
/** Documents that a teacher has continued between two checkpoints. */
const WRITTEN_BETWEEN = 32;
const WRITTEN_TOKENS_MAX = 96;
/** The learning rate at the end, as a part of the highest. */
const FINAL_PART = 0.1;

interface Texts {
  readonly learned: readonly TokenDocument[];
  readonly beginnings: readonly (readonly number[])[];
  readonly heldOut: readonly Batch[];
}

/**
 * Yields its progress after every step, and its checkpoints.
 * @throws TrainingError; the errors of files
 */
export async function* train(task: TrainingTask): AsyncGenerator<TrainingPiece, TrainingEnd> {
  await startTensorFlow();
  const run = await TrainingRun.open(task);
  try {
    yield* run.writeTexts();
    return yield* run.learn();
  } finally {
    await run.close();
  }
}

class TrainingRun {
  readonly #startedAt = performance.now();
  readonly #secondsBefore: number;
  readonly #losses: number[];
  readonly #written: (readonly number[])[];
  #tokens: number;
  #gradients: ParallelGradients | undefined;

  private constructor(
    private readonly task: TrainingTask,
    private readonly identity: string,
    private readonly student: LlamaFile,
    private readonly teacher: LlamaFile | null,
    private readonly layered: LayeredModel,
    private readonly texts: Texts,
    private readonly state: TrainingState,
  ) {
    this.#secondsBefore = state.seconds;
    this.#losses = [...state.losses];
    this.#written = [...state.written];
    this.#tokens = state.tokens;
  }

  static async open(task: TrainingTask): Promise<TrainingRun> {
    const student = await readLlamaFile(task.student);
    const teacher = task.teacher === null ? null : await readLlamaFile(task.teacher);
    if (teacher) demandOneVocabulary(student.header, teacher.header);
    const layered = await readLayeredModel(task.student);
    const text = await readFile(task.text, 'utf8');
    const identity = identityOf(task, [student, ...(teacher ? [teacher] : [])], text);
    const state =
      task.checkpoint === null ? BEGINNING : stateIn(await readFile(task.checkpoint), identity);
    return new TrainingRun(
      task,
      identity,
      student,
      teacher,
      layered,
      textsOf(task, layered, text),
      state,
    );
  }

  async close(): Promise<void> {
    await this.#gradients?.stop();
  }

  /** Has the teacher write the texts that the student learns, where the method says so. */
  async *writeTexts(): AsyncGenerator<TrainingPiece, void> {
    const { beginnings } = this.texts;
    if (this.task.method.kind !== 'teacher_text' || this.#written.length === beginnings.length)
      return;
    const texts = await TeacherTexts.open(
      await readLayeredModel(this.task.teacher ?? this.task.student),
    );
    try {
      while (this.#written.length < beginnings.length) {
        const beginning = beginnings[this.#written.length] ?? [];
        const written = texts.write(beginning, WRITTEN_TOKENS_MAX);
        this.#written.push(written);
        this.#tokens += beginning.length + written.length;
        yield { kind: 'progress', ...this.#writing() };
        if (this.#written.length % WRITTEN_BETWEEN === 0)
          yield this.#checkpoint(this.#writing(), this.#now(null));
      }
      yield this.#checkpoint(this.#writing(), this.#now(null));
    } finally {
      texts.dispose();
    }
  }

  async *learn(): AsyncGenerator<TrainingPiece, TrainingEnd> {
    const { recipe } = this.task;
    const plan = this.#plan();
    const learner = learnerOf(plan);
    const optimizer = new AdamW();
    const before = this.state.before ?? this.#judge(learner, plan);
    this.#continue(learner, optimizer);
    this.#gradients = await ParallelGradients.start(learner, plan);
    const rows = new TokenRows(this.#documents(), shapeOf(this.task, this.layered), recipe.seed);
    for (let step = this.state.step; step < recipe.steps; step += 1) {
      await this.#step(step, rows, learner, optimizer);
      const progress = this.#training(step + 1);
      yield { kind: 'progress', ...progress };
      const isEnd = step + 1 === recipe.steps;
      if ((step + 1) % recipe.checkpointSteps === 0 && !isEnd) {
        yield this.#checkpoint(progress, this.#now({ learner, optimizer, before, step: step + 1 }));
      }
    }
    const after = this.#judge(learner, plan);
    const tensors = writtenTensors(learner, recipe.tuning);
    return {
      weights: await writtenAs(this.student, tensors, this.task.name),
      before,
      after,
      losses: this.#losses,
      tokens: this.#tokens,
      seconds: this.#seconds(),
      learnedParameters: sizeOf(learner.learned),
    };
  }

  async #step(
    step: number,
    rows: TokenRows,
    { learned }: Learner,
    optimizer: AdamW,
  ): Promise<void> {
    const batch = rows.batch(step);
    if (this.#gradients === undefined) throw new Error('the gradients have not started');
    const { loss, gradients } = await this.#gradients.of(batch);
    if (!Number.isFinite(loss)) {
      const message = `the loss of step ${step + 1} is not finite: a lower learning rate may help`;
      throw new TrainingError('loss_not_finite', message);
    }
    optimizer.step(learned, gradients, rateAt(step, this.task));
    tf.dispose(gradients);
    this.#losses.push(loss);
    this.#tokens += batch.ids.length;
  }

  #plan(): LearnerPlan {
    const { method, recipe } = this.task;
    return {
      student: sharedModel(this.student.shape, this.student.tensors),
      teacher: this.teacher && sharedModel(this.teacher.shape, this.teacher.tensors),
      objective: method.kind === 'distillation' ? method : { kind: 'next_token' },
      tuning: recipe.tuning,
    };
  }

  #continue({ learned }: Learner, optimizer: AdamW): void {
    const { learned: values, optimizer: moments } = this.state;
    if (values === null || moments === null) return;
    if (values.length !== sizeOf(learned)) {
      throw new TrainingError('checkpoint_unusable', 'the checkpoint has other weights');
    }
    copyIn(learned, values);
    optimizer.restore(learned, moments);
  }

  #documents(): readonly TokenDocument[] {
    if (this.task.method.kind !== 'teacher_text') return this.texts.learned;
    return this.#written.map((written, at) =>
      writtenDocument(this.texts.beginnings[at] ?? [], written),
    );
  }

  #judge({ model }: Learner, { teacher }: LearnerPlan): HeldOut {
    const guide = teacher && modelOf(teacher);
    const judged = heldOutOf(model, guide, this.texts.heldOut);
    if (guide) disposeModel(guide);
    return judged;
  }

  #now(
    learning: {
      readonly learner: Learner;
      readonly optimizer: AdamW;
      readonly before: HeldOut;
      readonly step: number;
    } | null,
  ): TrainingState {
    const shared = {
      written: this.#written,
      losses: this.#losses,
      tokens: this.#tokens,
      seconds: this.#seconds(),
    };
    if (learning === null) return { ...BEGINNING, ...shared };
    const { learner, optimizer, before, step } = learning;
    const learned = new Float32Array(sizeOf(learner.learned));
    copyOut(learner.learned, learned);
    return { ...shared, step, before, learned, optimizer: optimizer.state(learner.learned) };
  }

  #checkpoint(progress: TrainingProgress, state: TrainingState): TrainingPiece {
    return { kind: 'checkpoint', progress, content: checkpointOf(state, this.identity) };
  }

  #seconds(): number {
    return this.#secondsBefore + (performance.now() - this.#startedAt) / 1_000;
  }

  #writing(): TrainingProgress {
    return {
      phase: 'generating',
      done: this.#written.length,
      total: this.texts.beginnings.length,
      loss: null,
      tokens: this.#tokens,
      seconds: this.#seconds(),
    };
  }

  #training(step: number): TrainingProgress {
    return {
      phase: 'training',
      done: step,
      total: this.task.recipe.steps,
      loss: this.#losses.at(-1) ?? null,
      tokens: this.#tokens,
      seconds: this.#seconds(),
    };
  }
}

const shapeOf = (
  { recipe: { rows, positions } }: TrainingTask,
  { tokenizer }: LayeredModel,
): RowShape => ({
  rows,
  positions,
  separator: [...tokenizer.endIds][0] ?? 0,
});

/** @throws TrainingError `text_unusable` without a document to learn, or to judge by */
const textsOf = (task: TrainingTask, layered: LayeredModel, text: string): Texts => {
  const documents = documentsIn(text);
  const learned = documents.filter(({ heldOut }) => heldOut !== true);
  const judged = documents.filter(({ heldOut }) => heldOut === true);
  const shape = shapeOf(task, layered);
  const tokens = (some: typeof documents): readonly TokenDocument[] =>
    some.map((document) => tokensOf(document, layered));
  const rows = packed(tokens(judged), shape).slice(0, HELD_OUT_ROWS_MAX);
  const toLearn = tokens(learned);
  if (rows.length === 0 || packed(toLearn, shape).length === 0) {
    const message = 'the text has no document to learn, or none to judge by';
    throw new TrainingError('text_unusable', message);
  }
  const longest = Math.max(1, shape.positions - WRITTEN_TOKENS_MAX);
  return {
    learned: toLearn,
    beginnings: learned
      .slice(0, WRITTEN_MAX)
      .map((document) => beginningOf(document, layered).slice(-longest)),
    heldOut: chunksOf(rows, shape.rows).map((some) => batchOf(some, shape.positions)),
  };
};

const chunksOf = <Item>(items: readonly Item[], size: number): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

const rateAt = (step: number, { recipe }: TrainingTask): number => {
  const { learningRate: peak, warmUpSteps, steps } = recipe;
  if (step < warmUpSteps) return (peak * (step + 1)) / warmUpSteps;
  const share = (step - warmUpSteps) / Math.max(1, steps - warmUpSteps);
  const final = peak * FINAL_PART;
  return final + (peak - final) * 0.5 * (1 + Math.cos(Math.PI * share));
};

/** All that the bits of the result depend on, beside the machine. */
const identityOf = (
  { method, recipe }: TrainingTask,
  models: readonly LlamaFile[],
  text: string,
): string => {
  const hash = createHash('sha256').update(JSON.stringify({ method, recipe })).update(text);
  for (const { tensors } of models) {
    for (const { values } of tensors) {
      hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
  }
  return hash.digest('hex');
};
