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
  it('makes the DTO of it', async () => {
    expect(await transform({ name: 'demo' })).toEqual(
      Object.assign(new NameDto(), { name: 'demo' }),
    );
  });

  it('names the field that is wrong, and the one that should not be there', async () => {
    await expect(transform({ name: 5 })).rejects.toMatchObject({
      response: { message: ['name must be a string'] },
    });
    await expect(transform({ name: 'demo', extra: nested(64) })).rejects.toMatchObject({
      response: { message: ['property extra should not exist'] },
    });
  });

  it('refuses a field that nobody could walk', async () => {
    const error: unknown = await transform({ name: nested(100_000) }).catch(
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(HttpFailure);
    expect(error).toMatchObject({ failure: { status: 400, param: 'name' } });
  });

  it('leaves alone what has no DTO', async () => {
    const body = { name: nested(65) };
    expect(await transform(body, Object)).toBe(body);
  });
});
