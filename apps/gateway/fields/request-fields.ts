import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { HasDecimals } from '../amounts/decimals.validator.js';
import { NumberText } from '../bodies/number-text.js';
import { IsInstant } from './instant.validator.js';

/**
 * The fields of requests. Each decorator documents a field and checks it by the same options. The
 * message of a check is what the field expects; `DtoPipe` writes the rest of the sentence.
 */
type FieldOptions = ApiPropertyOptions & {
  readonly required?: boolean;
  /** Default: by the other options. */
  readonly expected?: string;
};

interface IntegerOptions {
  readonly minimum?: number;
  readonly maximum?: number;
  /** Of a query or a path, which are text. */
  readonly fromText?: boolean;
}

interface NumberOptions {
  readonly minimum?: number;
  readonly maximum?: number;
  /** Default: any number. */
  readonly decimalsMax?: number;
}

interface TextOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The document has its source as the pattern. */
  readonly matches?: RegExp;
}

const field = (
  { expected: _expected, ...documented }: FieldOptions,
  checks: readonly PropertyDecorator[],
): PropertyDecorator =>
  applyDecorators(
    ApiProperty(documented),
    ...(documented.required === false ? [IsOptional()] : []),
    ...checks,
  );

/** `from 1 to 8`, `of at least 1`, `of at most 8`; empty without bounds. */
const boundsText = (least: number | undefined, most: number | undefined): string => {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
};

/** Any value that JSON has for an integer; of a query or path, the text of one. */
export const IntegerField = ({
  fromText = false,
  ...options
}: FieldOptions & IntegerOptions = {}): PropertyDecorator => {
  const { minimum, maximum } = options;
  const message = options.expected ?? `an integer${boundsText(minimum, maximum)}`;
  return field(options, [
    ...(fromText ? [NumberText()] : []),
    IsInt({ message }),
    ...(minimum === undefined ? [] : [Min(minimum, { message })]),
    ...(maximum === undefined ? [] : [Max(maximum, { message })]),
  ]);
};

export const NumberField = ({
  decimalsMax,
  ...options
}: FieldOptions & NumberOptions = {}): PropertyDecorator => {
  const { minimum, maximum } = options;
  const decimals = decimalsMax === undefined ? '' : ` with at most ${decimalsMax} decimals`;
  const message = options.expected ?? `a number${boundsText(minimum, maximum)}${decimals}`;
  return field(options, [
    decimalsMax === undefined ? IsNumber({}, { message }) : HasDecimals(decimalsMax, message),
    ...(minimum === undefined ? [] : [Min(minimum, { message })]),
    ...(maximum === undefined ? [] : [Max(maximum, { message })]),
  ]);
};

export const TextField = ({
  matches,
  ...options
}: FieldOptions & TextOptions = {}): PropertyDecorator => {
  const { minLength, maxLength } = options;
  const isBounded = minLength !== undefined || maxLength !== undefined;
  const length = boundsText(minLength, maxLength).replace(' from ', ' of ');
  const message = options.expected ?? `a string${isBounded ? `${length} characters` : ''}`;
  return field({ ...(matches && { pattern: matches.source }), ...options }, [
    matches ? Matches(matches, { message }) : IsString({ message }),
    ...(isBounded ? [Length(minLength ?? 0, maxLength, { message })] : []),
  ]);
};

/** One of these values. */
export const ChoiceField = (
  choices: readonly unknown[],
  options: FieldOptions = {},
): PropertyDecorator => {
  const message = options.expected ?? `one of ${choices.join(', ')}`;
  const documented = choices.every((one) => typeof one === 'string') ? { enum: choices } : {};
  return field({ ...documented, ...options }, [IsIn(choices, { message })]);
};

/** An array of some of these values. */
export const ChoicesField = (
  choices: readonly string[],
  options: FieldOptions = {},
): PropertyDecorator => {
  const message = options.expected ?? `an array of ${choices.join(', ')}`;
  return field({ ...options, type: [String], enum: [...choices] }, [
    IsArray({ message }),
    ArrayMaxSize(choices.length, { message }),
    IsIn(choices, { each: true, message }),
  ]);
};

/** A date and time with an offset or `Z`. */
export const TimeField = (options: FieldOptions = {}): PropertyDecorator => {
  const message = options.expected ?? 'an ISO 8601 instant such as 2026-11-25T19:00:00Z';
  return field({ format: 'date-time', ...options }, [IsInstant({ message })]);
};

interface ListOptions {
  readonly minItems?: number;
  readonly maxItems: number;
  readonly itemLengthMax?: number;
  readonly itemMatches?: RegExp;
}

/** An array of strings. */
export const StringsField = ({
  itemLengthMax,
  itemMatches,
  ...options
}: FieldOptions & ListOptions): PropertyDecorator => {
  const { minItems = 0, maxItems } = options;
  const length = itemLengthMax === undefined ? '' : ` of at most ${itemLengthMax} characters`;
  const message = options.expected ?? `an array of ${minItems} to ${maxItems} strings${length}`;
  return field({ ...options, type: [String] }, [
    IsArray({ message }),
    ArrayMinSize(minItems, { message }),
    ArrayMaxSize(maxItems, { message }),
    IsString({ each: true, message }),
    ...(itemLengthMax === undefined ? [] : [MaxLength(itemLengthMax, { each: true, message })]),
    ...(itemMatches === undefined ? [] : [Matches(itemMatches, { each: true, message })]),
  ]);
};

/** An object with the fields of a class. */
export const ObjectField = (
  type: new () => object,
  options: FieldOptions = {},
): PropertyDecorator => {
  const message = options.expected ?? 'an object';
  return field({ ...options, type }, [
    IsObject({ message }),
    ValidateNested({ message }),
    Type(() => type),
  ]);
};

const hasNoArray = (items: unknown): boolean => !Array.isArray(items) || !items.some(Array.isArray);

/** An array of objects with the fields of a class. */
export const ObjectsField = (
  type: new () => object,
  options: FieldOptions & Pick<ListOptions, 'minItems' | 'maxItems'>,
): PropertyDecorator => {
  const { minItems = 0, maxItems } = options;
  const message = options.expected ?? `an array of ${minItems} to ${maxItems} objects`;
  return field({ ...options, type: [type] }, [
    IsArray({ message }),
    ArrayMinSize(minItems, { message }),
    ArrayMaxSize(maxItems, { message }),
    // `ValidateNested` takes an array in the place of an object.
    ValidateBy({ name: 'isOfObjects', validator: { validate: hasNoArray } }, { message }),
    ValidateNested({ each: true, message: 'an object' }),
    Type(() => type),
  ]);
};

/** The number of a record, in a query or a path unless `fromText` is false. */
export const IdField = (
  description: string,
  options: FieldOptions & Pick<IntegerOptions, 'fromText'> = {},
): PropertyDecorator =>
  IntegerField({
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    fromText: true,
    description,
    ...options,
  });

/** The `after` of a list. */
export const CursorField = (
  description = 'The `next_after` of the page before.',
): PropertyDecorator =>
  TextField({
    required: false,
    matches: /^[!-~]{1,128}$/,
    expected: 'the next_after of a page',
    description,
  });

export const FlagField = (options: FieldOptions = {}): PropertyDecorator =>
  field(options, [IsBoolean({ message: options.expected ?? 'true or false' })]);

export const UuidField = (options: FieldOptions = {}): PropertyDecorator =>
  field({ format: 'uuid', ...options }, [IsUUID('all', { message: options.expected ?? 'a UUID' })]);
