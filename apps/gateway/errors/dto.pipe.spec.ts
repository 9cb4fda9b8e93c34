import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import { DtoPipe } from './dto.pipe.js';
import { HttpFailure } from './http-failure.js';

class NameDto {
  @IsString()
  readonly name!: string;
}

const nested = (levels: number): unknown =>
  levels === 0 ? 'x' : JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);

const transform = (value: unknown, metatype: typeof NameDto | ObjectConstructor = NameDto) =>
  new DtoPipe().transform(value, { type: 'body', metatype });

describe('the validation of a body', () => {
  it('returns the DTO', async () => {
    expect(await transform({ name: 'demo' })).toEqual(
      Object.assign(new NameDto(), { name: 'demo' }),
    );
  });

  it('names an invalid field and an unknown field', async () => {
    await expect(transform({ name: 5 })).rejects.toMatchObject({
      response: { message: ['name must be a string'] },
    });
    await expect(transform({ name: 'demo', extra: nested(64) })).rejects.toMatchObject({
      response: { message: ['property extra should not exist'] },
    });
  });

  it('rejects a field that is nested too deep', async () => {
    const error: unknown = await transform({ name: nested(100_000) }).catch(
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(HttpFailure);
    expect(error).toMatchObject({ failure: { status: 400, param: 'name' } });
  });

  it('returns a body without a DTO class unchanged', async () => {
    const body = { name: nested(65) };
    expect(await transform(body, Object)).toBe(body);
  });
});
