import { ApiProperty } from '@nestjs/swagger';
import { SPEND_GROUPS_EXPECTED } from '#areas/requests/spend-groups.js';
import { UTC } from '#areas/requests/spend.handler.js';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, TextField } from '../fields/request-fields.js';
import { AccountOptionDto } from './requests.dto.js';

const DAY = { matches: /^\d{4}-\d\d-\d\d$/, expected: 'a day such as 2026-11-30' };
const KINDS = ['usage', 'credit_note', 'rerating'] as const;

export class SpendQueryDto extends AccountOptionDto {
  @TextField({ ...DAY, description: 'The first day, in the time zone.', example: '2026-11-01' })
  readonly from!: string;

  @TextField({ ...DAY, description: 'The last day, in the time zone.', example: '2026-11-30' })
  readonly to!: string;

  @TextField({
    required: false,
    default: 'day',
    description: `The sums are by these groups: ${SPEND_GROUPS_EXPECTED}.`,
    example: 'day,model,tag:project',
    matches: /^[A-Za-z0-9_.:,-]{1,600}$/,
    expected: SPEND_GROUPS_EXPECTED,
  })
  readonly by: string = 'day';

  @TextField({
    required: false,
    default: UTC,
    maxLength: 64,
    description: 'The time zone of the days, by its name in the IANA database.',
    example: 'Europe/Berlin',
  })
  readonly tz: string = UTC;
}

export class SpendFileQueryDto extends SpendQueryDto {
  @ChoiceField(['rows', 'focus'], {
    required: false,
    default: 'rows',
    description:
      '`focus`: the columns of FOCUS 1.2, by all groups, for days in UTC; `by` ' +
      'and `tz` are not read.',
  })
  readonly format: 'rows' | 'focus' = 'rows';
}

class SpendRowDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', nullable: true },
    description: 'The value of each group; null where there is none.',
    example: { day: '2026-11-25', model: 'quipu/mini', 'tag:project': null },
  })
  readonly group!: Readonly<Partial<Record<string, string | null>>>;
  @ApiProperty({ enum: KINDS, description: 'A correction is a row of its own.' })
  readonly kind!: (typeof KINDS)[number];
  @NullableField(String, 'The month that a correction is of.', '2026-10')
  readonly corrects!: string | null;
  @NullableField(String, 'Units of the class. Null: not by class, or a correction.', '81230')
  readonly quantity!: string | null;
  @ApiProperty({ example: '0.052', description: 'Exact; below zero where it was given back.' })
  readonly amount_usd!: string;
}

export class SpendDto extends PositionedAnswerDto {
  @ApiProperty({ example: '2026-11-01' })
  readonly from!: string;
  @ApiProperty({ example: '2026-11-30' })
  readonly to!: string;
  @ApiProperty({ example: 'Europe/Berlin' })
  readonly tz!: string;
  @ApiProperty({ type: [SpendRowDto] })
  readonly rows!: readonly SpendRowDto[];
  @ApiProperty({ example: '0.31', description: 'The sum of all rows, exact.' })
  readonly total_usd!: string;
}
