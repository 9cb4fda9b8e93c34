import { ApiProperty } from '@nestjs/swagger';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';

export class RejectionsQueryDto {
  @TextField({
    required: false,
    description: 'Of another account, for an Admin.',
    matches: /^[a-z0-9][a-z0-9-]{0,63}$/,
    expected: 'the id of an account',
  })
  readonly account_id?: string;

  @TextField({
    required: false,
    maxLength: 64,
    description: 'Only with this code.',
    example: 'insufficient_balance',
  })
  readonly code?: string;
}

class RejectedRequestDto {
  @ApiProperty({ format: 'uuid' })
  readonly request_id!: string;
  @InstantField('When it was rejected.')
  readonly rejected_at!: string;
  @ApiProperty({ example: 'budget_exceeded' })
  readonly code!: string;
  @ApiProperty()
  readonly message!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The facts of the decision in snake case.',
  })
  readonly facts!: object;
  @NullableField(String, 'Of the product. Null: rejected before it was priced.', 'chat_completion')
  readonly purpose!: string | null;
  @NullableField(Number, 'The worst-case price. Null: rejected before it was priced.', 0.02)
  readonly asked_usd!: number | null;
}

export class RejectionsDto extends AnswerDto {
  @ApiProperty({ type: [RejectedRequestDto], description: 'The last one first.' })
  readonly rejections!: readonly RejectedRequestDto[];
}
