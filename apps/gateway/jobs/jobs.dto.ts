import { ApiProperty } from '@nestjs/swagger';
import { SHOWN_STATUSES, type ShownStatus } from '#projections/jobs/jobs.projection.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField, NullableInstant } from '../fields/answer-fields.js';
import { ChoiceField, CursorField, IntegerField, TextField } from '../fields/request-fields.js';

export const JOBS_LIMIT_DEFAULT = 20;
export const JOBS_LIMIT_MAX = 100;

export class JobsPageDto {
  @TextField({
    required: false,
    example: 'batch',
    description: 'Only jobs of this type.',
    matches: /^[a-z][a-z0-9-]{0,63}$/,
    expected: 'the name of a job type',
  })
  readonly type?: string;

  @ChoiceField(SHOWN_STATUSES, { required: false, description: 'Only jobs in this state.' })
  readonly state?: ShownStatus;

  @TextField({
    required: false,
    example: '7',
    description:
      'An account. Default: the account of the caller. Another one needs the role Admin.',
    matches: /^[a-z0-9][a-z0-9-]{0,63}$/,
    expected: 'the id of an account',
  })
  readonly account_id?: string;

  @CursorField()
  readonly after?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: JOBS_LIMIT_MAX,
    default: JOBS_LIMIT_DEFAULT,
    description: 'The number of jobs of a page.',
    fromText: true,
  })
  readonly limit: number = JOBS_LIMIT_DEFAULT;
}

const details = (description: string) => ({
  type: 'object' as const,
  additionalProperties: true,
  description,
});

export class JobProgressDto {
  @ApiProperty({ example: 120, description: 'Units of work, as the type counts them.' })
  readonly done!: number;
  @NullableField(Number, 'Null: not known.', 2_000)
  readonly total!: number | null;
  @ApiProperty(details('What the type shows of its progress.'))
  readonly details!: Readonly<Record<string, unknown>>;
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly progressed_at!: string;
}

export class JobUsageDto {
  @ApiProperty({ required: false, type: String, example: 'draft' })
  readonly step?: string;
  @ApiProperty({ required: false, type: String, description: 'The rig that did the work.' })
  readonly rig?: string;
  @ApiProperty({ example: 'output_tokens' })
  readonly meter!: string;
  @ApiProperty({ example: 2_100 })
  readonly quantity!: number;
}

export class JobResultDto {
  @ApiProperty({ example: '9f86d081884c7d65…', description: 'The address of the sealed result.' })
  readonly address!: string;
  @ApiProperty({ example: 4_096, description: 'The size of the result as JSON.' })
  readonly bytes!: number;
  @ApiProperty(details('What the type shows of the result.'))
  readonly summary!: Readonly<Record<string, unknown>>;
  @ApiProperty({ example: true, description: 'False: the result is no longer kept.' })
  readonly is_kept!: boolean;
}

export class JobFaultDto {
  @ApiProperty({ example: 'lost' })
  readonly code!: string;
  @ApiProperty({ example: 'the host is silent' })
  readonly message!: string;
}

export class JobChargeDto {
  @ApiProperty({
    enum: ['charged', 'free', 'uncollected'],
    description: 'Uncollected: the account could not pay.',
  })
  readonly outcome!: 'charged' | 'free' | 'uncollected';
  @ApiProperty({ example: '450', description: 'Millionths of a dollar.' })
  readonly amount_micro_usd!: string;
}

export class JobDto {
  @ApiProperty({ example: '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f' })
  readonly id!: string;
  @ApiProperty({ example: '7' })
  readonly account_id!: string;
  @ApiProperty({ example: 'batch' })
  readonly type!: string;
  @ApiProperty({ enum: SHOWN_STATUSES })
  readonly state!: ShownStatus;
  @ApiProperty(details('What the type shows of the input.'))
  readonly summary!: Readonly<Record<string, unknown>>;
  @ApiProperty({ type: [String], description: 'Jobs that must be completed before it starts.' })
  readonly after!: readonly string[];
  @NullableField(String, 'The job that submitted it.')
  readonly parent_id!: string | null;
  @NullableField(String, 'The job that it repeats.')
  readonly retry_of!: string | null;
  @ApiProperty({ example: 1, description: 'The last attempt, from 1; 0 before the first.' })
  readonly attempt!: number;
  @ApiProperty({ example: 3 })
  readonly attempts_max!: number;
  @NullableField(JobProgressDto)
  readonly progress!: JobProgressDto | null;
  @ApiProperty({ type: [JobUsageDto], description: 'Of all attempts.' })
  readonly usage!: readonly JobUsageDto[];
  @NullableField(JobResultDto, 'Of a completed job.')
  readonly result!: JobResultDto | null;
  @NullableField(JobFaultDto, 'Why it failed, or why the last attempt ended.')
  readonly error!: JobFaultDto | null;
  @ApiProperty({
    type: String,
    enum: ['queue', 'run', 'funds', null],
    nullable: true,
    description: 'What has run out, of a job that timed out.',
  })
  readonly limit!: 'queue' | 'run' | 'funds' | null;
  @NullableField(JobChargeDto, 'Null: it costs nothing, or is not settled.')
  readonly charge!: JobChargeDto | null;
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly submitted_at!: string;
  @ApiProperty({
    example: '2026-11-21T04:58:00.000Z',
    description: 'It times out when no attempt has started by then.',
  })
  readonly start_before!: string;
  @NullableInstant('The start of the first attempt.')
  readonly started_at!: string | null;
  @NullableInstant('When the attempt that runs times out.')
  readonly run_until!: string | null;
  @NullableInstant('A paused job times out then.')
  readonly paused_until!: string | null;
  @NullableInstant('When it was completed, failed, cancelled or timed out.')
  readonly ended_at!: string | null;
}

export class JobAnswerDto extends AnswerDto {
  @ApiProperty({ type: JobDto })
  readonly job!: JobDto;
}

export class JobListDto extends AnswerDto {
  @ApiProperty({ type: [JobDto], description: 'Newest first.' })
  readonly jobs!: readonly JobDto[];
  @NullableField(String, 'The `after` of the next page; null: this is the last one.')
  readonly next_after!: string | null;
}
