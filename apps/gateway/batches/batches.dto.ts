import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { NullableField } from '../fields/answer-fields.js';
import {
  ChoiceField,
  CursorField,
  IntegerField,
  ObjectField,
  TextField,
} from '../fields/request-fields.js';
import { IsMetadata, METADATA_KEYS_MAX } from './metadata.validator.js';

const ID_LENGTH_MAX = 128;
const HOUR_SECONDS = 3_600;
const MONTH_SECONDS = 2_592_000;

export class OutputExpiryDto {
  @ChoiceField(['created_at'], { description: 'The creation of the file.' })
  readonly anchor!: 'created_at';

  @IntegerField({ minimum: HOUR_SECONDS, maximum: MONTH_SECONDS })
  readonly seconds!: number;
}

export class CreateBatchDto {
  @TextField({
    example: 'file-2b9ac6a26d6d9ca1',
    description:
      'A file with the purpose `batch`: JSONL with `custom_id`, `method`, `url` and `body` in ' +
      'each line, up to 50,000 lines and 200 MiB.',
    minLength: 1,
    maxLength: ID_LENGTH_MAX,
  })
  readonly input_file_id!: string;

  @TextField({
    example: '/v1/chat/completions',
    description: 'The `url` of every line.',
    minLength: 1,
    maxLength: ID_LENGTH_MAX,
  })
  readonly endpoint!: string;

  @ChoiceField(['24h'], { description: 'Lines that have not run by then expire.' })
  readonly completion_window!: '24h';

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    additionalProperties: { type: 'string', maxLength: 512 },
    description: `Up to ${METADATA_KEYS_MAX} pairs, with keys of 64 and values of 512 characters.`,
  })
  @IsOptional()
  @IsMetadata()
  readonly metadata?: Readonly<Record<string, string>> | null;

  @ObjectField(OutputExpiryDto, {
    required: false,
    description: 'When the output and error files expire. Default: never.',
  })
  readonly output_expires_after?: OutputExpiryDto;
}

const PAGE_MAX = 100;
const PAGE_DEFAULT = 20;

export class BatchesPageDto {
  @CursorField('The id of the last batch of the page before.')
  readonly after?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: PAGE_MAX,
    default: PAGE_DEFAULT,
    description: 'The number of batches of a page.',
    fromText: true,
  })
  readonly limit: number = PAGE_DEFAULT;
}

export class BatchFaultDto {
  @ApiProperty({ example: 'duplicate_custom_id' })
  readonly code!: string;
  @ApiProperty({ example: 'custom_id is the one of line 1' })
  readonly message!: string;
  @NullableField(String, undefined, 'custom_id')
  readonly param!: string | null;
  @NullableField(Number, 'Counted from 1.', 2)
  readonly line!: number | null;
}

export class BatchFaultsDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  @ApiProperty({ type: [BatchFaultDto] })
  readonly data!: readonly BatchFaultDto[];
}

export class BatchCountsDto {
  @ApiProperty({ example: 100 })
  readonly total!: number;
  @ApiProperty({ example: 95 })
  readonly completed!: number;
  @ApiProperty({ example: 5, description: 'Lines that have run and failed.' })
  readonly failed!: number;
}

class InputTokensDetailsDto {
  @NullableField(Number, "Tokens that the provider's cache held; null where no line states any.")
  readonly cached_tokens!: number | null;
}

class OutputTokensDetailsDto {
  @NullableField(Number, 'Tokens of reasoning; null where no line states any.')
  readonly reasoning_tokens!: number | null;
}

export class BatchUsageDto {
  @ApiProperty({ example: 1_400 })
  readonly input_tokens!: number;
  @ApiProperty({ type: InputTokensDetailsDto })
  readonly input_tokens_details!: InputTokensDetailsDto;
  @ApiProperty({ example: 2_100 })
  readonly output_tokens!: number;
  @ApiProperty({ type: OutputTokensDetailsDto })
  readonly output_tokens_details!: OutputTokensDetailsDto;
  @ApiProperty({ example: 3_500 })
  readonly total_tokens!: number;
}

const STATUSES = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const;
export type BatchStatus = (typeof STATUSES)[number];

const instant = (description: string) => ({
  type: Number,
  nullable: true,
  example: 1_795_236_480,
  description,
});

export class BatchDto {
  @ApiProperty({ example: 'batch_0198c2f17a3b4c5d8e9f0a1b2c3d4e5f' })
  readonly id!: string;
  @ApiProperty({ enum: ['batch'] })
  readonly object!: 'batch';
  @ApiProperty({ example: '/v1/chat/completions' })
  readonly endpoint!: string;
  @NullableField(String, 'The one model of all lines.')
  readonly model!: string | null;
  @NullableField(BatchFaultsDto, 'Why the batch failed.')
  readonly errors!: BatchFaultsDto | null;
  @ApiProperty({ example: 'file-2b9ac6a26d6d9ca1' })
  readonly input_file_id!: string;
  @ApiProperty({ enum: ['24h'] })
  readonly completion_window!: string;
  @ApiProperty({ enum: STATUSES })
  readonly status!: BatchStatus;
  @NullableField(String, 'Null without a completed line.')
  readonly output_file_id!: string | null;
  @NullableField(String, 'Null if every line is completed.')
  readonly error_file_id!: string | null;
  @ApiProperty({ example: 1_795_236_480, description: 'Seconds since the Unix epoch, as all.' })
  readonly created_at!: number;
  @ApiProperty(instant('When the first line was about to run.'))
  readonly in_progress_at!: number | null;
  @ApiProperty(instant('When lines that have not run expire.'))
  readonly expires_at!: number | null;
  @ApiProperty(instant('When every line had run.'))
  readonly finalizing_at!: number | null;
  @ApiProperty(instant('When the files were there.'))
  readonly completed_at!: number | null;
  @ApiProperty(instant('When it failed.'))
  readonly failed_at!: number | null;
  @ApiProperty(instant('When its window was over and the files were there.'))
  readonly expired_at!: number | null;
  @ApiProperty(instant('When its cancellation was requested.'))
  readonly cancelling_at!: number | null;
  @ApiProperty(instant('When it was cancelled and the files were there.'))
  readonly cancelled_at!: number | null;
  @ApiProperty({ type: BatchCountsDto })
  readonly request_counts!: BatchCountsDto;
  @NullableField(BatchUsageDto, 'What is charged; at the end.')
  readonly usage!: BatchUsageDto | null;
  @ApiProperty({
    type: [String],
    description:
      'Why the charge is lower than the stated usage could mean, as for a chat; at the end.',
  })
  readonly usage_doubts!: readonly string[];
  @ApiProperty({ type: 'object', nullable: true, additionalProperties: { type: 'string' } })
  readonly metadata!: Readonly<Record<string, string>> | null;
}

export class BatchListDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  @ApiProperty({ type: [BatchDto], description: 'Newest first.' })
  readonly data!: readonly BatchDto[];
  @NullableField(String)
  readonly first_id!: string | null;
  @NullableField(String)
  readonly last_id!: string | null;
  @ApiProperty({ example: false })
  readonly has_more!: boolean;
}
