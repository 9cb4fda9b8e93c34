import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional } from 'class-validator';
import { type Aggregate, AGGREGATES } from '#areas/cleanrooms/room-query.js';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import {
  ChoiceField,
  IntegerField,
  NumberField,
  ObjectsField,
  StringsField,
  TextField,
} from '../fields/request-fields.js';
import { PageDto } from '../pages/page.dto.js';

const VALUES_MAX = 1_000;
const CONDITIONS_MAX = 8;
const VALUES = `an array of 1 to ${VALUES_MAX} values`;

const ColumnNameField = (options: { readonly required?: boolean; readonly description?: string }) =>
  TextField({ example: 'wait_hours', maxLength: 64, ...options });

const AmountField = (description: string): PropertyDecorator =>
  NumberField({ required: false, minimum: 0, maximum: 1_000, decimalsMax: 9, description });

export class ConditionDto {
  @ColumnNameField({ description: 'A column of the schema.' })
  readonly column!: string;

  @ApiProperty({
    required: false,
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    minItems: 1,
    maxItems: VALUES_MAX,
    description: 'Rows with one of these values.',
    example: ['north'],
  })
  @IsOptional()
  @IsArray({ message: VALUES })
  @ArrayMinSize(1, { message: VALUES })
  @ArrayMaxSize(VALUES_MAX, { message: VALUES })
  readonly in?: readonly unknown[];

  @NumberField({ required: false, example: 0, description: 'Of a number column: at least this.' })
  readonly from?: number;

  @NumberField({ required: false, example: 4, description: 'Of a number column: at most this.' })
  readonly to?: number;
}

export class RoomQueryDto {
  /** Eight conditions of a thousand values. */
  static readonly valuesMax = 9_000;

  @ChoiceField(AGGREGATES, {
    description:
      '`histogram` counts each value of `column`; `quantile` and `top_k` choose values of it; ' +
      '`synthesize` makes a table with the dependences of the columns.',
  })
  readonly aggregate!: Aggregate;

  @ColumnNameField({ required: false, description: 'Not for `count` and `synthesize`.' })
  readonly column?: string;

  @StringsField({
    required: false,
    default: [],
    maxItems: 3,
    itemLengthMax: 64,
    itemMatches: /./,
    example: ['clinic'],
    description: 'For `count`, `sum` and `mean`: every declared combination gets an answer.',
  })
  readonly group_by: readonly string[] = [];

  @ObjectsField(ConditionDto, {
    required: false,
    default: [],
    maxItems: CONDITIONS_MAX,
    description: 'All of them hold.',
  })
  readonly where: readonly ConditionDto[] = [];

  @NumberField({
    required: false,
    minimum: 0.001,
    maximum: 0.999,
    decimalsMax: 3,
    example: 0.5,
    description: 'Of a `quantile`.',
  })
  readonly quantile?: number;

  @IntegerField({ required: false, minimum: 1, maximum: 100, description: 'Of `top_k`.' })
  readonly k?: number;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: 10_000,
    description: 'Of `synthesize`: the rows of the table.',
  })
  readonly rows?: number;

  @AmountField('What the answer spends, by Laplace noise or the exponential mechanism.')
  readonly epsilon?: number;

  @AmountField('In a room of the rule `zcdp`: what the answer spends, by Gaussian noise.')
  readonly rho?: number;
}

class AnsweredCellDto {
  @ApiProperty({ type: 'object', additionalProperties: true, example: { clinic: 'north' } })
  readonly group!: Readonly<Record<string, string | number>>;
  @ApiProperty({ example: 412 })
  readonly value!: number;
  @ApiProperty({
    type: [Number],
    example: [400, 424],
    description: 'It has the exact value with a probability of 95 %.',
  })
  readonly interval_95!: readonly number[];
}

class SyntheticTableDto {
  @ApiProperty({ type: [String], example: ['clinic', 'wait_hours'] })
  readonly columns!: readonly string[];
  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
    example: [['north', 0.25]],
  })
  readonly rows!: readonly (readonly (string | number)[])[];
  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    example: [['clinic', 'wait_hours']],
    description: 'The pairs of columns whose dependence the table keeps.',
  })
  readonly pairs!: readonly (readonly string[])[];
  @ApiProperty({ example: 12, description: 'Of a count of one column that the table is made of.' })
  readonly column_error_95!: number;
  @ApiProperty({ example: 12, description: 'Of a count of a pair.' })
  readonly pair_error_95!: number;
}

export class PrivacySpendDto {
  @ApiProperty({ example: '0198c0de-0000-7000-8000-000000000003' })
  readonly spend_id!: string;
  @ApiProperty({
    example: 'discrete_laplace',
    enum: ['discrete_laplace', 'discrete_gaussian', 'exponential', 'marginal_tree'],
  })
  readonly mechanism!: string;
  @ApiProperty({ example: '1', description: 'How far one row moves the exact answer, at most.' })
  readonly sensitivity!: string;
  @ApiProperty({ example: '1/2', description: 'Of this answer alone, as an exact fraction.' })
  readonly epsilon!: string;
  @ApiProperty({ example: '0' })
  readonly delta!: string;
  @ApiProperty({ example: '1/2', description: 'In the unit of the rule: epsilon or rho.' })
  readonly cost!: string;
  @ApiProperty({ example: 'a'.repeat(64) })
  readonly query_hash!: string;
  @ApiProperty({ example: 1 })
  readonly composition_version!: number;
  @InstantField('When the budget was spent.')
  readonly spent_at!: string;
}

export class RoomAnswerDto extends AnswerDto {
  @ApiProperty({ example: '0198c0de-0000-5000-8000-000000000001' })
  readonly cleanroom_uuid!: string;
  @ApiProperty({ description: 'Whether this request spent privacy; a repeated query does not.' })
  readonly is_new!: boolean;
  @ApiProperty({ type: PrivacySpendDto })
  readonly spend!: PrivacySpendDto;
  @ApiProperty({ example: 3.5, description: 'After the answer, rounded down to six decimals.' })
  readonly privacy_budget_remaining_epsilon!: number;
  @NullableField([AnsweredCellDto] as never, 'Of counts, sums, means and histograms.')
  readonly cells!: readonly AnsweredCellDto[] | null;
  @ApiProperty({
    type: 'array',
    nullable: true,
    items: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    description: 'Of `quantile` and `top_k`, the most frequent first.',
  })
  readonly values!: readonly (string | number)[] | null;
  @NullableField(Number, 'The error of the values in rows, at most, with 95 %.', 12)
  readonly rank_error_95!: number | null;
  @NullableField(SyntheticTableDto, 'Of `synthesize`.')
  readonly table!: SyntheticTableDto | null;
}

export class SpendsPageDto extends PageDto {}

class ListedSpendDto extends PrivacySpendDto {
  @ApiProperty({ example: '8', description: 'The analyst.' })
  readonly account_id!: string;
}

export class SpendListDto extends PositionedAnswerDto {
  @ApiProperty({ example: 1 })
  readonly total_spends!: number;
  @ApiProperty({ type: [ListedSpendDto], description: 'The newest first.' })
  readonly spends!: readonly ListedSpendDto[];
}
