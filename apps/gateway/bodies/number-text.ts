import { Transform } from 'class-transformer';

/**
 * A number that may come as text, as in queries and forms. The validators of the field see anything
 * else as it came: converting an object can throw.
 */
export const NumberText = (): PropertyDecorator =>
  Transform(({ value }): unknown => (typeof value === 'string' ? Number(value) : value));
