import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { IntegerField, TextField, UuidField } from '../fields/request-fields.js';

/** In plain digits, without leading zeroes: a size has one spelling. */
const wholeNumber = ({ value }: { readonly value: unknown }): unknown =>
  typeof value === 'string' && /^(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : Number.NaN;

const WholeNumberField = (example: number, description: string): PropertyDecorator =>
  applyDecorators(
    IntegerField({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, example, description }),
    Transform(wholeNumber),
  );

export class AuditedRequestIdDto {
  @UuidField({
    description: 'The header `x-request-id` of an answer.',
    expected: 'the id of a request: a UUID',
  })
  readonly request_id!: string;
}

export class LeafParametersDto {
  @WholeNumberField(7, 'The index of the leaf, from 0.')
  readonly leaf!: number;
}

export class ConsistencyQueryDto {
  @WholeNumberField(1, 'The size of the older tree.')
  readonly from!: number;

  @WholeNumberField(2, 'The size of the newer tree.')
  readonly to!: number;
}

const HASH = 'cZ3+q3MpKZP8+Dwzdd8IGHgZsBfg4bEcKkeYxD0yzSc=';

export class ConsistencyDto extends AnswerDto {
  @ApiProperty({ example: 1 })
  readonly from!: number;

  @ApiProperty({ example: 2 })
  readonly to!: number;

  @ApiProperty({ example: HASH, description: 'The root of the older tree, in base64.' })
  readonly from_root!: string;

  @ApiProperty({ example: HASH, description: 'The root of the newer tree, in base64.' })
  readonly to_root!: string;

  @ApiProperty({
    type: [String],
    example: [HASH],
    description: 'The proof, by section 2.1.2 of RFC 6962, in base64.',
  })
  readonly hashes!: readonly string[];
}

const EVENTS_DEFAULT = 20;
const EVENTS_MAX = 100;
/** Streams and types are as long at most. */
const NAME_LENGTH_MAX = 200;

const BeginningField = (of: string, example: string): PropertyDecorator =>
  TextField({
    required: false,
    minLength: 1,
    maxLength: NAME_LENGTH_MAX,
    matches: /^[!-~]+$/,
    expected: `the beginning of a ${of}: at most ${NAME_LENGTH_MAX} ASCII characters, no spaces`,
    description: `Only events whose ${of} begins so.`,
    example,
  });

export class LogEventsPageDto {
  @IntegerField({
    required: false,
    default: 0,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The events behind this number of events.',
    fromText: true,
  })
  readonly after: number = 0;

  @IntegerField({
    required: false,
    default: EVENTS_DEFAULT,
    minimum: 1,
    maximum: EVENTS_MAX,
    description: 'The events of a page.',
    fromText: true,
  })
  readonly limit: number = EVENTS_DEFAULT;

  @BeginningField('stream', 'account-1')
  readonly stream?: string;

  @BeginningField('type', 'HoldCaptured')
  readonly type?: string;
}

export class LogEventParametersDto {
  @IntegerField({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    example: 8,
    description: 'The number of events up to this one, as for `asOf`.',
    fromText: true,
  })
  readonly position!: number;
}

export class LogEventDto {
  @ApiProperty({ example: '8', description: 'The number of events up to this one, as for `asOf`.' })
  readonly position!: string;

  @ApiProperty({ example: '0198c0de-0000-7000-8000-000000000004' })
  readonly event_id!: string;

  @ApiProperty({ example: 'account-1' })
  readonly stream!: string;

  @ApiProperty({ example: '2', description: 'The revision in its stream, in decimal.' })
  readonly revision!: string;

  @ApiProperty({ example: 'HoldCaptured' })
  readonly type!: string;

  @ApiProperty({ example: '2026-01-01T00:00:00.000Z' })
  readonly recorded_at!: string;

  @ApiProperty({
    example: '0198c0de-0000-7000-8000-000000000003',
    description: 'The event or the request that this event follows from.',
  })
  readonly causation_id!: string;

  @ApiProperty({ example: '0198c0de-0000-7000-8000-000000000003' })
  readonly request_id!: string;

  @ApiProperty({ example: 'user:1', description: 'Who caused it.' })
  readonly actor!: string;
}

export class LogEventsDto extends AnswerDto {
  @ApiProperty({ example: '42', description: 'The events of the published log.' })
  readonly position!: string;

  @ApiProperty({ type: [LogEventDto] })
  readonly events!: readonly LogEventDto[];

  @NullableField(String, 'For `after`, if there may be more.', '20')
  readonly next_after!: string | null;
}

export class AuditedEventDto extends LogEventDto {
  @ApiProperty({ example: 7, description: 'The index of the leaf, from 0.' })
  readonly leaf!: number;

  @ApiProperty({
    example: 'AQAAAAA=',
    description:
      'The canonical bytes of the event, in base64: the leaf is SHA-256 of 0x00 and them.',
  })
  readonly encoding!: string;

  @ApiProperty({ description: 'The inclusion proof with its checkpoint: C2SP tlog-proof.' })
  readonly proof!: string;
}

export class LogEventFoundDto extends AnswerDto {
  @ApiProperty({ description: 'The verifier key of the log, for the checkpoint of the proof.' })
  readonly verifier_key!: string;

  @ApiProperty({ type: AuditedEventDto })
  readonly event!: AuditedEventDto;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Its data.' })
  readonly data!: object;
}

class WitnessStateDto {
  @ApiProperty({ example: 'witness.example.com' })
  readonly name!: string;

  @ApiProperty({ description: 'Whether it has cosigned the last checkpoint.' })
  readonly has_cosigned!: boolean;
}

export class LogStateDto extends AnswerDto {
  @ApiProperty({ example: '42', description: 'The events of the last checkpoint.' })
  readonly position!: string;

  @ApiProperty({ example: HASH, description: 'The root of its tree, in base64.' })
  readonly root!: string;

  @ApiProperty({ description: 'The verifier key of the log.' })
  readonly verifier_key!: string;

  @ApiProperty({ example: 0, description: 'The events that no checkpoint covers yet.' })
  readonly unpublished_events!: number;

  @ApiProperty({ type: [WitnessStateDto], description: 'The witnesses that the log asks.' })
  readonly witnesses!: readonly WitnessStateDto[];

  @NullableField(String, 'Why the process of the answer signs no checkpoint any more.')
  readonly contradiction!: string | null;
}

export class AuditedRequestDto extends AnswerDto {
  @ApiProperty({ example: '0198c0de-0000-7000-8000-000000000003' })
  readonly request_id!: string;

  @ApiProperty({ description: 'The verifier key of the log, for the checkpoints of the proofs.' })
  readonly verifier_key!: string;

  @ApiProperty({ type: [AuditedEventDto], description: 'In the order of the log.' })
  readonly events!: readonly AuditedEventDto[];
}
