import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type EnergyReport, energyReport } from './energy-report.js';
import { type InputData } from './input-data.js';
import { type ModelCard } from './model-card.js';
import { countsOf } from './run-counts.js';
import { neuronOf } from './neuron-of.js';
import { type SpikingEnd, type SpikingInput } from './spiking.engine.js';
import { type AdmittedRun, SpikingAdmission } from './spiking-admission.js';
import { type NeuronModel } from './spiking.modes.js';
import { SpikingModels } from './spiking-models.js';
import { type FinishedRun, SpikingRunner } from './spiking-runner.js';
import { SPIKING_SETTINGS, type SpikingSettings } from './spiking.settings.js';

export interface InferenceOrder {
  readonly accountId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAtMs: number;
  readonly model: string | null;
  readonly routingMode: string | null;
  readonly input: InputData;
  readonly timesteps: number;
  /** Null for the neuron that the network was trained with. */
  readonly neuron: NeuronModel | null;
  readonly raster: boolean;
  /** Names what the run continues; null for a run that starts at rest. */
  readonly session: string | null;
  readonly context: CommandContext;
  /** Whether this attempt still owns the request; false once a retry has taken it over. */
  readonly confirm?: () => Promise<boolean>;
}

/** A run that has been paid for. */
export interface SpikingAnswer {
  readonly card: ModelCard;
  readonly run: SpikingEnd;
  readonly energy: EnergyReport;
  readonly gridGramsPerKwh: number;
  /** Of the whole machine while it ran; null where that is not measured. */
  readonly measuredJoulesHost: number | null;
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

/** Runs a network once: places the hold, runs, charges what was counted. */
export class InferSpikesCommand extends Command<SpikingAnswer> {
  constructor(
    readonly order: InferenceOrder,
    /** Aborted with a `RequestCutError` when the caller leaves or the request runs too long. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@CommandHandler(InferSpikesCommand)
export class InferSpikesHandler implements ICommandHandler<InferSpikesCommand> {
  constructor(
    private readonly models: SpikingModels,
    private readonly admission: SpikingAdmission,
    private readonly runner: SpikingRunner,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(SPIKING_SETTINGS) private readonly settings: SpikingSettings,
  ) {}

  /** @throws DomainError, SpikingRunError, RequestCutError; none of them after a charge */
  async execute({ order, signal }: InferSpikesCommand): Promise<SpikingAnswer> {
    const card = this.models.choose(order);
    const neuron = neuronOf(card, order.neuron);
    const { timesteps, raster, input, accountId } = order;
    // No account continues the runs of another one.
    const session = order.session === null ? null : `${accountId}:${order.session}`;
    const { routingMode: mode, ...paid } = order;
    const routed = { ...paid, ...(mode !== null && { routingMode: mode }) };
    const admitted = await this.admission.admit({ ...routed, signal, card, neuron });
    const task = { slug: card.slug, inputData: input, timesteps, neuron, raster, session };
    const { run, measuredJoulesHost } = await this.#run(task, card, admitted, signal);
    const { gridGramsPerKwh } = this.settings;
    const counts = countsOf(run);
    const entry = await admitted.capture(counts, {
      slug: card.slug,
      neuron,
      timesteps,
      routingMode: card.routingMode,
      weightsSha256: run.weightsSha256,
      meterVersion: run.meterVersion,
      counts,
      gridGramsPerKwh,
      inputHash: this.hash(JSON.stringify(input)),
    });
    const energy = energyReport(counts, gridGramsPerKwh);
    const { pace } = admitted;
    return {
      card,
      run,
      energy,
      gridGramsPerKwh,
      measuredJoulesHost,
      entry,
      ...(pace && { pace }),
    };
  }

  /** Whatever goes wrong here is free. */
  async #run(
    task: SpikingInput,
    { weightsSha256 }: ModelCard,
    admitted: AdmittedRun,
    signal: AbortSignal,
  ): Promise<FinishedRun> {
    try {
      const finished = await this.runner.run(task, weightsSha256, signal);
      if (finished) return finished;
      throw cutOf(signal) ?? new RequestCutError('client_gone');
    } catch (error) {
      await admitted.release(error instanceof RequestCutError ? error.reason : 'upstream_failed');
      throw error;
    }
  }
}
