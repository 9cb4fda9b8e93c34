import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobId } from '#events/jobs/job.events.js';
import { trainingEvents, type TrainingEvent } from '#events/training/training.events.js';
import { type TrainingSummary } from '#events/training/training.job.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { MeterPrices, pricedLines } from '#platform/ledger/meter-prices.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type ResidentModel, ResidentModels } from './resident-models.port.js';
import { distillationJob, fineTuningJob } from './training.job.js';
import {
  type AccountTrainings,
  reject,
  type TrainingCommand,
  trainingDecider,
} from './training.decider.js';
import { TRAINING_METER } from './training.product.js';
import { estimatedMsOf, type RecipeOrder, recipeOf, stepsOfEpochs } from './training-recipe.js';
import { TrainingTexts } from './training-texts.js';
import { joined, type TrainingText } from './training-text.js';
import { type TrainingInput, type TrainingPlan } from './training.task.js';

/** A training as an account orders it. */
export interface TrainingOrder {
  readonly accountId: string;
  readonly jobName: string;
  readonly student: string;
  /** Null for a fine-tuning. */
  readonly teacher: string | null;
  /** `corpus:<name>` or the id of a file. */
  readonly text: string;
  /** The id of a file whose documents are all held out; null: some of the text are. */
  readonly heldOutText: string | null;
  readonly method: TrainingSummary['method'];
  readonly loss: TrainingPlan['method'];
  /** Without the steps of a training that is ordered by epochs. */
  readonly recipe: Omit<RecipeOrder, 'steps'>;
  readonly length: { readonly steps: number } | { readonly epochs: number };
}

/** Holds the estimate and submits the job, whose id is the id of the request. */
export class SubmitTrainingCommand extends Command<string> {
  constructor(
    readonly order: TrainingOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** The trainings of accounts: their names and numbers. */
@Injectable()
export class TrainingStreams {
  readonly #runner: CommandRunner<TrainingCommand, AccountTrainings, TrainingEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = trainingDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(trainingEvents) });
  }

  async run(command: TrainingCommand, context: CommandContext): Promise<AccountTrainings> {
    const stream = `trainings-${command.data.accountId}`;
    return (await this.#runner.run(stream, command, context)).state;
  }
}

@CommandHandler(SubmitTrainingCommand)
export class SubmitTrainingHandler implements ICommandHandler<SubmitTrainingCommand> {
  constructor(
    private readonly models: ResidentModels,
    private readonly texts: TrainingTexts,
    private readonly prices: MeterPrices,
    private readonly jobs: Jobs,
    private readonly trainings: TrainingStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError of the area; `insufficient_balance`, `budget_exceeded`, `too_many_jobs` */
  async execute({ order, context }: SubmitTrainingCommand): Promise<string> {
    const { accountId, jobName } = order;
    const student = await this.models.find(order.student, accountId);
    const teacher =
      order.teacher === null ? null : await this.models.find(order.teacher, accountId);
    demandOneVocabulary(student, teacher);
    const text = await this.#textOf(order);
    const plan = planOf(order, student, text);
    const estimatedMs = estimatedMsOf({
      plan,
      studentParameters: student.parameters,
      teacherParameters: teacher?.parameters ?? 0,
      documents: text.documents,
    });
    const jobId = JobId.parse(context.requestId);
    const named = { accountId, jobId, jobName };
    const orderedAt = instant(this.clock);
    const { numbers } = await this.trainings.run(
      { type: 'OrderTraining', data: { ...named, orderedAt } },
      context,
    );
    const summary: TrainingSummary = {
      number: numbers.get(jobId) ?? 1,
      jobName,
      student: shownOf(student),
      teacher: teacher && shownOf(teacher),
      method: order.method,
      text: { name: text.name, sha256: text.sha256 },
      steps: plan.recipe.steps,
      seed: order.recipe.seed,
      epochs: 'epochs' in order.length ? order.length.epochs : null,
      batchSize: order.recipe.batchSize,
      learningRateMultiplier: order.recipe.learningRateMultiplier,
      loraRank: order.recipe.loraRank,
      estimatedMs,
    };
    const input = inputOf({ student, teacher, text, plan, order, estimatedMs });
    const type = order.teacher === null ? fineTuningJob : distillationJob;
    try {
      const hold = { ...this.#priced(estimatedMs), evidence: summary };
      const models = [order.student, ...(order.teacher === null ? [] : [order.teacher])];
      await this.jobs.submit(type, { jobId, accountId, input, summary, models, hold }, context);
    } catch (error) {
      const withdrawnAt = instant(this.clock);
      const data = { ...named, withdrawnAt };
      await this.trainings.run({ type: 'WithdrawTraining', data }, context);
      throw error;
    }
    return jobId;
  }

  async #textOf({ text, heldOutText, accountId }: TrainingOrder): Promise<TrainingText> {
    const learned = await this.texts.find(text, accountId);
    if (heldOutText === null) return learned;
    return joined(learned, await this.texts.find(heldOutText, accountId));
  }

  #priced(estimatedMs: number) {
    return pricedLines(this.prices.inForce(this.clock.now()), {
      units: [{ meter: TRAINING_METER, quantity: estimatedMs }],
      reject: (detail) => reject('training_not_priced', detail),
    });
  }
}

const demandOneVocabulary = (student: ResidentModel, teacher: ResidentModel | null): void => {
  if (teacher === null || teacher.vocabulary === student.vocabulary) return;
  const detail = `the models ${teacher.name} and ${student.name} have different vocabularies`;
  reject('training_vocabulary_mismatch', detail);
};

const shownOf = ({ name, sha256, parameters }: ResidentModel): TrainingSummary['student'] => ({
  name,
  sha256,
  parameters,
});

const planOf = (
  { accountId, jobName, loss, recipe, length }: TrainingOrder,
  { contextTokens }: ResidentModel,
  { bytes }: TrainingText,
): TrainingPlan => {
  const steps = 'steps' in length ? length.steps : stepsOfEpochs(length.epochs, bytes, recipe);
  const name = `${accountId}/${jobName}`;
  return { name, method: loss, recipe: recipeOf({ ...recipe, steps }, contextTokens) };
};

interface Chosen {
  readonly student: ResidentModel;
  readonly teacher: ResidentModel | null;
  readonly text: TrainingText;
  readonly plan: TrainingPlan;
  readonly order: TrainingOrder;
  readonly estimatedMs: number;
}

const inputOf = ({ student, teacher, text, plan, order, estimatedMs }: Chosen): TrainingInput => ({
  student: { name: student.name, sha256: student.sha256 },
  teacher: teacher && { name: teacher.name, sha256: teacher.sha256 },
  lines: text.lines,
  jobName: order.jobName,
  kind: order.teacher === null ? 'fine_tuning' : 'distillation',
  plan,
  estimatedMs,
  terms: {
    contextTokens: student.contextTokens,
    maxOutputTokens: student.maxOutputTokens,
    price: { ...student.price },
    rateCardVersion: student.rateCardVersion,
    batchDiscountPercent: student.batchDiscountPercent,
    parameters: student.parameters,
  },
});
