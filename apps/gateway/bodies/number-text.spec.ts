import { describe, expect, it } from '@jest/globals';
import { IsInt, IsOptional } from 'class-validator';
import { DtoPipe } from '../errors/dto.pipe.js';
import { NumberText } from './number-text.js';

class CountDto {
  @IsOptional()
  @NumberText()
  @IsInt({ message: 'an integer' })
  readonly count?: number;
}

const read = (count: unknown) =>
  new DtoPipe().transform({ count }, { type: 'body', metatype: CountDto });

describe('a number that may come as text', () => {
  it.each([
    [7, 7],
    ['7', 7],
    ['-1e3', -1000],
  ])('is read from %p', async (count, number) => {
    await expect(read(count)).resolves.toEqual({ count: number });
  });

  // The two objects cannot be converted, and throw when that is tried.
  it.each(['seven', true, ['7'], { toString: null, valueOf: null }, { toString: 'x', valueOf: 1 }])(
    'is refused by the name of its field: %p',
    async (count) => {
      await expect(read(count)).rejects.toMatchObject({
        failure: { message: expect.stringMatching(/^count: expected an integer, received /) },
      });
    },
  );
});
