import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

/** A field of an answer that may be null; its description says when. */
export const NullableField = (
  type: NonNullable<ApiPropertyOptions['type']>,
  description?: string,
  example?: unknown,
): PropertyDecorator =>
  ApiProperty({
    type,
    nullable: true,
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
  } as ApiPropertyOptions);

const INSTANT = '2026-11-21T04:48:00.000Z';

export const InstantField = (description: string): PropertyDecorator =>
  ApiProperty({ example: INSTANT, description });

export const NullableInstant = (description: string): PropertyDecorator =>
  NullableField(String, description, INSTANT);
