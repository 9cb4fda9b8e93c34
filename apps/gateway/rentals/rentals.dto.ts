import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { COMMAND_WORDS_MAX, WORD_LENGTH_MAX } from '#areas/rentals/rental-input.js';
import { SHOWN_STATUSES, type ShownStatus } from '#projections/jobs/jobs.projection.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { IntegerField, StringsField, TextField } from '../fields/request-fields.js';
import { IsEnvironment } from './environment.validator.js';

export const RENTALS_LIMIT_DEFAULT = 20;
const RENTALS_LIMIT_MAX = 100;
const NUMBER_MAX = 1_000_000_000;
const OFFSET_MAX = 1_000_000_000;

export class StartRentalDto {
  @TextField({
    example: 'rack-1',
    description: 'A rig with an hourly price.',
    matches: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    expected: 'the name of a rig',
  })
  readonly rig!: string;

  @StringsField({
    minItems: 1,
    maxItems: COMMAND_WORDS_MAX,
    example: ['python3', '-m', 'http.server', '20000'],
    description: 'The program and its arguments; it runs in the workspace.',
    itemLengthMax: WORD_LENGTH_MAX,
    itemMatches: /^[^\0]*$/,
    expected: `${COMMAND_WORDS_MAX} strings of ${WORD_LENGTH_MAX} characters without NUL at most`,
  })
  readonly command!: string[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { EPOCHS: '3' },
    description: 'Variables of the program. Names that begin with QUIPU_ are reserved.',
  })
  @IsOptional()
  @IsEnvironment()
  readonly environment?: Readonly<Record<string, string>>;

  @TextField({
    required: false,
    example: 'debian:stable-slim',
    description: 'The image of the container; default: the image of the installation.',
    matches: /^[a-z0-9][a-z0-9._/:@-]{0,254}$/,
    expected: 'the name of an image',
  })
  readonly image?: string;
}

export class RentalNumberDto {
  @IntegerField({
    example: 7,
    minimum: 1,
    description: 'The `job_id` of the rental.',
    maximum: NUMBER_MAX,
    fromText: true,
  })
  readonly id!: number;
}

export class RentalsPageDto {
  @IntegerField({
    required: false,
    description: 'The `next_after` of the page before.',
    minimum: 1,
    maximum: NUMBER_MAX,
    fromText: true,
  })
  readonly after?: number;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: RENTALS_LIMIT_MAX,
    default: RENTALS_LIMIT_DEFAULT,
    description: 'The number of rentals of a page.',
    fromText: true,
  })
  readonly limit: number = RENTALS_LIMIT_DEFAULT;
}

export class RentalLogPageDto {
  @IntegerField({
    required: false,
    minimum: 0,
    default: 0,
    description: 'In bytes; the `x-next-offset` of the piece before.',
    maximum: OFFSET_MAX,
    fromText: true,
  })
  readonly offset: number = 0;
}

export class RentalChargeDto {
  @ApiProperty({ enum: ['charged', 'free', 'uncollected'] })
  readonly outcome!: 'charged' | 'free' | 'uncollected';
  @ApiProperty({ example: '45000', description: 'Millionths of a dollar.' })
  readonly amount_micro_usd!: string;
}

export class RentalFaultDto {
  @ApiProperty({ example: 'rental_not_started' })
  readonly code!: string;
  @ApiProperty({ example: 'the program could not be started' })
  readonly message!: string;
}

export class RentalDto {
  @ApiProperty({ example: 7, description: 'For the file sync and the routes of rentals.' })
  readonly job_id!: number;
  @ApiProperty({ description: 'Of the job, for the routes of jobs.' })
  readonly job_uuid!: string;
  @ApiProperty({ enum: SHOWN_STATUSES })
  readonly status!: ShownStatus;
  @ApiProperty({ example: 'rack-1' })
  readonly rig!: string;
  @NullableField(String, 'Null: the default, or none.')
  readonly image!: string | null;
  @ApiProperty({ example: 20_000, description: 'Of 100 consecutive ports.' })
  readonly first_port!: number;
  @ApiProperty({ example: 20_099 })
  readonly last_port!: number;
  @ApiProperty({ example: 1.99 })
  readonly hourly_usd!: number;
  @ApiProperty({ example: 42, description: 'In which it ran; each started second counts.' })
  readonly seconds!: number;
  @ApiProperty({ type: String, enum: ['container', 'process', null], nullable: true })
  readonly engine!: string | null;
  @NullableField(
    Boolean,
    'Whether limits of memory, CPU and processes are in force; null: not started.',
  )
  readonly limits_enforced!: boolean | null;
  @NullableField(Number, 'Of a program that has ended.')
  readonly exit_code!: number | null;
  @NullableField(RentalFaultDto)
  readonly error!: RentalFaultDto | null;
  @NullableField(RentalChargeDto, 'Null: not settled.')
  readonly charge!: RentalChargeDto | null;
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly submitted_at!: string;
  @NullableField(String, undefined, '2026-11-21T04:48:01.000Z')
  readonly started_at!: string | null;
  @NullableField(String, 'Out of funds: it ends then.')
  readonly paused_until!: string | null;
  @NullableField(String)
  readonly ended_at!: string | null;
}

export class RentalAnswerDto extends AnswerDto {
  @ApiProperty({ type: RentalDto })
  readonly rental!: RentalDto;
}

export class RentalListDto extends AnswerDto {
  @ApiProperty({ type: [RentalDto], description: 'Newest first.' })
  readonly rentals!: readonly RentalDto[];
  @NullableField(Number, 'Null: this is the last page.')
  readonly next_after!: number | null;
}

export class FileSyncDto extends AnswerDto {
  @ApiProperty({ example: 'File synced.' })
  readonly message!: string;
  @ApiProperty({ example: 'src/train.py' })
  readonly file_path!: string;
  @ApiProperty({ example: 2_048, description: 'Of the file, in bytes.' })
  readonly size!: number;
  @ApiProperty({ description: 'Of the file, in hex: as the request named it, else its SHA-256.' })
  readonly checksum!: string;
}
