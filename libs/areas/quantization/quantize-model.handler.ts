import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobId } from '#events/jobs/job.events.js';
import { type QuantizationSummary } from '#events/quantization/quantization.job.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { MeterPrices, pricedLines } from '#platform/ledger/meter-prices.port.js';
import { type FiledModel } from '#platform/own-models/filed-model.js';
import { OWN_MODEL_BYTES_MAX, OwnModels } from '#platform/own-models/own-models.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { QuantizableModels } from './quantizable-models.port.js';
import { estimateQuantization } from './quantization.engine.js';
import { reject } from './quantization.errors.js';
import { quantizationJob } from './quantization.job.js';
import {
  type ChosenOptions,
  defaultSlug,
  LEARNING_RATE,
  optionsIn,
  type QuantizationOrder,
} from './quantization-order.js';
import { PRODUCTS_METER } from './quantization.product.js';
import { QuantizationTexts } from './quantization-texts.js';

/** Holds the estimate and submits the job, whose id is the id of the request. */
export class QuantizeModelCommand extends Command<string> {
  constructor(
    readonly order: QuantizationOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(QuantizeModelCommand)
export class QuantizeModelHandler implements ICommandHandler<QuantizeModelCommand> {
  constructor(
    private readonly models: QuantizableModels,
    private readonly own: OwnModels,
    private readonly texts: QuantizationTexts,
    private readonly prices: MeterPrices,
    private readonly jobs: Jobs,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError of the area; `own_model_name_taken`, `own_model_limit_reached`,
   *   `insufficient_balance`, `budget_exceeded`, `too_many_jobs`
   */
  async execute({ order, context }: QuantizeModelCommand): Promise<string> {
    const { accountId, method, memoryBudgetBytes, seed } = order;
    const options = optionsIn(order);
    const jobId = JobId.parse(context.requestId);
    const model = await this.models.find(order.model, accountId);
    const slug = order.slug ?? defaultSlug(model.name, options.coding, jobId);
    this.own.demandRoom(accountId, slug, jobId);
    const { parameters, productsMax, quantizedBytes } = await estimated(model, order, options);
    demandSize(model, quantizedBytes);
    const { name, sha256 } = await this.texts.heldOut();
    const { coding, addsOnly, trainingSteps } = options;
    const summary: QuantizationSummary = {
      model: model.name,
      modelSha256: model.sha256,
      parameters,
      slug,
      method,
      coding,
      addsOnly,
      memoryBudgetBytes,
      trainingSteps,
      seed,
      text: { name, sha256 },
      estimatedProducts: productsMax,
    };
    const { contextTokens, maxOutputTokens, price } = model;
    const { rateCardVersion, batchDiscountPercent } = model;
    const input = {
      model: { name: model.name, sha256: model.sha256 },
      slug,
      method,
      ...options,
      budgetBytes: memoryBudgetBytes,
      seed,
      terms: {
        contextTokens,
        maxOutputTokens,
        price: { ...price },
        rateCardVersion,
        batchDiscountPercent,
      },
    };
    const hold = { ...this.#priced(productsMax), evidence: summary };
    await this.jobs.submit(quantizationJob, { jobId, accountId, input, summary, hold }, context);
    return jobId;
  }

  #priced(products: number) {
    return pricedLines(this.prices.inForce(this.clock.now()), {
      units: [{ meter: PRODUCTS_METER, quantity: products }],
      reject: (detail) => reject('quantization_not_priced', detail),
    });
  }
}

const estimated = async (
  { name, file }: FiledModel,
  { memoryBudgetBytes: budgetBytes, seed }: QuantizationOrder,
  { coding, trainingSteps: steps }: ChosenOptions,
) => {
  const training = steps === null ? null : { steps, learningRate: LEARNING_RATE, seed };
  try {
    return await estimateQuantization(file, { coding, budgetBytes }, training);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof DomainError) throw error;
    const isBudget = 'code' in error && error.code === 'budget_too_small';
    if (isBudget) return reject('quantization_budget_too_small', error.message);
    return reject('quantization_model_unsuitable', `the model ${name}: ${error.message}`);
  }
};

/** Before any work: the registration of a larger file would reject it. */
const demandSize = ({ name }: FiledModel, bytes: number): void => {
  if (bytes <= OWN_MODEL_BYTES_MAX) return;
  const detail = `${name} would have ${bytes} bytes, and ${OWN_MODEL_BYTES_MAX} are served`;
  reject('quantization_model_unsuitable', detail);
};
