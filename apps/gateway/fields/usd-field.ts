import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';
import { parseUsd, toDecimal } from '#platform/kernel/money.js';

/** A number with six decimals is exact up to here. */
const USD_MAX = 1_000_000_000;

const isUsd = (value: unknown): boolean => {
  if (typeof value !== 'number' || value < 0 || value > USD_MAX) return false;
  try {
    return parseUsd(value) >= 0n;
  } catch {
    return false;
  }
};

/** An amount of dollars that may be null or left out. @param description a sentence */
export const UsdField = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: Number,
      required: false,
      nullable: true,
      minimum: 0,
      maximum: USD_MAX,
      example: 25,
      description: `${description} At most 6 decimals. Null: no limit.`,
    }),
    IsOptional(),
    ValidateBy(
      { name: 'isUsd', validator: { validate: isUsd } },
      { message: `a number from 0 to ${USD_MAX} with at most 6 decimals` },
    ),
  );

/** The amount of such a field in decimal micro-dollars. */
export const microUsdOf = (usd: number | null | undefined): string | null =>
  usd == null ? null : toDecimal(parseUsd(usd));
