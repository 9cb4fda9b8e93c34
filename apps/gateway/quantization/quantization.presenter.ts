import { ACTIVATION_BITS, widthOf } from '#areas/quantization/quantization-order.js';
import { type QuantizationResult } from '#areas/quantization/quantization.task.js';
import { type QuantizationMeasured } from '#events/quantization/quantization.evidence.js';
import {
  QuantizationProgress,
  QuantizationSummary,
} from '#events/quantization/quantization.job.js';
import { estimateErrorPct } from '#platform/jobs/estimate-error.js';
import { type JobRecord } from '#projections/jobs/jobs.projection.js';
import {
  type QuantizationJobDto,
  type QuantizedTensorsDto,
  type TensorLossDto,
} from './quantization.dto.js';

const NOT_STARTED = { measured: null, products: 0 };
const BYTES_PER_GB = 1e9;
const BYTES_PER_MB = 1e6;

const ENERGY_MODEL =
  'modelled, not measured: the products of weights for one token at 45 nm (Horowitz 2014), ' +
  '1.5 pJ for a 16-bit float, 0.23 pJ for bytes, 0.03 pJ where bytes are only added; ' +
  'no memory, no attention';

/** Served by llama.cpp, whatever kernel has measured it. */
const SERVED_BY = 'llama.cpp';

export const presentQuantization = (job: JobRecord): QuantizationJobDto => {
  const summary = QuantizationSummary.parse(job.summary);
  const shown = job.result?.summary ?? job.progress?.shown;
  const { measured, products } =
    shown === undefined ? NOT_STARTED : QuantizationProgress.parse(shown);
  const { accountId, jobId, status, error, submittedAt, endedAt } = job;
  const budget = summary.memoryBudgetBytes;
  return {
    success: true,
    job_uuid: jobId,
    model_name: summary.model,
    ...figuresOf(measured),
    status,
    quantized_model: `${accountId}/${summary.slug}`,
    method: summary.method,
    weight_bits: widthOf(summary.coding),
    activation_bits: ACTIVATION_BITS,
    zero_multiplication_mode: summary.addsOnly ? 1 : 0,
    memory_budget_mb: budget === null ? null : budget / BYTES_PER_MB,
    evaluation_text: { ...summary.text, tokens: measured?.tokens ?? null },
    energy_model: ENERGY_MODEL,
    layer_losses: measured && measured.losses.map(presentLoss),
    serving: measured && {
      engine: SERVED_BY,
      original_tokens_per_second: measured.originalTokensPerSecond,
      quantized_tokens_per_second: measured.quantizedTokensPerSecond,
      file_bytes: measured.bytes,
      file_sha256: measured.sha256,
    },
    estimated_weight_products: summary.estimatedProducts,
    measured_weight_products: products,
    estimate_error_pct: measured && estimateErrorPct(summary.estimatedProducts, products),
    error: error && `${error.code}: ${error.message}`,
    created_at: submittedAt,
    ended_at: endedAt,
  };
};

const figuresOf = (measured: QuantizationMeasured | null) => {
  if (measured === null) return NOTHING_MEASURED;
  const { originalBytes, quantizedBytes, baselinePerplexity, quantizedPerplexity } = measured;
  return {
    original_vram_gb: originalBytes / BYTES_PER_GB,
    quantized_vram_gb: quantizedBytes / BYTES_PER_GB,
    bandwidth_reduction_pct: 100 * (1 - quantizedBytes / originalBytes),
    energy_efficiency_gain_pct: measured.energySavingPct,
    baseline_perplexity: baselinePerplexity,
    quantized_perplexity: quantizedPerplexity,
    perplexity_delta: quantizedPerplexity - baselinePerplexity,
  };
};

const NOTHING_MEASURED = {
  original_vram_gb: null,
  quantized_vram_gb: null,
  bandwidth_reduction_pct: null,
  energy_efficiency_gain_pct: null,
  baseline_perplexity: null,
  quantized_perplexity: null,
  perplexity_delta: null,
} as const;

const presentLoss = ({
  tensor,
  coding,
  format,
  divergenceNatsPerToken,
}: QuantizationMeasured['losses'][number]): TensorLossDto => ({
  tensor,
  format,
  weight_bits: widthOf(coding),
  divergence: divergenceNatsPerToken,
});

export const presentTensors = ({ report }: QuantizationResult): QuantizedTensorsDto => ({
  success: true,
  tensors: report.tensors.map(
    ({ tensor, format, originalBytes, bytes, divergenceNatsPerToken }) => ({
      tensor,
      format,
      original_bytes: originalBytes,
      bytes,
      divergence: divergenceNatsPerToken,
    }),
  ),
});
