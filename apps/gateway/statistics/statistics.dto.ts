import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, TextField } from '../fields/request-fields.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { AsOfDto } from '../time-travel/as-of.dto.js';

export const METRIC_TYPES = ['all', 'summary', 'revenue', 'hardware', 'telemetry'] as const;
export type MetricType = (typeof METRIC_TYPES)[number];

export class StatisticsQueryDto extends AsOfDto {
  @TextField({
    required: false,
    default: '24h',
    pattern: '^[1-9][0-9]{0,3}[hd]$',
    description: 'Hours or days, from `1h` to `365d`.',
    example: '30d',
    maxLength: 16,
  })
  readonly timespan: string = '24h';

  @ChoiceField(METRIC_TYPES, {
    required: false,
    default: 'all',
    description:
      'The charts of the answer: `revenue` (revenue_trend), `hardware` (gpu_brand_distribution), ' +
      '`telemetry` (telemetry_timeseries), `summary` (none) or `all`. The summary is always there.',
  })
  readonly metric_type: MetricType = 'all';
}

class PrivacyPolicyDto {
  @ApiProperty({ example: 'aggregated' })
  readonly data_type!: string;
  @ApiProperty()
  readonly pii_protection!: string;
  @ApiProperty()
  readonly aggregation!: string;
}

class SummaryDto {
  @ApiProperty({ description: 'Nodes that were seen in the last 30 days.', example: 12 })
  readonly total_compute_nodes!: number;
  @ApiProperty({
    description: 'Workers that report to be online, and rigs that worked in the last hour.',
    example: 9,
  })
  readonly online_nodes!: number;
  @NullableField(Number, 'Null: no node reports its units.')
  readonly total_active_units!: number | null;
  @NullableField(Number, 'Null: no node reports it.')
  readonly total_tflops_capacity!: number | null;
  @NullableField(Number, 'Null: by too few nodes or none.')
  readonly avg_gpu_temperature_c!: number | null;
  @NullableField(Number, 'Null: by too few nodes or none.')
  readonly avg_power_draw_w!: number | null;
  @NullableField(Number, 'Null: of too few accounts.')
  readonly total_inferences_24h!: number | null;
  @NullableField(Number, 'Null: of too few accounts.')
  readonly revenue_usd_timespan!: number | null;
  @ApiProperty({ description: 'How many events of the log these figures reflect.', example: '42' })
  readonly position!: string;
}

class DatasetDto {
  @ApiProperty({ example: 'revenue_usd' })
  readonly name!: string;
  @ApiProperty({
    type: 'array',
    items: { type: 'number', nullable: true },
    description: 'Null: of too few accounts or nodes, or not measured.',
  })
  readonly data!: readonly (number | null)[];
}

class TimeChartDto {
  @ApiProperty({ example: 'Revenue in USD' })
  readonly title!: string;
  @ApiProperty({ type: [String], description: 'When each point begins; ISO 8601 UTC.' })
  readonly labels!: readonly string[];
  @ApiProperty({ type: [DatasetDto] })
  readonly datasets!: readonly DatasetDto[];
  @ApiProperty({ description: 'How many events of the log this chart reflects.', example: '42' })
  readonly position!: string;
}

class ShareChartDto {
  @ApiProperty({ example: 'Nodes by brand' })
  readonly title!: string;
  @ApiProperty({ type: [String], example: ['NVIDIA', 'other'] })
  readonly labels!: readonly string[];
  @ApiProperty({ type: [Number], example: [9, 5] })
  readonly series!: readonly number[];
  @ApiProperty({ description: 'How many events of the log this chart reflects.', example: '42' })
  readonly position!: string;
}

class ChartsDto {
  @NullableField(TimeChartDto, 'Null: not asked for.')
  readonly revenue_trend!: TimeChartDto | null;
  @NullableField(ShareChartDto, 'Null: not asked for.')
  readonly gpu_brand_distribution!: ShareChartDto | null;
  @NullableField(TimeChartDto, 'Null: not asked for.')
  readonly telemetry_timeseries!: TimeChartDto | null;
}

export class StatisticsDto extends AnswerDto {
  @ApiProperty({ description: 'Epoch seconds; "now" in the figures.', example: 1_790_000_000 })
  readonly timestamp!: number;
  @ApiProperty({ example: '30d' })
  readonly timespan!: string;
  @ApiProperty({ enum: METRIC_TYPES })
  readonly metric_type!: MetricType;
  @ApiProperty({ type: PrivacyPolicyDto })
  readonly privacy_policy!: PrivacyPolicyDto;
  @ApiProperty({ type: SummaryDto })
  readonly summary!: SummaryDto;
  @ApiProperty({ type: ChartsDto })
  readonly charts!: ChartsDto;
  @ApiProperty({ description: 'How many events of the log every figure reflects.', example: '42' })
  readonly position!: string;
}

const DATA_SCOPES = ['account', 'platform'] as const;
export type DataScope = (typeof DATA_SCOPES)[number];

export class DataMovedQueryDto extends AsOfDto {
  @TextField({
    required: false,
    type: String,
    example: '2026-11',
    description: 'In UTC. Default: the current month.',
    matches: /^\d{4}-(0[1-9]|1[0-2])$/,
    expected: 'YYYY-MM',
  })
  readonly month?: string;

  @ChoiceField(DATA_SCOPES, {
    required: false,
    default: 'account',
    description: 'Answers to the account, or with `platform`, for an Admin, to all accounts.',
  })
  readonly scope: DataScope = 'account';
}

class MovedDto {
  @ApiProperty({ example: 2_417, description: 'Bytes of answers, without headers and framing.' })
  readonly bytes_out!: number;
  @ApiProperty({ example: 3, description: 'Charged answers.' })
  readonly answers!: number;
  @ApiProperty({ example: 0, description: 'Of these, answers whose bytes are not measured.' })
  readonly unmeasured_answers!: number;
}

class MovedByRigDto extends MovedDto {
  @NullableField(String, 'Null where no rig did all of the work.', 'local-vllm')
  readonly rig!: string | null;
}

export class DataMovedDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ enum: DATA_SCOPES })
  readonly scope!: string;
  @ApiProperty({ example: '2026-11' })
  readonly month!: string;
  @ApiProperty({
    example: 8_114,
    description:
      'Bytes of the answers of every route, on the wire, with headers and framing. Up to a ' +
      'minute late; the last minute of a process that was killed is missing.',
  })
  readonly bytes_out!: number;
  @ApiProperty({ example: 12, description: 'The answers of every route.' })
  readonly answers!: number;
  @ApiProperty({ type: MovedDto, description: 'The content of charged answers.' })
  readonly charged!: MovedDto;
  @ApiProperty({ type: [MovedByRigDto], description: 'The content of charged answers, by rig.' })
  readonly rigs!: readonly MovedByRigDto[];
  @ApiProperty({
    description: 'How many events of the log the answer reflects, for `asOf`.',
    example: '42',
  })
  readonly position!: string;
}
