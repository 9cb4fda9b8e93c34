import { ApiProperty } from '@nestjs/swagger';
import {
  BATCH_SIZE_MAX,
  DEFAULT_BATCH_SIZE,
  DEFAULT_STEPS,
  STEPS_MAX,
} from '#areas/training/training-recipe.js';
import { DEFAULT_TEXT } from '#areas/training/training-texts.js';
import { DISTILLATION_METHODS } from '#events/training/training.job.js';
import { SHOWN_STATUSES, type ShownStatus } from '#projections/jobs/jobs.projection.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField, NullableInstant } from '../fields/answer-fields.js';
import {
  ChoiceField,
  CursorField,
  IntegerField,
  NumberField,
  TextField,
} from '../fields/request-fields.js';

const NAME_LENGTH_MAX = 256;
/** The pattern of `OwnModelSlug`, for the document. */
export const JOB_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;
const SEED_MAX = 2_147_483_647;
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

type Method = (typeof DISTILLATION_METHODS)[number];

const ModelField = (description: string, example: string): PropertyDecorator =>
  TextField({ minLength: 1, maxLength: NAME_LENGTH_MAX, description, example });

export class OrderDistillationDto {
  @ModelField('A model of `GET /v1/models` whose weights are here.', 'quipu/mini')
  readonly teacher_model!: string;

  @ModelField('The model whose copy learns.', 'quipu/nano')
  readonly student_base_model!: string;

  @TextField({
    matches: JOB_NAME,
    expected: '1 to 64 of a-z and digits, with `.`, `_` and `-` inside',
    description:
      'Used once in an account; the model is `{owner}/{job_name}`. 1 to 64 characters: a-z ' +
      'and digits, and inside also `.`, `_` and `-`.',
    example: 'nano-from-mini',
  })
  readonly job_name!: string;

  @ChoiceField(DISTILLATION_METHODS, {
    required: false,
    default: 'cot_reasoning_trace',
    description:
      '`cot_reasoning_trace`: the student learns texts that the teacher writes first, its ' +
      'likeliest continuations. `kl_divergence_logits`: alpha T² KL(teacher, student). ' +
      '`hybrid_loss`: the same, plus beta times the cross-entropy with the text.',
  })
  readonly distillation_method: Method = 'cot_reasoning_trace';

  @NumberField({
    required: false,
    default: 2,
    minimum: 0.05,
    maximum: 100,
    description: 'T, by which the logits of both models are divided.',
  })
  readonly temperature_t: number = 2;

  @NumberField({ required: false, default: 0.75, minimum: 0, maximum: 100 })
  readonly alpha_kd: number = 0.75;

  @NumberField({ required: false, default: 0.25, minimum: 0, maximum: 100 })
  readonly beta_ce: number = 0.25;

  @TextField({
    required: false,
    minLength: 1,
    maxLength: 128,
    example: DEFAULT_TEXT,
    description:
      `Default: \`${DEFAULT_TEXT}\`. Or a file of \`/v1/files\`: JSONL with \`messages\` or ` +
      '`text` in each line, or plain text in paragraphs, at most 8 MiB.',
  })
  readonly training_text: string = DEFAULT_TEXT;

  @IntegerField({
    required: false,
    default: DEFAULT_STEPS,
    minimum: 1,
    maximum: STEPS_MAX,
    description: 'Steps of the optimizer.',
  })
  readonly steps: number = DEFAULT_STEPS;

  @IntegerField({
    required: false,
    default: DEFAULT_BATCH_SIZE,
    minimum: 2,
    maximum: BATCH_SIZE_MAX,
    description: 'Rows of up to 256 tokens in a step.',
  })
  readonly batch_size: number = DEFAULT_BATCH_SIZE;

  @NumberField({ required: false, default: 1, minimum: 0.001, maximum: 100 })
  readonly learning_rate_multiplier: number = 1;

  @IntegerField({
    required: false,
    default: 0,
    minimum: 0,
    maximum: SEED_MAX,
    description: 'Of the order of the documents.',
  })
  readonly seed: number = 0;
}

export class HeldOutDto {
  @ApiProperty({ example: 12.4, description: 'exp of the mean -log p of a token.' })
  readonly perplexity!: number;
  @NullableField(Number, 'Mean KL(teacher, student) of a token in nats. Null: no teacher.', 0.31)
  readonly kl_divergence!: number | null;
  @ApiProperty({ example: 2_048 })
  readonly tokens!: number;
}

class DistillationProgressDto {
  @ApiProperty({ enum: ['generating', 'training', 'finished'] })
  readonly phase!: string;
  @ApiProperty({ example: 120 })
  readonly step!: number;
  @ApiProperty({ example: 200 })
  readonly steps!: number;
  @NullableField(Number, 'Of the last step. Null: none yet.', 0.42)
  readonly loss!: number | null;
  @NullableField(Number, 'Measured. Null: nothing yet.', 2_400)
  readonly tokens_per_second!: number | null;
  @NullableField(Number, 'From the steps so far. Null: none yet.', 35)
  readonly eta_seconds!: number | null;
}

export class DistillationEntryDto {
  @ApiProperty({ example: 3, description: 'Counts the trainings of the account.' })
  readonly job_id!: number;
  @ApiProperty({ example: '0e9e9b5e-6a1c-5d2a-9f5a-1f6f0d1c2b3a' })
  readonly job_uuid!: string;
  @ApiProperty({ example: 'nano-from-mini' })
  readonly job_name!: string;
  @ApiProperty({ example: 'quipu/mini' })
  readonly teacher_model!: string;
  @ApiProperty({ example: 'quipu/nano' })
  readonly student_base_model!: string;
  @ApiProperty({ enum: SHOWN_STATUSES })
  readonly status!: ShownStatus;
  @ApiProperty({
    example: '3.67x (3,538,944 to 964,736 parameters)',
    description: 'The sizes of the two models.',
  })
  readonly compression_target!: string;
  @ApiProperty({ enum: DISTILLATION_METHODS })
  readonly distillation_method!: string;
  @ApiProperty({ example: DEFAULT_TEXT })
  readonly training_text!: string;
  @ApiProperty({ description: 'SHA-256 of the documents.', example: 'cd'.repeat(32) })
  readonly training_text_sha256!: string;
  @NullableField(DistillationProgressDto, 'Null: not started.')
  readonly progress!: DistillationProgressDto | null;
  @NullableField(HeldOutDto, 'The student on held-out documents. Null: not measured yet.')
  readonly held_out_before!: HeldOutDto | null;
  @NullableField(HeldOutDto, 'The same after the training. Null: not measured yet.')
  readonly held_out_after!: HeldOutDto | null;
  @NullableField(String, 'The model that was made. Null: none yet.', '7/nano-from-mini')
  readonly model!: string | null;
  @ApiProperty({ example: 90_000, description: 'Of two threads. This time was held.' })
  readonly estimated_ms!: number;
  @ApiProperty({ example: 84_210, description: 'So far.' })
  readonly measured_ms!: number;
  @NullableField(Number, 'How far the estimate was above the measurement. Null: it runs.', 6.9)
  readonly estimate_error_pct!: number | null;
  @NullableField(String, 'Why it failed. Null: it did not.', 'loss_not_finite')
  readonly error_code!: string | null;
  @InstantField('When it was ordered.')
  readonly submitted_at!: string;
  @NullableInstant('Null: it has not ended.')
  readonly ended_at!: string | null;
}

export class DistillationDto extends DistillationEntryDto {
  @ApiProperty({ example: true })
  readonly success!: true;
}

export class DistillationsPageDto {
  @ChoiceField(['list'], { required: false, description: 'The only action.' })
  readonly action?: 'list';

  @ChoiceField(SHOWN_STATUSES, { required: false, description: 'Only jobs in this state.' })
  readonly status?: ShownStatus;

  @CursorField()
  readonly after?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: 'The number of jobs of a page.',
    fromText: true,
  })
  readonly limit: number = LIMIT_DEFAULT;
}

export class DistillationListDto extends AnswerDto {
  @ApiProperty({ type: [DistillationEntryDto] })
  readonly jobs!: readonly DistillationEntryDto[];
  @NullableField(String, 'The `after` of the next page. Null: this is the last one.')
  readonly next_after!: string | null;
}
