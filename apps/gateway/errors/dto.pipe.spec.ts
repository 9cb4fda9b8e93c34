import { describe, expect, it } from '@jest/globals';
import { type ArgumentMetadata } from '@nestjs/common';
import { IsObject, IsOptional, IsString } from 'class-validator';
import { DtoPipe, VALUES_MAX } from './dto.pipe.js';

class NameDto {
  @IsString({ message: 'a string' })
  readonly name!: string;
}

class GraphDto {
  static readonly valuesMax = 600;

  @IsObject()
  readonly graph!: object;
}

class OptionsDto {
  @IsOptional()
  @IsString({ each: true })
  readonly types: readonly string[] = [];

  @IsOptional()
  @IsString()
  readonly note?: string | null;
}

const nested = (levels: number): unknown =>
  levels === 0 ? 'x' : JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);

const transform = (value: unknown, metatype: NonNullable<ArgumentMetadata['metatype']> = NameDto) =>
  new DtoPipe().transform(value, { type: 'body', metatype });

describe('the validation of a body', () => {
  it('returns the DTO', async () => {
    expect(await transform({ name: 'demo' })).toEqual(
      Object.assign(new NameDto(), { name: 'demo' }),
    );
  });

  it('names an invalid field and an unknown field', async () => {
    await expect(transform({ name: 5 })).rejects.toMatchObject({
      failure: { param: 'name', message: 'name: expected a string, received 5' },
    });
    await expect(transform({ name: 'demo', extra: nested(64) })).rejects.toMatchObject({
      failure: { param: 'extra', message: 'extra: this field is not supported' },
    });
  });

  it('rejects a body with too many values before it looks at them', async () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 0]));
    // The body is a value too.
    await expect(transform(fields(VALUES_MAX - 1))).rejects.toMatchObject({
      failure: { status: 400 },
    });
    const failure = { status: 400, code: 'body_too_complex' };
    await expect(transform(fields(VALUES_MAX))).rejects.toMatchObject({ failure });
    const list = Array.from({ length: VALUES_MAX }, () => 0);
    await expect(transform({ name: list })).rejects.toMatchObject({ failure });
    await expect(transform({ name: [list, list] }, Object)).resolves.toBeDefined();
  });

  it('gives an optional field its default where the body has null', async () => {
    await expect(transform({ types: null, note: null }, OptionsDto)).resolves.toEqual(
      Object.assign(new OptionsDto(), { types: [], note: null }),
    );
    await expect(transform({ types: ['a'] }, OptionsDto)).resolves.toMatchObject({ types: ['a'] });
  });

  it('takes as many values as a class declares', async () => {
    const graphOf = (nodes: number) => ({ graph: { nodes: Array<number>(nodes).fill(0) } });
    // The body, the graph and its list are values too.
    await expect(transform(graphOf(597), GraphDto)).resolves.toBeInstanceOf(GraphDto);
    const failure = { message: 'the body has more than 600 values' };
    await expect(transform(graphOf(598), GraphDto)).rejects.toMatchObject({ failure });
  });

  it('returns a body without a DTO class unchanged', async () => {
    const body = { name: nested(65) };
    expect(await transform(body, Object)).toBe(body);
  });
});
