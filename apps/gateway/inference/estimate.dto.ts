import { ApiProperty } from '@nestjs/swagger';
import { NullableField } from '../fields/answer-fields.js';

export class EstimatedTierDto {
  @NullableField(String, 'The service tier; null for the standard one.', 'flex')
  readonly service!: string | null;
  @NullableField(Number, 'The edge below the largest input that the request may have.', 272_000)
  readonly above_input_tokens!: number | null;
  @NullableField(String, 'The period of prices that has this instant.', 'peak')
  readonly period!: string | null;
  @NullableField(String, 'The place of the work, where it has a price.', 'us')
  readonly residency!: string | null;
}

export class EstimatedLineDto {
  @ApiProperty({ example: 'input_tokens' })
  readonly meter!: string;
  @ApiProperty({ example: 1_200, description: 'The most units that the request may use.' })
  readonly quantity!: number;
  @ApiProperty({
    example: 2.5,
    description: 'The dearest that one of them may be, for `per` units.',
  })
  readonly usd!: number;
  @ApiProperty({ example: 1_000_000 })
  readonly per!: number;
}

export class EstimateRejectionDto {
  @ApiProperty({ example: 'insufficient_balance' })
  readonly code!: string;
  @ApiProperty({ example: 'the balance is 0.02 USD, this request may cost 0.31 USD' })
  readonly message!: string;
  @NullableField(String, 'The field at fault.', 'model')
  readonly param!: string | null;
  @ApiProperty({ example: 402, description: 'The status that the request would be answered with.' })
  readonly status!: number;
}

export class EstimateDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @NullableField(
    String,
    'The id in the catalog; null where the request has no price.',
    'quipu/nano',
  )
  readonly model!: string | null;
  @NullableField(Number, 'Of the prices.', 3)
  readonly rate_card_version!: number | null;
  @ApiProperty({ type: EstimatedTierDto, nullable: true })
  readonly tier!: EstimatedTierDto | null;
  @ApiProperty({
    type: [EstimatedLineDto],
    description: 'Of the hold that the request would have.',
  })
  readonly lines!: readonly EstimatedLineDto[];
  @NullableField(Number, 'No charge for the request is above it.', 0.0123)
  readonly max_cost_usd!: number | null;
  @NullableField(Number, 'Without the open holds; null where the ledger would refuse.', 9.98)
  readonly available_usd!: number | null;
  @ApiProperty({ example: true, description: 'Whether the request would run now.' })
  readonly would_run!: boolean;
  @ApiProperty({
    type: [EstimateRejectionDto],
    description: 'Why it would not; the first is the answer.',
  })
  readonly rejections!: readonly EstimateRejectionDto[];
}
