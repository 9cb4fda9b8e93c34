import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../fields/request-fields.js';
import { STREAM_ID_PATTERN } from './resumption.js';

export class StreamIdDto {
  @TextField({
    description: 'The `x-request-id` of the answer.',
    matches: new RegExp(STREAM_ID_PATTERN),
    expected: 'a UUID in lower case',
  })
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
