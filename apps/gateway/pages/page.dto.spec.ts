import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { describe, expect, it } from '@jest/globals';
import { PageDto } from './page.dto.js';

const faultsOf = (query: object): readonly string[] =>
  validateSync(plainToInstance(PageDto, query)).flatMap(({ constraints }) =>
    Object.values(constraints ?? {}),
  );

describe('the requested page of a list', () => {
  it.each([
    [{}, { page: 1, limit: 20 }],
    [{ page: '3' }, { page: 3, limit: 20 }],
    [
      { page: '1000000', limit: '100' },
      { page: 1_000_000, limit: 100 },
    ],
  ])('%j', (query, page) => {
    expect(plainToInstance(PageDto, query)).toEqual(page);
    expect(faultsOf(query)).toEqual([]);
  });

  it.each([
    [{ page: '0' }, 'an integer from 1 to 1000000'],
    [{ page: '-1' }, 'an integer from 1 to 1000000'],
    [{ page: '' }, 'an integer from 1 to 1000000'],
    [{ page: 'first' }, 'an integer from 1 to 1000000'],
    [{ page: '1.5' }, 'an integer from 1 to 1000000'],
    [{ page: ['1', '2'] }, 'an integer from 1 to 1000000'],
    [{ page: '1000001' }, 'an integer from 1 to 1000000'],
    [{ limit: '0' }, 'an integer from 1 to 100'],
    [{ limit: '101' }, 'an integer from 1 to 100'],
    [{ limit: 'all' }, 'an integer from 1 to 100'],
  ])('is rejected by name: %j', (query, fault) => {
    expect(faultsOf(query)).toContain(fault);
  });
});
