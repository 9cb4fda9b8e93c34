import { ApiProperty } from '@nestjs/swagger';
import { MARGIN_GROUPS } from '#areas/costs/margin-groups.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';
import { AsOfDto } from '../time-travel/as-of.dto.js';

const DAY = { matches: /^\d{4}-\d\d-\d\d$/, expected: 'a day such as 2026-11-30' };
const GROUP = MARGIN_GROUPS.join('|');

export class MarginQueryDto extends AsOfDto {
  @TextField({ ...DAY, description: 'The first day, in UTC.', example: '2026-11-01' })
  readonly from!: string;

  @TextField({ ...DAY, description: 'The last day, in UTC.', example: '2026-11-30' })
  readonly to!: string;

  @TextField({
    required: false,
    default: 'model',
    description: 'What the sums are by: names joined by commas.',
    example: 'day,model',
    matches: new RegExp(`^(${GROUP})(,(${GROUP})){0,4}$`),
    expected: `names of ${MARGIN_GROUPS.join(', ')}, joined by commas`,
  })
  readonly by: string = 'model';

  @TextField({ required: false, maxLength: 64, description: 'Only of this account.' })
  readonly account?: string;

  @TextField({ required: false, maxLength: 64, description: 'Only of this rig.' })
  readonly rig?: string;
}

class MarginRowDto {
  @NullableField(String, 'Null: the sums are not by it.', '2026-11-25')
  readonly day!: string | null;
  @NullableField(String, 'Null: not by it, or work of the platform itself.', '7')
  readonly account!: string | null;
  @NullableField(String, 'Null: not by it, or of no single rig.', 'openrouter')
  readonly rig!: string | null;
  @NullableField(String, 'Null: not by it, or of no model.', 'quipu/mini')
  readonly model!: string | null;
  @NullableField(String, 'The model id in the requests to rigs. Null: not by it.', 'llama-70b')
  readonly sent!: string | null;
  @ApiProperty({ example: 12 })
  readonly charges!: number;
  @ApiProperty({ example: '0.052', description: 'Exact, in USD.' })
  readonly charged_usd!: string;
  @ApiProperty({ example: 14, description: 'Attempts that reached a rig.' })
  readonly attempts!: number;
  @ApiProperty({ example: 9, description: 'Of these, attempts whose cost the provider stated.' })
  readonly stated_costs!: number;
  @ApiProperty({ example: 4, description: 'Attempts whose cost follows from a purchase price.' })
  readonly computed_costs!: number;
  @ApiProperty({ example: 81_230, description: 'Of the attempts whose usage is known.' })
  readonly input_tokens!: number;
  @ApiProperty({ example: 9_120 })
  readonly output_tokens!: number;
  @NullableField(String, 'Exact, in USD. Null: no cost is known.', '0.0312')
  readonly cost_usd!: string | null;
  @NullableField(String, 'Charged less known cost. Null: no cost is known.', '0.0208')
  readonly margin_usd!: string | null;
}

export class MarginDto extends AnswerDto {
  @ApiProperty({ example: '2026-11-01' })
  readonly from!: string;
  @ApiProperty({ example: '2026-11-30' })
  readonly to!: string;
  @ApiProperty({ type: [MarginRowDto] })
  readonly rows!: readonly MarginRowDto[];
  @ApiProperty({ description: 'The log position that the answer reflects.', example: '42' })
  readonly position!: string;
}
