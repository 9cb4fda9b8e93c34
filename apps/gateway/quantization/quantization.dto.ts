import { ApiProperty } from '@nestjs/swagger';
import {
  ACTIVATION_BITS,
  DEFAULT_TRAINING_STEPS,
  TRAINING_STEPS_MAX,
  WIDTHS,
  type WeightCoding,
} from '#areas/quantization/quantization-order.js';
import { QUANTIZATION_METHODS } from '#events/quantization/quantization.evidence.js';
import { type ShownStatus, SHOWN_STATUSES } from '#projections/jobs/jobs.projection.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField, NullableInstant } from '../fields/answer-fields.js';
import {
  ChoiceField,
  CursorField,
  IntegerField,
  NumberField,
  TextField,
} from '../fields/request-fields.js';

const WEIGHT_BITS = [...WIDTHS.keys()];
/** `BITNET` follows from 1.58 bits. */
const FORMATS = [...WIDTHS.values()].flat().filter((coding) => coding !== 'BITNET');
const BUDGET_MB_MAX = 100_000;
const SEED_MAX = 2 ** 31 - 1;

export class QuantizeDto {
  @TextField({
    minLength: 1,
    maxLength: 256,
    example: 'quipu/nano',
    description: 'A model of the catalog, or of the account, whose weights are here.',
  })
  readonly model_name!: string;

  @ChoiceField(WEIGHT_BITS, {
    required: false,
    type: Number,
    default: 1.58,
    example: 1.58,
    description:
      'Bits of a weight: 1.58 (BitNet b1.58), 4, 5 or 8. With `memory_budget_mb` the smallest.',
  })
  readonly weight_bits: number = 1.58;

  @ChoiceField([ACTIVATION_BITS], {
    required: false,
    type: 'integer',
    default: ACTIVATION_BITS,
    description: 'Bits of an activation, with a scale for each token.',
  })
  readonly activation_bits: number = ACTIVATION_BITS;

  @ChoiceField([0, 1], {
    required: false,
    type: 'integer',
    example: 1,
    description:
      '1: the products of ternary weights only add and subtract, with the same results. ' +
      'Default: 1 with 1.58 bits, else 0.',
  })
  readonly zero_multiplication_mode?: 0 | 1;

  @ChoiceField(QUANTIZATION_METHODS, {
    required: false,
    default: 'ptq',
    description:
      '`ptq` rounds the weights as they are. `qat` trains them first as they are when they are ' +
      'ternary.',
  })
  readonly method: (typeof QUANTIZATION_METHODS)[number] = 'ptq';

  @ChoiceField(FORMATS, {
    required: false,
    example: 'Q4_1',
    description: "llama.cpp's name of the blocks. Default: the `_0` form of the bits.",
  })
  readonly weight_format?: WeightCoding;

  @NumberField({
    required: false,
    minimum: 0.001,
    maximum: BUDGET_MB_MAX,
    example: 1.5,
    description:
      'The most megabytes (10^6 bytes) of all tensors: each gets the bits with which the model ' +
      'diverges least, as measured.',
  })
  readonly memory_budget_mb?: number;

  @TextField({
    required: false,
    matches: /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/,
    expected: '1 to 64 of a-z, digits, and ., _, - inside',
    example: 'nano-small',
    description: 'The second part of the name of the made model. Default: a new name.',
  })
  readonly quantized_name?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: TRAINING_STEPS_MAX,
    example: DEFAULT_TRAINING_STEPS,
    description: `Steps of \`qat\`, each of 1,024 tokens. Default: ${DEFAULT_TRAINING_STEPS}.`,
  })
  readonly qat_steps?: number;

  @IntegerField({
    required: false,
    minimum: 0,
    maximum: SEED_MAX,
    default: 0,
    description: 'Of the order of the documents of `qat`.',
  })
  readonly seed: number = 0;
}

const MEASURED = 'Null until the job has completed.';

export class QuantizationTextDto {
  @ApiProperty({ example: 'quipu-held-out' })
  readonly name!: string;
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  readonly sha256!: string;
  @NullableField(Number, `Tokens that were predicted. ${MEASURED}`, 3_048)
  readonly tokens!: number | null;
}

export class TensorLossDto {
  @ApiProperty({ example: 'blk.0.ffn_down.weight' })
  readonly tensor!: string;
  @ApiProperty({ example: 'Q4_0', description: "llama.cpp's name of the blocks in the file." })
  readonly format!: string;
  @ApiProperty({
    example: 1.58,
    description: 'The bits that the weights have; 1.58 where only three values are used.',
  })
  readonly weight_bits!: number;
  @ApiProperty({
    example: 0.0043,
    description: 'The mean divergence (KL, nats a token) with this tensor alone quantized.',
  })
  readonly divergence!: number;
}

export class QuantizationServingDto {
  @ApiProperty({ example: 'llama.cpp' })
  readonly engine!: string;
  @NullableField(Number, 'Of a short answer, its prompt included, where it was quantized.', 950)
  readonly original_tokens_per_second!: number | null;
  @NullableField(Number, 'The same of the made model, in turns with the original.', 1_400)
  readonly quantized_tokens_per_second!: number | null;
  @ApiProperty({ example: 1_150_000, description: 'Of its GGUF file.' })
  readonly file_bytes!: number;
  @ApiProperty({ description: 'Of its GGUF file.' })
  readonly file_sha256!: string;
}

export class QuantizationJobDto extends AnswerDto {
  @ApiProperty({ example: '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f' })
  readonly job_uuid!: string;
  @ApiProperty({ example: 'quipu/nano' })
  readonly model_name!: string;
  @NullableField(Number, `Bytes of the tensors as stored, divided by 10^9. ${MEASURED}`, 0.003871)
  readonly original_vram_gb!: number | null;
  @NullableField(Number, `The same of the made model. ${MEASURED}`, 0.001112)
  readonly quantized_vram_gb!: number | null;
  @NullableField(Number, `By how much the bytes are fewer. ${MEASURED}`, 71.3)
  readonly bandwidth_reduction_pct!: number | null;
  @NullableField(Number, `Modelled: \`energy_model\` says how. ${MEASURED}`, 81.4)
  readonly energy_efficiency_gain_pct!: number | null;
  @NullableField(Number, `Of the original, on the text. ${MEASURED}`, 17.68)
  readonly baseline_perplexity!: number | null;
  @NullableField(Number, `Of the made model, on the text. ${MEASURED}`, 18.02)
  readonly quantized_perplexity!: number | null;
  @NullableField(Number, `Quantized less baseline. ${MEASURED}`, 0.34)
  readonly perplexity_delta!: number | null;
  @ApiProperty({
    enum: SHOWN_STATUSES,
    example: 'completed',
    description:
      '`completed`, or `queued`: the job is to be followed at `jobs/{job_uuid}`, with its state.',
  })
  readonly status!: ShownStatus;
  @ApiProperty({ description: 'The name of the made model, behind the id of its account.' })
  readonly quantized_model!: string;
  @ApiProperty({ enum: QUANTIZATION_METHODS })
  readonly method!: (typeof QUANTIZATION_METHODS)[number];
  @ApiProperty({ example: 1.58 })
  readonly weight_bits!: number;
  @ApiProperty({ example: ACTIVATION_BITS })
  readonly activation_bits!: number;
  @ApiProperty({ example: 1 })
  readonly zero_multiplication_mode!: 0 | 1;
  @NullableField(Number, 'As ordered.', 1.5)
  readonly memory_budget_mb!: number | null;
  @ApiProperty({ type: QuantizationTextDto, description: 'The held-out text of all measurements.' })
  readonly evaluation_text!: QuantizationTextDto;
  @ApiProperty({ description: 'How the energy is modelled; it is not measured.' })
  readonly energy_model!: string;
  @NullableField([TensorLossDto], `The tensors that lose most, the worst first. ${MEASURED}`)
  readonly layer_losses!: readonly TensorLossDto[] | null;
  @ApiProperty({
    type: QuantizationServingDto,
    nullable: true,
    description: `How the made model is served. ${MEASURED}`,
  })
  readonly serving!: QuantizationServingDto | null;
  @ApiProperty({ example: 2_400_000_000, description: 'Weights times tokens. They were held.' })
  readonly estimated_weight_products!: number;
  @ApiProperty({ example: 2_400_000_000, description: 'So far. At the end they are charged.' })
  readonly measured_weight_products!: number;
  @NullableField(Number, 'How far the estimate was above the measurement. Null: it runs.', 0)
  readonly estimate_error_pct!: number | null;
  @NullableField(String, 'Why the job failed, or why its last attempt ended.')
  readonly error!: string | null;
  @ApiProperty({ example: '2026-11-22T06:00:00.000Z' })
  readonly created_at!: string;
  @NullableInstant('Null until the end.')
  readonly ended_at!: string | null;
}

const PAGE_DEFAULT = 20;
const PAGE_MAX = 100;

export class QuantizationsPageDto {
  @ChoiceField(SHOWN_STATUSES, { required: false, description: 'Only jobs in this state.' })
  readonly status?: ShownStatus;

  @CursorField()
  readonly after?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: PAGE_MAX,
    default: PAGE_DEFAULT,
    description: 'The number of quantizations of a page.',
    fromText: true,
  })
  readonly limit: number = PAGE_DEFAULT;
}

export class QuantizationListDto extends AnswerDto {
  @ApiProperty({ type: [QuantizationJobDto], description: 'Newest first.' })
  readonly quantizations!: readonly QuantizationJobDto[];
  @NullableField(String, 'The `after` of the next page; null: this is the last one.')
  readonly next_after!: string | null;
}

export class QuantizedTensorDto {
  @ApiProperty({ example: 'blk.0.ffn_down.weight' })
  readonly tensor!: string;
  @ApiProperty({ example: 'Q5_0' })
  readonly format!: string;
  @ApiProperty({ example: 180_224 })
  readonly original_bytes!: number;
  @ApiProperty({ example: 30_976 })
  readonly bytes!: number;
  @NullableField(Number, 'Null where the tensor keeps its floats.', 0.0043)
  readonly divergence!: number | null;
}

export class QuantizedTensorsDto extends AnswerDto {
  @ApiProperty({ type: [QuantizedTensorDto], description: 'In the order of the file.' })
  readonly tensors!: readonly QuantizedTensorDto[];
}
