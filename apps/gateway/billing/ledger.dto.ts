import { ApiProperty } from '@nestjs/swagger';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';

class OpenHoldDto {
  @ApiProperty({ format: 'uuid', description: 'Of the request or the job that it pays for.' })
  readonly id!: string;
  @ApiProperty({ example: 'chat_completion' })
  readonly product!: string;
  @ApiProperty({ example: 0.0042, description: 'The most that the work can cost.' })
  readonly held_usd!: number;
  @ApiProperty({ example: '2026-11-22T14:03:00.123Z' })
  readonly placed_at!: string;
  @ApiProperty({ example: '2026-11-22T14:13:00.123Z' })
  readonly expires_at!: string;
  @NullableField(String, 'As it was asked for. Null: none, or several.', 'quipu/mini')
  readonly model!: string | null;
  @NullableField(String, 'The id under which the key counts. Null: no key asked for the work.')
  readonly key_id!: string | null;
}

export class OpenHoldsDto extends AnswerDto {
  @ApiProperty({ type: 'integer', example: 3, description: 'Of all, also beyond the list.' })
  readonly total!: number;
  @ApiProperty({ type: [OpenHoldDto] })
  readonly holds!: readonly OpenHoldDto[];
  @ApiProperty({ example: '42', description: 'The number of events of the log.' })
  readonly position!: string;
}
