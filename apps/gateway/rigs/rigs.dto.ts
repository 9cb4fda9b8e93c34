import { ApiProperty } from '@nestjs/swagger';
import { RIG_KINDS, type RigKind } from '#events/rig-kinds.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';

const BADGES = ['gold', 'silver', 'bronze', 'none'] as const;
type Badge = (typeof BADGES)[number];

const RIG_STATES = ['up', 'down', 'draining', 'drained', 'lost', 'stopped'] as const;

export class BadgeThresholdDto {
  @ApiProperty({ enum: ['gold', 'silver', 'bronze'] })
  readonly badge!: Exclude<Badge, 'none'>;

  @NullableField(Number, undefined, 500)
  readonly first_token_ms_max!: number | null;

  @NullableField(Number, undefined, 50)
  readonly tokens_per_second_min!: number | null;

  @NullableField(Number, undefined, 100)
  readonly tokens_per_second_concurrent_min!: number | null;
}

export class MeasurementsDto {
  @NullableField(Number, 'The median of the samples.')
  readonly first_token_ms!: number | null;

  @ApiProperty({ example: 5, description: 'How many answers gave the median.' })
  readonly first_token_samples!: number;

  @NullableField(Number, 'Output tokens of one stream.')
  readonly tokens_per_second!: number | null;

  @NullableField(Number, 'How many streams ran at once.')
  readonly concurrent_streams!: number | null;

  @NullableField(Number, 'Output tokens of all concurrent streams together.')
  readonly tokens_per_second_concurrent!: number | null;

  @NullableField(
    Boolean,
    'Whether the same question at temperature 0 had the same answer and usage twice.',
  )
  readonly is_answer_consistent!: boolean | null;
}

export class CertifiedModelDto {
  @ApiProperty({ example: 'quipu/nano' })
  readonly id!: string;

  @NullableField(Boolean, 'Whether the rig lists the model, or has its file. Null: not measured.')
  readonly is_listed!: boolean | null;
}

export class MeasuringProblemDto {
  @ApiProperty({ example: 'first_token' })
  readonly quantity!: string;

  @ApiProperty({ description: 'Why the quantity was not measured.' })
  readonly message!: string;
}

export class CertificationDto {
  @ApiProperty({ description: 'The id of the job that measured.' })
  readonly id!: string;

  @ApiProperty({ enum: BADGES, description: 'As it was given, whether it has expired or not.' })
  readonly badge!: Badge;

  @ApiProperty({ type: MeasurementsDto, description: 'Null: not measured.' })
  readonly measurements!: MeasurementsDto;

  @ApiProperty({ type: [CertifiedModelDto], description: 'The models of the rig at that time.' })
  readonly models!: readonly CertifiedModelDto[];

  @NullableField(String, 'The model that answered.')
  readonly measured_model!: string | null;

  @ApiProperty({ type: [MeasuringProblemDto] })
  readonly problems!: readonly MeasuringProblemDto[];

  @ApiProperty({ type: [BadgeThresholdDto], description: 'Those in force at that time.' })
  readonly thresholds!: readonly BadgeThresholdDto[];

  @ApiProperty({ example: '2026-01-01T00:00:00.000Z' })
  readonly measured_at!: string;

  @ApiProperty({ example: '2026-01-31T00:00:00.000Z' })
  readonly expires_at!: string;
}

export class RigDto {
  @ApiProperty({ example: 'built-in', description: 'What `routing_mode: rig_{id}` pins.' })
  readonly id!: string;

  @ApiProperty({
    type: 'integer',
    example: 187_316_279_402_283,
    description: '`routing_mode: rig_{rig_id}` pins it, as `rig_{id}` does.',
  })
  readonly rig_id!: number;

  @ApiProperty({ example: 'built-in', description: 'The same as the id.' })
  readonly name!: string;

  @ApiProperty({
    enum: ['catalog', 'worker'],
    description: 'Who has it: the catalog file, or a worker that registered it.',
  })
  readonly source!: 'catalog' | 'worker';

  @ApiProperty({ enum: [...RIG_KINDS, 'worker'] })
  readonly kind!: RigKind | 'worker';

  @NullableField(String, 'Null: in none.', 'uk')
  readonly region!: string | null;

  @ApiProperty({
    enum: RIG_STATES,
    description:
      'Of a rig of the catalog: `up`, or `down` while this gateway asks it nothing. Of a worker: ' +
      '`draining` finishes what runs, `drained` has, `lost` sends no heartbeats, `stopped` ended.',
  })
  readonly state!: (typeof RIG_STATES)[number];

  @ApiProperty({
    type: [String],
    example: ['quipu/nano'],
    description: 'Their ids in the catalog; of a worker the names of its model files.',
  })
  readonly models!: readonly string[];

  @NullableField(String, undefined, 'NVIDIA')
  readonly brand!: string | null;

  @NullableField(String, 'Its first accelerator, or its processor. Null for a rig of the catalog.')
  readonly device!: string | null;

  @NullableField(Number, 'Of all its accelerators, or of the machine where it has none.')
  readonly memory_bytes!: number | null;

  @NullableField(
    Number,
    'Requests of this gateway at a rig of the catalog; tasks of all gateways at a worker. ' +
      'Null for a worker that is not heard.',
  )
  readonly in_flight!: number | null;

  @NullableField(Number, 'How many it takes at once.')
  readonly max_concurrency!: number | null;

  @NullableField(Number, 'The measured capacity of a worker: tasks done in a second with tasks.')
  readonly tasks_per_second!: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'By model, the moving average of this gateway’s streams. Empty: not measured.',
  })
  readonly first_token_ms!: Readonly<Record<string, number>>;

  @ApiProperty({
    type: String,
    enum: [...BADGES, null],
    nullable: true,
    description: 'Null without a valid certification; `status` says why.',
  })
  readonly badge!: Badge | null;

  @ApiProperty({
    enum: ['valid', 'expired', 'outdated', 'never_certified'],
    description: '`outdated`: the worker has another device, or other models, than were measured.',
  })
  readonly status!: 'valid' | 'expired' | 'outdated' | 'never_certified';

  @NullableField(CertificationDto, 'The last one, also when it is no longer valid.')
  readonly certification!: CertificationDto | null;
}

export class RigListDto extends AnswerDto {
  @ApiProperty({
    type: [RigDto],
    description: 'The rigs of the catalog in its order, then the rigs of workers by name.',
  })
  readonly rigs!: readonly RigDto[];
}

export class CertificationSubmittedDto extends AnswerDto {
  @ApiProperty({ example: 'built-in' })
  readonly rig!: string;

  @ApiProperty({ description: 'The id of the job, and later of the certification.' })
  readonly job_id!: string;
}
