import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { STREAM_ID_PATTERN } from './resumption.js';

export class StreamIdDto {
  @ApiProperty({ description: 'The `x-request-id` of the answer.', pattern: STREAM_ID_PATTERN })
  @Matches(new RegExp(STREAM_ID_PATTERN), { message: 'stream_id must be a UUID in lower case' })
  readonly stream_id!: string;
}

const STATUSES = ['cancelling', 'ended'] as const;

export class CancelledStreamDto {
  @ApiProperty()
  readonly id!: string;
  @ApiProperty({ enum: ['stream'] })
  readonly object!: 'stream';
  @ApiProperty({ enum: STATUSES, description: 'A stream that had ended before stays as it is.' })
  readonly status!: (typeof STATUSES)[number];
}
