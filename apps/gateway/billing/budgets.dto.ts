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
import { parseUsd } from '#platform/kernel/money.js';

/** A number with six decimals is exact up to here. */
const USD_MAX = 1_000_000_000;
const PER_MINUTE_MAX = 1_000_000_000;
const ALERTS_MAX = 10;
const ALERT_PERCENTS_DEFAULT = [50, 80, 100];

const isUsd = (value: unknown): boolean => {
  if (typeof value !== 'number' || value < 0 || value > USD_MAX) return false;
  try {
    return parseUsd(value) >= 0n;
  } catch {
    return false;
  }
};

const IsUsd = (field: string): PropertyDecorator =>
  ValidateBy(
    { name: 'isUsd', validator: { validate: isUsd } },
    { message: `${field} must be a number from 0 to ${USD_MAX} with at most 6 decimals` },
  );

const usdProperty = (window: string) =>
  ApiProperty({
    type: Number,
    required: false,
    nullable: true,
    minimum: 0,
    maximum: USD_MAX,
    example: 25,
    description: `Dollars of a ${window} in UTC, with at most 6 decimals. Null: no limit.`,
  });

const rateProperty = (what: string) =>
  ApiProperty({
    type: 'integer',
    required: false,
    nullable: true,
    minimum: 1,
    maximum: PER_MINUTE_MAX,
    example: 600,
    description: `${what} of a minute. Null: no limit.`,
  });

/** The whole budget: a limit that is left out is lifted. */
export class SetBudgetDto {
  @usdProperty('day')
  @IsOptional()
  @IsUsd('usd_per_day')
  readonly usd_per_day?: number | null;

  @usdProperty('month')
  @IsOptional()
  @IsUsd('usd_per_month')
  readonly usd_per_month?: number | null;

  @rateProperty('Chat completions')
  @IsOptional()
  @IsInt({ message: 'requests_per_minute must be an integer' })
  @Min(1, { message: 'requests_per_minute must not be less than 1' })
  @Max(PER_MINUTE_MAX, { message: `requests_per_minute must not be above ${PER_MINUTE_MAX}` })
  readonly requests_per_minute?: number | null;

  @rateProperty('Tokens of chat completions')
  @IsOptional()
  @IsInt({ message: 'tokens_per_minute must be an integer' })
  @Min(1, { message: 'tokens_per_minute must not be less than 1' })
  @Max(PER_MINUTE_MAX, { message: `tokens_per_minute must not be above ${PER_MINUTE_MAX}` })
  readonly tokens_per_minute?: number | null;

  @ApiProperty({
    type: 'integer',
    isArray: true,
    required: false,
    default: ALERT_PERCENTS_DEFAULT,
    maxItems: ALERTS_MAX,
    description:
      'Percents of the dollar limits that are reported, once in each day or month. 100 is also ' +
      'reported when the budget rejects a request.',
  })
  @IsOptional()
  @IsArray({ message: 'alert_percents must be a list' })
  @ArrayMaxSize(ALERTS_MAX, { message: `alert_percents must have at most ${ALERTS_MAX} entries` })
  @ArrayUnique({ message: 'alert_percents must not repeat an entry' })
  @IsInt({ each: true, message: 'alert_percents must be integers' })
  @Min(1, { each: true, message: 'alert_percents must not be less than 1' })
  @Max(100, { each: true, message: 'alert_percents must not be above 100' })
  readonly alert_percents: readonly number[] = ALERT_PERCENTS_DEFAULT;
}

class SpendingDto {
  @ApiProperty({ example: '2026-11-22', description: 'In UTC.' })
  readonly period!: string;
  @ApiProperty({ example: 25 })
  readonly limit_usd!: number;
  @ApiProperty({ example: 3.2, description: 'Charges.' })
  readonly charged_usd!: number;
  @ApiProperty({ example: 0.1, description: 'Open holds of running work.' })
  readonly held_usd!: number;
  @ApiProperty({ example: 21.7 })
  readonly remaining_usd!: number;
  @ApiProperty({ example: '2026-11-23T00:00:00.000Z' })
  readonly resets_at!: string;
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
  @ApiProperty({ enum: ['account', 'key'] })
  readonly scope!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '2b9ac6a26d6d9ca1',
    description: 'The id of the key; of the first key of its line when it was revoked.',
  })
  readonly key_id!: string | null;
  @ApiProperty({ enum: ['operator', 'account'], description: 'Who may change it.' })
  readonly owner!: string;
  @ApiProperty({ type: SpendingDto, nullable: true })
  readonly day!: SpendingDto | null;
  @ApiProperty({ type: SpendingDto, nullable: true })
  readonly month!: SpendingDto | null;
  @ApiProperty({ type: PaceDto, nullable: true })
  readonly requests_per_minute!: PaceDto | null;
  @ApiProperty({ type: PaceDto, nullable: true })
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
  @ApiProperty({ description: 'The log position that the answer reflects.', example: '42' })
  readonly position!: string;
}
