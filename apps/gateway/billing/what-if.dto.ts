import { ApiProperty } from '@nestjs/swagger';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { IntegerField, TextField } from '../fields/request-fields.js';
import { AccountOptionDto } from '../requests/requests.dto.js';

const DAY = { matches: /^\d{4}-\d\d-\d\d$/, expected: 'a day such as 2026-11-30' };
const VERSION_MAX = 2_147_483_647;

export class WhatIfQueryDto extends AccountOptionDto {
  @TextField({ ...DAY, description: 'The first day, in UTC.', example: '2026-11-01' })
  readonly from!: string;

  @TextField({ ...DAY, description: 'The last day, in UTC.', example: '2026-11-30' })
  readonly to!: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: VERSION_MAX,
    fromText: true,
    description: 'The version of the rate card with the other prices. Default: the newest.',
  })
  readonly rate_card?: number;

  @TextField({
    required: false,
    maxLength: 64,
    description: 'A rig of that card, whose hourly price rentals then have at every rig.',
  })
  readonly rig?: string;
}

class RepricedLineDto {
  @ApiProperty({ example: 'chat_completion' })
  readonly purpose!: string;
  @NullableField(String, 'Null: of no model.', 'quipu/nano')
  readonly model!: string | null;
  @ApiProperty({ example: 'input_tokens' })
  readonly meter!: string;
  @ApiProperty({ example: '81230', description: 'The units that were charged.' })
  readonly quantity!: string;
  @ApiProperty({ example: '0.05', description: 'USD for `from_per` units, as charged.' })
  readonly from_usd!: string;
  @ApiProperty({ example: 1_000_000 })
  readonly from_per!: number;
  @ApiProperty({ example: '0.06', description: 'USD for `to_per` units, at the other prices.' })
  readonly to_usd!: string;
  @ApiProperty({ example: 1_000_000 })
  readonly to_per!: number;
  @ApiProperty({
    example: '0.0008123',
    description:
      'In USD, above 0 where the other price is higher; charges round up, this does not.',
  })
  readonly difference_usd!: string;
}

export class WhatIfDto extends PositionedAnswerDto {
  @ApiProperty({ example: '2026-11-01' })
  readonly from!: string;
  @ApiProperty({ example: '2026-11-30' })
  readonly to!: string;
  @ApiProperty({ example: 3, description: 'The version of the rate card with the other prices.' })
  readonly rate_card!: number;
  @NullableField(String, 'Null: rentals have the price of their own rig.', 'vllm')
  readonly rig!: string | null;
  @ApiProperty({ example: 12 })
  readonly charges!: number;
  @ApiProperty({ example: 0, description: 'Charges without a price there: they stay as they are.' })
  readonly unpriced_charges!: number;
  @ApiProperty({ example: '0.052', description: 'In USD, before corrections.' })
  readonly charged_usd!: string;
  @ApiProperty({ example: '0.0624', description: 'In USD, at the other prices.' })
  readonly repriced_usd!: string;
  @ApiProperty({ example: '0.0104', description: 'In USD, above 0 where it would be more.' })
  readonly difference_usd!: string;
  @ApiProperty({ type: [RepricedLineDto], description: 'Only prices that differ.' })
  readonly lines!: readonly RepricedLineDto[];
}
