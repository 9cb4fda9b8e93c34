import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsOptional,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { BudgetOwner } from '#events/billing/budget.events.js';
import { Tag, TAG_LENGTH_MAX } from '#events/hold.vocabulary.js';
import { IntegerField, TextField } from '../fields/request-fields.js';
import { NullableField } from '../fields/answer-fields.js';
import { UsdField } from '../fields/usd-field.js';

const PER_MINUTE_MAX = 1_000_000_000;
const ALERTS_MAX = 10;
const ALERTS = `at most ${ALERTS_MAX} different integers from 1 to 100`;
const ALERT_PERCENTS_DEFAULT = [50, 80, 100];

const RateField = (counted: string): PropertyDecorator =>
  IntegerField({
    type: 'integer',
    required: false,
    nullable: true,
    minimum: 1,
    maximum: PER_MINUTE_MAX,
    example: 600,
    description: `${counted} of a minute. Null: no limit.`,
  });

/** The whole budget: a limit that is left out is lifted. */
export class SetBudgetDto {
  @UsdField('Dollars of a day in UTC.')
  readonly usd_per_day?: number | null;

  @UsdField('Dollars of a week from Monday to Sunday in UTC.')
  readonly usd_per_week?: number | null;

  @UsdField('Dollars of a month in UTC.')
  readonly usd_per_month?: number | null;

  @UsdField('Dollars since the budget was first set.')
  readonly usd_in_total?: number | null;

  @RateField('Chat completions')
  readonly requests_per_minute?: number | null;

  @RateField('Tokens of chat completions')
  readonly tokens_per_minute?: number | null;

  @ApiProperty({
    type: 'integer',
    isArray: true,
    required: false,
    default: ALERT_PERCENTS_DEFAULT,
    maxItems: ALERTS_MAX,
    description:
      'Percents of the dollar limits that are reported, once in each window. 100 is also ' +
      'reported when the budget rejects a request.',
  })
  @IsOptional()
  @IsArray({ message: ALERTS })
  @ArrayMaxSize(ALERTS_MAX, { message: ALERTS })
  @ArrayUnique({ message: ALERTS })
  @IsInt({ each: true, message: ALERTS })
  @Min(1, { each: true, message: ALERTS })
  @Max(100, { each: true, message: ALERTS })
  readonly alert_percents: readonly number[] = ALERT_PERCENTS_DEFAULT;
}

export class EndUserDto {
  @TextField({
    minLength: 1,
    maxLength: 256,
    example: 'user-1829',
    description: 'The end user, as requests name it, or its hash in the list.',
  })
  readonly user!: string;
}

const TAG_EXPECTED = 'a tag such as project=alpha';

const isTag = (value: unknown): boolean => Tag.safeParse(value).success;

export class TagDto {
  @TextField({
    minLength: 3,
    maxLength: TAG_LENGTH_MAX,
    expected: TAG_EXPECTED,
    example: 'project=alpha',
    description: 'Name and value of the tag.',
  })
  @ValidateBy({ name: 'isTag', validator: { validate: isTag } }, { message: TAG_EXPECTED })
  readonly tag!: string;
}

class SpendingDto {
  @ApiProperty({
    example: '2026-11-22',
    description: 'In UTC: a day, a week (`2026-W47`), a month, or `total`.',
  })
  readonly period!: string;
  @ApiProperty({ example: 25 })
  readonly limit_usd!: number;
  @ApiProperty({ example: 3.2, description: 'Charges.' })
  readonly charged_usd!: number;
  @ApiProperty({ example: 0.1, description: 'Open holds of running work.' })
  readonly held_usd!: number;
  @ApiProperty({ example: 21.7 })
  readonly remaining_usd!: number;
  @NullableField(String, 'Null: never, as a total.', '2026-11-23T00:00:00.000Z')
  readonly resets_at!: string | null;
}

class PaceDto {
  @ApiProperty({ example: 600 })
  readonly limit!: number;
  @ApiProperty({ example: 12, description: 'Tokens of running requests count as reserved.' })
  readonly used!: number;
  @ApiProperty({ example: 588 })
  readonly remaining!: number;
  @ApiProperty({ example: '2026-11-22T10:31:00.000Z' })
  readonly resets_at!: string;
}

export class BudgetDto {
  @ApiProperty({ enum: ['account', 'key', 'user', 'tag'] })
  readonly scope!: string;
  @NullableField(
    String,
    'The id of the key; of the first key of its line when it was revoked.',
    '2b9ac6a26d6d9ca1',
  )
  readonly key_id!: string | null;
  @NullableField(String, 'The hash of the end user.')
  readonly user!: string | null;
  @NullableField(String, 'The tag.', 'project=alpha')
  readonly tag!: string | null;
  @ApiProperty({ enum: BudgetOwner.options, description: 'Who may change it.' })
  readonly owner!: string;
  @NullableField(SpendingDto)
  readonly day!: SpendingDto | null;
  @NullableField(SpendingDto)
  readonly week!: SpendingDto | null;
  @NullableField(SpendingDto)
  readonly month!: SpendingDto | null;
  @NullableField(SpendingDto)
  readonly total!: SpendingDto | null;
  @NullableField(PaceDto)
  readonly requests_per_minute!: PaceDto | null;
  @NullableField(PaceDto)
  readonly tokens_per_minute!: PaceDto | null;
  @ApiProperty({ type: 'integer', isArray: true, example: ALERT_PERCENTS_DEFAULT })
  readonly alert_percents!: readonly number[];
  @ApiProperty({
    example: '2026-11-22T10:00:00.000Z',
    description: 'When it was set first. Holds from before do not count.',
  })
  readonly counts_since!: string;
}

export class BudgetListDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty({ type: [BudgetDto], description: 'The account’s own first.' })
  readonly budgets!: readonly BudgetDto[];
  @ApiProperty({
    description: 'How many events of the log the answer reflects, for `asOf`.',
    example: '42',
  })
  readonly position!: string;
}
