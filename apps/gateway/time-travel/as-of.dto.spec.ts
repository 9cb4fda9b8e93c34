import { describe, expect, it } from '@jest/globals';
import { DtoPipe } from '../errors/dto.pipe.js';
import { HttpFailure } from '../errors/http-failure.js';
import { AsOfDto, asOfOf } from './as-of.dto.js';

const read = async (query: object) => {
  const dto: unknown = await new DtoPipe().transform(query, { type: 'query', metatype: AsOfDto });
  return asOfOf(dto as AsOfDto);
};

describe('asOf', () => {
  it.each([
    [{}, undefined],
    [{ asOf: '0' }, { size: 0n }],
    [{ asOf: '9223372036854775807' }, { size: 9_223_372_036_854_775_807n }],
    [{ asOf: '2026-01-31T12:00:00Z' }, { instant: '2026-01-31T12:00:00.000Z' }],
    [{ asOf: '2026-01-31T12:00:00.5+02:00' }, { instant: '2026-01-31T10:00:00.500Z' }],
    [{ asOf: '2026-11-23' }, { instant: '2026-11-23T00:00:00.000Z' }],
  ])('of %j is %j', async (query, asOf) => {
    expect(await read(query)).toEqual(asOf);
  });

  it.each([
    '',
    '-1',
    '1.5',
    '0x10',
    '12345678901234567890',
    'yesterday',
    '2026-01',
    '2026-01-31T12',
    '2026-01-31T12:00Z',
    '2026-01-31T12:00:00',
    ['1', '2'],
    { $gt: '1' },
  ])('rejects %j by name', async (asOf) => {
    await expect(read({ asOf })).rejects.toMatchObject({
      failure: {
        param: 'asOf',
        message: expect.stringMatching(/^asOf: expected a number of events of the log, a day/),
      },
    });
  });

  it('rejects an instant that the calendar does not have', async () => {
    await expect(read({ asOf: '2026-02-29T00:00:00Z' })).rejects.toThrow(HttpFailure);
    await expect(read({ asOf: '2026-02-30' })).rejects.toThrow(HttpFailure);
    await expect(read({ asOf: '2026-01-31T25:00:00Z' })).rejects.toMatchObject({
      failure: { status: 400, code: 'invalid_as_of', param: 'asOf' },
    });
  });
});
