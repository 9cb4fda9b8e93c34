import { type SpikingAnswer } from '#areas/spiking/infer-spikes.handler.js';
import { ENERGY_MODEL, type EnergyReport } from '#areas/spiking/energy-report.js';
import { type ActingHead, type Head, isActing, type ModelCard } from '#areas/spiking/model-card.js';
import { chosenBy } from '#areas/spiking/spiking-models.js';
import { statementOf } from '#areas/spiking/statement.js';
import { type SpikingBatchItem } from '#areas/spiking/batches/spiking-batch.task.js';
import { type JobRecord } from '#projections/jobs/jobs.projection.js';
import { type HybridTelemetryDto, type SpikingAnswerDto } from './spiking-answer.dto.js';
import { type InferAsked } from './spiking.body.js';
import {
  type SpikingBatchDto,
  type SpikingBatchItemDto,
  type SpikingHeadDto,
  type SpikingModelDto,
  type SpikingReturnsDto,
} from './spiking.dto.js';

/** No standard certifies a modelled figure. */
const NOT_CERTIFIED = 'none (modelled estimate)';

/** Those that the interface promises; null where the network has none of the kind. */
const HYBRID_TELEMETRY = {
  architecture_type: null,
  front_end: null,
  back_end: null,
  feature_map_dim: null,
  receptive_field: null,
  spatial_to_spike_sparsity: null,
  motion_event_filter_efficiency: null,
  synergy_mechanism: null,
} satisfies Record<keyof HybridTelemetryDto, null>;

export const presentAnswer = (
  requestId: string,
  answer: SpikingAnswer,
  asked: InferAsked,
): SpikingAnswerDto => {
  const { card, run } = answer;
  const { classification, raster } = run;
  return {
    status: 'success',
    request_id: requestId,
    model: card.displayName,
    slug: card.slug,
    model_chosen_by: chosenBy(asked),
    architecture: card.architecture,
    routing_mode: card.routingMode,
    neuron_model: run.neuron,
    timesteps: run.timesteps,
    classification: {
      top_class: classification.topClass,
      confidence: classification.confidence,
      domain: classification.domain,
    },
    policy: run.policy,
    spiking_telemetry: presentCounts(answer),
    hybrid_telemetry: { ...HYBRID_TELEMETRY, ...run.hybrid },
    esg_energy_telemetry: presentEnergy(answer),
    ...(asked.raster && { spike_raster_ascii: raster ?? '' }),
    completion: statementOf(answer),
    session_runs: run.sessionRuns,
    engine: `embedded:spiking@${run.weightsSha256}`,
    meter_version: run.meterVersion,
  };
};

const presentCounts = ({ run: { counts, latencyMs } }: SpikingAnswer) => {
  return {
    firing_rate: counts.firingRate,
    activation_sparsity_pct: counts.activationSparsityPct,
    total_synaptic_spikes: counts.synapticEvents,
    quiescent_neurons: counts.quiescentNeurons,
    latency_ms: latencyMs,
    spikes_emitted: counts.spikes,
    neurons: counts.neurons,
    macs: counts.macs,
    acs: counts.acs,
  };
};

const presentEnergy = ({
  run: { counts },
  energy,
  gridGramsPerKwh,
  measuredJoulesHost,
}: SpikingAnswer) => ({
  ...presentComparison(energy.fp32),
  scope3_carbon_offset_gco2e: energy.savedGramsCo2e,
  compliance_certification: NOT_CERTIFIED,
  is_modelled: true,
  energy_model: ENERGY_MODEL,
  baseline: 'the same network with ReLU in place of spikes, in 32-bit floats',
  baseline_macs: counts.ann.macs,
  joules_network: energy.fp32.joules,
  joules_baseline: energy.fp32.baselineJoules,
  int8_baseline: presentComparison(energy.int8),
  measured_joules_host: measuredJoulesHost,
  grid_gco2e_per_kwh: gridGramsPerKwh,
});

const presentComparison = ({ savingsRatio, reductionPct, savedJoules }: EnergyReport['fp32']) => ({
  energy_savings_ratio: savingsRatio,
  energy_reduction_pct: reductionPct,
  joules_saved: savedJoules,
});

const presentHead = (head: Head | ActingHead): SpikingHeadDto => {
  const { task, description, classes, baseline } = head;
  const own = isActing(head)
    ? { ...NOT_CLASSIFIED, returns: presentReturns(head) }
    : {
        accuracy: head.accuracy,
        calibration_error: head.calibrationError,
        baseline_accuracy: head.baseline.accuracy,
        held_out_examples: head.heldOutExamples,
        returns: null,
      };
  return { task, description, classes, baseline_name: baseline.name, ...own };
};

/** No action is right or wrong by itself, so that none of these can be measured. */
const NOT_CLASSIFIED = {
  accuracy: null,
  calibration_error: null,
  baseline_accuracy: null,
  held_out_examples: null,
} as const;

const presentReturns = (head: ActingHead): SpikingReturnsDto => ({
  mean: head.meanReturn,
  mean_without_session: head.meanReturnAtRest,
  maximum: head.returnMax,
  baseline_mean: head.baseline.meanReturn,
  episodes: head.episodes,
});

export const presentModel = (card: ModelCard): SpikingModelDto => ({
  slug: card.slug,
  display_name: card.displayName,
  routing_mode: card.routingMode,
  architecture: card.architecture,
  neuron_models: card.neuronModels,
  parameters: card.parameters,
  task: card.native.task,
  accuracy: isActing(card.native) ? null : card.native.accuracy,
  mean_return: isActing(card.native) ? card.native.meanReturn : null,
  domains: card.domains,
  weights_sha256: card.weightsSha256,
  input_shape: card.inputShape,
  input_kind: card.inputKind,
  example_input: card.exampleInput,
  native_head: presentHead(card.native),
  text_head: presentHead(card.text),
});

export const presentBatch = (
  job: JobRecord,
  items: readonly SpikingBatchItem[],
): SpikingBatchDto => ({
  success: true,
  job_id: job.jobId,
  status: job.status,
  progress: job.progress && { done: job.progress.done, total: job.progress.total },
  charged_micro_usd: job.charge?.amount ?? null,
  error: job.error,
  results: items.map(presentItem),
});

const presentItem = (item: SpikingBatchItem): SpikingBatchItemDto =>
  'rejection' in item
    ? { index: item.index, error: item.rejection }
    : {
        index: item.index,
        classification: {
          top_class: item.classification.topClass,
          confidence: item.classification.confidence,
          domain: item.classification.domain,
        },
        completion: item.completion,
        spikes_emitted: item.spikes,
        total_synaptic_spikes: item.synapticEvents,
        macs: item.macs,
        latency_ms: item.latencyMs,
      };
