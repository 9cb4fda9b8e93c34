import { ApiProperty, OmitType } from '@nestjs/swagger';
import {
  Validate,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { IntegerField, TextField } from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';

const DEGREE_MAX = 64;
const SHARDS_MAX = 512;
const MODEL_LENGTH_MAX = 200;
const PEBIBYTE = 2 ** 50;
const RESERVATION_SEC_DEFAULT = 3_600;
const RESERVATION_SEC_MIN = 1;
const RESERVATION_SEC_MAX = 86_400;

@ValidatorConstraint()
class FewShards implements ValidatorConstraintInterface {
  validate(tpDegree: unknown, { object }: ValidationArguments): boolean {
    const { pp_degree: ppDegree } = object as { readonly pp_degree?: unknown };
    return Number(ppDegree) * Number(tpDegree) <= SHARDS_MAX;
  }
}

export class PlacementOrderDto {
  @TextField({
    required: false,
    maxLength: MODEL_LENGTH_MAX,
    example: 'quipu/mini',
    description: 'The account’s own name for the placed model.',
    minLength: 1,
  })
  readonly model?: string;

  @IntegerField({ minimum: 1, maximum: DEGREE_MAX, example: 4, description: 'Stages.' })
  readonly pp_degree!: number;

  @IntegerField({
    required: false,
    default: 1,
    minimum: 1,
    maximum: DEGREE_MAX,
    description: `The parts of each stage. With the stages there are at most ${SHARDS_MAX} parts.`,
  })
  @Validate(FewShards, {
    message: `a product of pp_degree and tp_degree of at most ${SHARDS_MAX}`,
  })
  readonly tp_degree: number = 1;

  @IntegerField({
    minimum: 1,
    maximum: PEBIBYTE,
    example: 68_719_476_736,
    description: 'What the whole pipeline needs. Each part gets an equal share, rounded up.',
  })
  readonly memory_bytes!: number;

  @IntegerField({
    required: false,
    default: RESERVATION_SEC_DEFAULT,
    minimum: RESERVATION_SEC_MIN,
    maximum: RESERVATION_SEC_MAX,
    description: 'How long the memory is reserved without a release.',
  })
  readonly reservation_sec: number = RESERVATION_SEC_DEFAULT;
}

export class PlacedShardDto {
  @ApiProperty({ example: 0, description: 'From 0, in the order of the pipeline.' })
  readonly stage!: number;
  @ApiProperty({ example: 0, description: 'From 0, within the stage.' })
  readonly rank!: number;
  @ApiProperty({ example: 'worker-5f0c1a2b3c4d5e6f' })
  readonly rig!: string;
  @NullableField(Number, 'The device, from 0. Null: the memory of the host.', 0)
  readonly device!: number | null;
  @ApiProperty({ example: 17_179_869_184 })
  readonly memory_bytes!: number;
}

export class PlacedLinkDto {
  @ApiProperty({ example: 'worker-5f0c1a2b3c4d5e6f' })
  readonly from!: string;
  @ApiProperty({ example: 'worker-6a1d2b3c4d5e6f70' })
  readonly to!: string;
  @NullableField(Number, 'By a timed transfer. Null: none succeeded.', 8.4)
  readonly bandwidth_gbps!: number | null;
}

export class PlacementResultDto {
  @ApiProperty({ enum: ['orchestrated'] })
  readonly status!: 'orchestrated';
  @ApiProperty({ example: 12, description: 'The id of the placement.' })
  readonly job_id!: number;
  @ApiProperty({ example: 4 })
  readonly pp_degree!: number;
  @ApiProperty({ example: 1 })
  readonly tp_degree!: number;
  @ApiProperty({ example: 4, description: 'The parts of all stages.' })
  readonly stages_allocated!: number;
  @NullableField(
    Number,
    'The slowest link between rigs whose stages follow each other, by timed transfers. Null: ' +
      'there is one rig, or a transfer did not succeed.',
    8.4,
  )
  readonly cross_node_bandwidth_gbps!: number | null;
  @ApiProperty({ type: [PlacedShardDto] })
  readonly shards!: readonly PlacedShardDto[];
  @ApiProperty({ type: [PlacedLinkDto], description: 'In the order of the pipeline.' })
  readonly links!: readonly PlacedLinkDto[];
  @InstantField('The reservation ends then without a release.')
  readonly expires_at!: string;
  @ApiProperty({
    description: 'How many events of the log the answer reflects, for `asOf`.',
    example: '42',
  })
  readonly position!: string;
}

export class PlacementIdDto {
  @IntegerField({
    minimum: 1,
    description: 'The `job_id` of the placement.',
    maximum: Number.MAX_SAFE_INTEGER,
    fromText: true,
  })
  readonly id!: number;
}

export class PlacementDto {
  @ApiProperty({ example: 12 })
  readonly job_id!: number;
  @ApiProperty({ enum: ['placed', 'released', 'expired'] })
  readonly status!: 'placed' | 'released' | 'expired';
  @NullableField(String, undefined, 'quipu/mini')
  readonly model!: string | null;
  @ApiProperty({ example: 4 })
  readonly pp_degree!: number;
  @ApiProperty({ example: 1 })
  readonly tp_degree!: number;
  @ApiProperty({ example: 68_719_476_736, description: 'Of the whole pipeline, as ordered.' })
  readonly memory_bytes!: number;
  @ApiProperty({ example: 4, description: 'The parts of all stages.' })
  readonly stages_allocated!: number;
  @NullableField(Number, 'As in the answer to the order.')
  readonly cross_node_bandwidth_gbps!: number | null;
  @ApiProperty({ type: [PlacedShardDto] })
  readonly shards!: readonly PlacedShardDto[];
  @ApiProperty({ type: [PlacedLinkDto] })
  readonly links!: readonly PlacedLinkDto[];
  @InstantField('When the stages were placed.')
  readonly placed_at!: string;
  @InstantField('The reservation ends then without a release.')
  readonly expires_at!: string;
  @NullableField(String, 'Null: the placement is in force.')
  readonly ended_at!: string | null;
}

export class PlacementAnswerDto extends PositionedAnswerDto {
  @ApiProperty({ type: PlacementDto })
  readonly placement!: PlacementDto;
}

/** The list has no past states: whether a placement is in force depends on the present. */
export class PlacementsPageDto extends OmitType(PageDto, ['asOf']) {}

export class PlacementListDto extends PageOfListDto {
  @ApiProperty({ type: [PlacementDto], description: 'Newest first.' })
  readonly placements!: readonly PlacementDto[];
}
