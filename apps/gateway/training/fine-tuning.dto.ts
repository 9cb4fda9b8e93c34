import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { LORA_RANK_MAX, BATCH_SIZE_MAX } from '#areas/training/training-recipe.js';
import { NullableField } from '../fields/answer-fields.js';
import {
  ChoiceField,
  CursorField,
  IntegerField,
  ObjectField,
  TextField,
} from '../fields/request-fields.js';
import { IsAutoOrNumber } from './auto-or-number.validator.js';

const ID_LENGTH_MAX = 128;
const EPOCHS_MAX = 50;
const SEED_MAX = 2_147_483_647;
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

const AutoField = (minimum: number, maximum: number, description: string): PropertyDecorator => {
  const decorators = [
    ApiPropertyOptional({
      oneOf: [
        { type: 'string', enum: ['auto'] },
        { type: 'number', minimum, maximum },
      ],
      description,
    }),
    IsOptional(),
    IsAutoOrNumber(minimum, maximum),
  ];
  return (target, key) => decorators.forEach((decorate) => decorate(target, key));
};

export class FineTuningParametersDto {
  @AutoField(1, EPOCHS_MAX, 'How often the text is read. `auto`: 3.')
  readonly n_epochs?: 'auto' | number;

  @AutoField(2, BATCH_SIZE_MAX, 'Rows of up to 256 tokens in a step. `auto`: 8.')
  readonly batch_size?: 'auto' | number;

  @AutoField(0.001, 100, 'Times 5e-4, or 2e-3 for a LoRA. `auto`: 1.')
  readonly learning_rate_multiplier?: 'auto' | number;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: LORA_RANK_MAX,
    description:
      'A LoRA of this rank on the matrices of the layers, merged into the result. Default: every ' +
      'weight is trained. This field is not part of the interface of OpenAI.',
  })
  readonly lora_rank?: number;
}

export class SupervisedDto {
  @ObjectField(FineTuningParametersDto, { required: false })
  readonly hyperparameters?: FineTuningParametersDto;
}

export class FineTuningMethodDto {
  @ChoiceField(['supervised'], { description: 'The only method.' })
  readonly type!: 'supervised';

  @ObjectField(SupervisedDto, { required: false })
  readonly supervised?: SupervisedDto;
}

export class CreateFineTuningDto {
  @TextField({
    minLength: 1,
    maxLength: 256,
    example: 'quipu/nano',
    description: 'A model of `GET /v1/models` whose weights are here.',
  })
  readonly model!: string;

  @TextField({
    minLength: 1,
    maxLength: ID_LENGTH_MAX,
    example: 'file-2b9ac6a26d6d9ca1',
    description:
      'JSONL with `messages` in each line, of which the answers of the assistant are learned; a ' +
      'line may have `text` instead. At most 8 MiB. Or `corpus:quipu`.',
  })
  readonly training_file!: string;

  @TextField({
    required: false,
    nullable: true,
    minLength: 1,
    maxLength: ID_LENGTH_MAX,
    description: 'Documents to judge by. Default: every tenth one of the training file.',
  })
  readonly validation_file?: string | null;

  @TextField({
    required: false,
    nullable: true,
    matches: /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/,
    expected: '1 to 40 of a-z and digits, with `.`, `_` and `-` inside',
    description: 'Part of the name of the model that is made.',
  })
  readonly suffix?: string | null;

  @IntegerField({ required: false, nullable: true, minimum: 0, maximum: SEED_MAX })
  readonly seed?: number | null;

  @ObjectField(FineTuningParametersDto, {
    required: false,
    description: 'The older place of them.',
  })
  readonly hyperparameters?: FineTuningParametersDto;

  @ObjectField(FineTuningMethodDto, { required: false })
  readonly method?: FineTuningMethodDto;
}

export class FineTuningPageDto {
  @CursorField()
  readonly after?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: 'The length of a page.',
    fromText: true,
  })
  readonly limit: number = LIMIT_DEFAULT;
}

class FineTuningErrorDto {
  @ApiProperty({ example: 'loss_not_finite' })
  readonly code!: string;
  @ApiProperty({ example: 'the loss of step 3 is not finite' })
  readonly message!: string;
  @NullableField(String, 'Always null.')
  readonly param!: null;
}

class ChosenParametersDto {
  @ApiProperty({ example: 3 })
  readonly n_epochs!: number;
  @ApiProperty({ example: 8 })
  readonly batch_size!: number;
  @ApiProperty({ example: 1 })
  readonly learning_rate_multiplier!: number;
  @NullableField(Number, 'Null: every weight is trained.', 8)
  readonly lora_rank!: number | null;
}

export const FINE_TUNING_STATUSES = [
  'validating_files',
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
] as const;

export class FineTuningJobDto {
  @ApiProperty({ example: 'ftjob-0e9e9b5e6a1c5d2a9f5a1f6f0d1c2b3a' })
  readonly id!: string;
  @ApiProperty({ enum: ['fine_tuning.job'] })
  readonly object!: 'fine_tuning.job';
  @ApiProperty({ example: 1_767_225_600 })
  readonly created_at!: number;
  @NullableField(Number, 'Null: it has not ended.', 1_767_225_900)
  readonly finished_at!: number | null;
  @NullableField(Number, 'By the measured speed. Null: unknown.', 1_767_225_900)
  readonly estimated_finish!: number | null;
  @ApiProperty({ example: 'quipu/nano' })
  readonly model!: string;
  @NullableField(String, '`{owner}/ft-{suffix}-{digits}`. Null: none yet.')
  readonly fine_tuned_model!: string | null;
  @ApiProperty({ example: '7' })
  readonly organization_id!: string;
  @ApiProperty({ enum: FINE_TUNING_STATUSES })
  readonly status!: (typeof FINE_TUNING_STATUSES)[number];
  @ApiProperty({ example: 'file-2b9ac6a26d6d9ca1' })
  readonly training_file!: string;
  @NullableField(String, 'Always null: its documents are part of the training text.')
  readonly validation_file!: null;
  @ApiProperty({ type: [String], description: 'Always empty: the checkpoints have the metrics.' })
  readonly result_files!: readonly string[];
  @NullableField(Number, 'Null: it has not ended.', 48_000)
  readonly trained_tokens!: number | null;
  @ApiProperty({ example: 0 })
  readonly seed!: number;
  @ApiProperty({ type: ChosenParametersDto })
  readonly hyperparameters!: ChosenParametersDto;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The type `supervised` with the hyperparameters.',
  })
  readonly method!: Readonly<Record<string, unknown>>;
  @NullableField(FineTuningErrorDto, 'Null: it did not fail.')
  readonly error!: FineTuningErrorDto | null;
}

export class FineTuningJobListDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  @ApiProperty({ type: [FineTuningJobDto], description: 'Newest first.' })
  readonly data!: readonly FineTuningJobDto[];
  @ApiProperty()
  readonly has_more!: boolean;
}

export class FineTuningEventDto {
  @ApiProperty({ example: 'ftevent-0e9e9b5e6a1c5d2a9f5a1f6f0d1c2b3a-3' })
  readonly id!: string;
  @ApiProperty({ enum: ['fine_tuning.job.event'] })
  readonly object!: 'fine_tuning.job.event';
  @ApiProperty({ example: 1_767_225_600 })
  readonly created_at!: number;
  @ApiProperty({ enum: ['info', 'error'] })
  readonly level!: 'info' | 'error';
  @ApiProperty({ example: 'step 10 of 48: loss 1.25' })
  readonly message!: string;
  @ApiProperty({ enum: ['message', 'metrics'] })
  readonly type!: 'message' | 'metrics';
  @ApiProperty({ type: 'object', additionalProperties: true })
  readonly data!: Readonly<Record<string, unknown>>;
}

export class FineTuningEventListDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  @ApiProperty({ type: [FineTuningEventDto], description: 'Newest first.' })
  readonly data!: readonly FineTuningEventDto[];
  @ApiProperty()
  readonly has_more!: boolean;
}

export class FineTuningCheckpointDto {
  @ApiProperty({ example: 'ftckpt-0e9e9b5e6a1c5d2a9f5a1f6f0d1c2b3a-48' })
  readonly id!: string;
  @ApiProperty({ enum: ['fine_tuning.job.checkpoint'] })
  readonly object!: 'fine_tuning.job.checkpoint';
  @ApiProperty({ example: 1_767_225_900 })
  readonly created_at!: number;
  @ApiProperty({ description: 'The model that was made.' })
  readonly fine_tuned_model_checkpoint!: string;
  @ApiProperty({ example: 48 })
  readonly step_number!: number;
  @ApiProperty({ example: 'ftjob-0e9e9b5e6a1c5d2a9f5a1f6f0d1c2b3a' })
  readonly fine_tuning_job_id!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: '`step`, `train_loss`, `full_valid_loss`.',
  })
  readonly metrics!: Readonly<Record<string, number>>;
}

export class FineTuningCheckpointListDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  @ApiProperty({
    type: [FineTuningCheckpointDto],
    description:
      'The model that was made, once it is. States in between serve to continue and are no models.',
  })
  readonly data!: readonly FineTuningCheckpointDto[];
  @ApiProperty()
  readonly has_more!: boolean;
  @NullableField(String, 'Null: the list is empty.')
  readonly first_id!: string | null;
  @NullableField(String, 'Null: the list is empty.')
  readonly last_id!: string | null;
}
