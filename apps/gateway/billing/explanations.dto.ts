import { ApiProperty } from '@nestjs/swagger';
import { NullableField } from '../fields/answer-fields.js';
import { TextField, UuidField } from '../fields/request-fields.js';
import { AsOfDto } from '../time-travel/as-of.dto.js';

export class RequestIdDto {
  @UuidField({
    description: 'The `x-request-id` of the answer.',
    expected: 'the id of a request: a UUID',
  })
  readonly id!: string;
}

export class ExplanationOptionsDto extends AsOfDto {
  @TextField({
    required: false,
    description: 'Of another account, for an Admin.',
    matches: /^[a-z0-9][a-z0-9-]{0,63}$/,
    expected: 'the id of an account',
  })
  readonly account_id?: string;
}

export class ExplainedEventDto {
  @ApiProperty({ example: 'HoldPlaced' })
  readonly type!: string;
  @ApiProperty({ format: 'uuid' })
  readonly event_id!: string;
  @ApiProperty({ example: '42', description: 'Its number in the log, from 1.' })
  readonly position!: string;
  @ApiProperty({ example: '7', description: 'In the stream of the account.' })
  readonly revision!: string;
  @ApiProperty({ example: '2026-11-22T14:03:00.123Z' })
  readonly recorded_at!: string;
  @NullableField(Number, undefined, 10)
  readonly available_before_usd!: number | null;
  @NullableField(Number, undefined, 9.9)
  readonly available_after_usd!: number | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'The facts of the event in snake case: lines, prices, rate card, rig, attempts, charge.',
  })
  readonly facts!: object;
}

class EvidenceDto {
  @ApiProperty({ format: 'uuid' })
  readonly event_id!: string;
  @ApiProperty({ example: '41' })
  readonly position!: string;
  @ApiProperty({ example: '2026-11-22T14:02:59.870Z' })
  readonly recorded_at!: string;
  @ApiProperty({ example: 0.0001 })
  readonly available_usd!: number;
}

class ExplainedRejectionDto {
  @ApiProperty({ example: 'budget_exceeded' })
  readonly code!: string;
  @ApiProperty()
  readonly message!: string;
  @ApiProperty({ example: '2026-11-22T14:03:00.123Z' })
  readonly rejected_at!: string;
  @ApiProperty({ type: 'object', additionalProperties: true })
  readonly facts!: object;
  @NullableField(Number, 'The worst-case price. Null: rejected before it was priced.', 0.02)
  readonly asked_usd!: number | null;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  readonly asked!: object | null;
  @ApiProperty({ example: '41', description: 'How many events of the log the decision rests on.' })
  readonly position!: string;
  @NullableField(EvidenceDto, 'The last event up to that position which states what was available.')
  readonly evidence!: EvidenceDto | null;
}

export class ExplanationDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty({ format: 'uuid' })
  readonly request_id!: string;
  @ApiProperty({ example: '1' })
  readonly account_id!: string;
  @ApiProperty({ enum: ['open', 'charged', 'free', 'rejected'] })
  readonly outcome!: string;
  @ApiProperty({ type: [ExplainedEventDto], description: 'Empty for a rejected request.' })
  readonly events!: readonly ExplainedEventDto[];
  @ApiProperty({ description: 'False when later events were not looked for.' })
  readonly complete!: boolean;
  @NullableField(ExplainedRejectionDto)
  readonly rejection!: ExplainedRejectionDto | null;
}
