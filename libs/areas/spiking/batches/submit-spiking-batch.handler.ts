import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobId } from '#events/jobs/job.events.js';
import { type SpikingBatchSummary } from '#events/spiking/spiking-batch.job.js';
import { type SpikingBatchHoldEvidence } from '#events/spiking/spiking.evidence.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type MeterPriceList, MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type InputData } from '../input-data.js';
import { neuronOf } from '../neuron-of.js';
import { operationPrices, worstCase } from '../operation-lines.js';
import { type NeuronModel } from '../spiking.modes.js';
import { SpikingModels } from '../spiking-models.js';
import { SPIKING_SETTINGS, type SpikingSettings } from '../spiking.settings.js';
import { spikingBatchJob } from './spiking-batch.job.js';

export interface SpikingBatchOrder {
  readonly accountId: string;
  readonly model: string | null;
  readonly routingMode: string | null;
  /** 1 to `BATCH_INPUTS_MAX`. */
  readonly inputs: readonly InputData[];
  readonly timesteps: number;
  readonly neuron: NeuronModel | null;
  /** Default: the prices in force. A command line reads them itself. */
  readonly prices?: MeterPriceList;
}

/**
 * Holds the worst case of all runs and submits the job. The id of the request is the id of the
 * job: a repetition is the same batch.
 */
export class SubmitSpikingBatchCommand extends Command<string> {
  constructor(
    readonly order: SpikingBatchOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SubmitSpikingBatchCommand)
export class SubmitSpikingBatchHandler implements ICommandHandler<SubmitSpikingBatchCommand> {
  constructor(
    private readonly models: SpikingModels,
    private readonly prices: MeterPrices,
    private readonly jobs: Jobs,
    @Inject(SPIKING_SETTINGS) private readonly settings: SpikingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError; `insufficient_balance`, `too_many_jobs` */
  async execute({ order, context }: SubmitSpikingBatchCommand): Promise<string> {
    const { accountId, timesteps, inputs } = order;
    const card = this.models.choose(order);
    const { slug, weightsSha256, routingMode } = card;
    const neuron = neuronOf(card, order.neuron);
    const prices = operationPrices(order.prices ?? this.prices.inForce(this.clock.now()));
    const { gridGramsPerKwh } = this.settings;
    const evidence = {
      slug,
      neuron,
      timesteps,
      inputs: inputs.length,
    } satisfies SpikingBatchHoldEvidence;
    const summary = { ...evidence, routingMode, gridGramsPerKwh } satisfies SpikingBatchSummary;
    const bound = worstCase(card, timesteps);
    const input = { slug, weightsSha256, neuron, timesteps, bound, inputs: [...inputs] };
    const hold = {
      lines: prices.linesOf(worstCase(card, timesteps, inputs.length)),
      rateCardVersion: prices.rateCardVersion,
      evidence,
    };
    const jobId = JobId.parse(context.requestId);
    await this.jobs.submit(spikingBatchJob, { jobId, accountId, input, summary, hold }, context);
    return jobId;
  }
}
