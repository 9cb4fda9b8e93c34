import { describe, expect, it } from '@jest/globals';
import { DtoPipe } from '../errors/dto.pipe.js';
import { Cursor } from './cursor.js';

class ListDto {
  @Cursor()
  readonly after?: string;
}

const read = (query: object) =>
  new DtoPipe().transform(query, { type: 'query', metatype: ListDto });

describe('the cursor of a list', () => {
  it('is the id of a record, or absent', async () => {
    await expect(read({ after: 'batch_1-a' })).resolves.toEqual({ after: 'batch_1-a' });
    await expect(read({})).resolves.toEqual({});
  });

  it.each(['', ' ', '\0', 'a\nb', 'ä', 'x'.repeat(129), 5, ['a']])(
    'is refused by its name: %p',
    async (after) => {
      await expect(read({ after })).rejects.toMatchObject({
        response: { message: ['after must be the next_after of a page'] },
      });
    },
  );
});
