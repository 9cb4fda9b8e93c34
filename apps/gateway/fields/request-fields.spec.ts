import { glob } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { getMetadataStorage } from 'class-validator';
import { describe, expect, it } from '@jest/globals';
import { DtoPipe } from '../errors/dto.pipe.js';
import {
  ChoiceField,
  CursorField,
  FlagField,
  IntegerField,
  NumberField,
  ObjectField,
  ObjectsField,
  StringsField,
  TextField,
  UuidField,
} from './request-fields.js';

class PlaceDto {
  @TextField()
  readonly town!: string;
}

class OrderDto {
  @IntegerField({ minimum: 1, maximum: 8, fromText: true })
  readonly count!: number;
  @NumberField({ required: false, minimum: 0, decimalsMax: 2 })
  readonly price: number = 0;
  @TextField({ minLength: 1, maxLength: 5 })
  readonly name!: string;
  @TextField({ required: false, matches: /^[a-z]+$/, expected: 'lower case letters' })
  readonly slug?: string;
  @ChoiceField(['asc', 'desc'], { required: false })
  readonly order?: string;
  @FlagField({ required: false })
  readonly isPaid?: boolean;
  @UuidField({ required: false })
  readonly id?: string;
  @StringsField({ required: false, maxItems: 2, itemLengthMax: 3 })
  readonly tags?: readonly string[];
  @CursorField()
  readonly after?: string;
  @ObjectField(PlaceDto, { required: false })
  readonly place?: PlaceDto;
  @ObjectsField(PlaceDto, { required: false, maxItems: 1 })
  readonly stops?: readonly PlaceDto[];
}

const read = (body: object) =>
  new DtoPipe().transform({ count: 1, name: 'a', ...body }, { type: 'body', metatype: OrderDto });

describe('the fields of requests', () => {
  it('take what they expect, and numbers as text where they are asked to', async () => {
    await expect(read({ count: '8', price: 1.25, tags: ['abc'] })).resolves.toMatchObject({
      count: 8,
      price: 1.25,
    });
  });

  it.each([
    [{ count: 9 }, 'count: expected an integer from 1 to 8, received 9'],
    [{ count: 'two' }, 'count: expected an integer from 1 to 8, received no number'],
    [{ price: -1 }, 'price: expected a number of at least 0 with at most 2 decimals, received -1'],
    [{ name: 'secret' }, 'name: expected a string of 1 to 5 characters, received a string of 6'],
    [{ name: undefined }, 'name: expected a string of 1 to 5 characters, received nothing'],
    [{ slug: 'A' }, 'slug: expected lower case letters, received a string of 1 characters'],
    [{ order: 'up' }, 'order: expected one of asc, desc, received a string of 2 characters'],
    [{ isPaid: 1 }, 'isPaid: expected true or false, received 1'],
    [{ id: {} }, 'id: expected a UUID, received an object'],
    [{ place: [] }, 'place: expected an object, received an array'],
    [{ stops: {} }, 'stops: expected an array of 0 to 1 objects, received'],
    [{ stops: [[]] }, 'stops: expected an array of 0 to 1 objects, received an array'],
    [
      { tags: ['a', 'b', 'c'] },
      'tags: expected an array of 0 to 2 strings of at most 3 characters, received an array of 3',
    ],
    [{ extra: 'secret' }, 'extra: this field is not supported'],
  ])('name the field, what it expects and what came: %j', async (body, message) => {
    await expect(read(body)).rejects.toMatchObject({
      failure: {
        code: 'invalid_request',
        param: Object.keys(body)[0],
        message: expect.stringContaining(message),
      },
    });
    await expect(read(body)).rejects.not.toThrow(/secret/);
  });

  it.each([
    [{ place: {} }, 'place.town', 'expected a string, received nothing'],
    [{ stops: [1] }, 'stops[0]', 'expected an object, received 1'],
    [{ stops: [{}] }, 'stops[0].town', 'expected a string, received nothing'],
  ])('name the field within an object: %j', async (body, param, message) => {
    await expect(read(body)).rejects.toMatchObject({
      failure: { code: 'invalid_request', param, message: `${param}: ${message}` },
    });
  });

  it.each(['', ' ', '\0', 'a\nb', 'ä', 'x'.repeat(129), 5, ['a']])(
    'may be a cursor, but not %p',
    async (after) => {
      await expect(read({ after: 'batch_1-a' })).resolves.toMatchObject({ after: 'batch_1-a' });
      await expect(read({ after })).rejects.toMatchObject({
        failure: { message: expect.stringContaining('after: expected the next_after of a page') },
      });
    },
  );

  it('state in each check of the gateway what they expect', async () => {
    const folder = path.resolve(import.meta.dirname, '..');
    for await (const file of glob('**/*.dto.ts', { cwd: folder })) {
      await import(pathToFileURL(path.join(folder, file)).href);
    }
    const storage = getMetadataStorage() as unknown as {
      readonly validationMetadatas: ReadonlyMap<
        { readonly name: string },
        readonly {
          readonly type: string;
          readonly propertyName: string;
          readonly message?: string;
        }[]
      >;
    };
    const checks = [...storage.validationMetadatas].flatMap(([{ name }, fields]) =>
      fields.map((one) => ({ at: `${name}.${one.propertyName}`, ...one })),
    );
    expect(checks.length).toBeGreaterThan(200);
    const silent = checks.filter(
      ({ type, message }) => type === 'customValidation' && (message ?? '') === '',
    );
    expect(silent.map(({ at }) => at)).toEqual([]);
    const named = checks.filter(({ message }) => /\bmust\b/.test(message ?? ''));
    expect(named.map(({ at }) => at)).toEqual([]);
  });
});
