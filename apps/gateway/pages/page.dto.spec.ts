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
    [{ page: '0' }, 'page must not be less than 1'],
    [{ page: '-1' }, 'page must not be less than 1'],
    [{ page: '' }, 'page must not be less than 1'],
    [{ page: 'first' }, 'page must be an integer'],
    [{ page: '1.5' }, 'page must be an integer'],
    [{ page: ['1', '2'] }, 'page must be an integer'],
    [{ page: '1000001' }, 'page must not be above 1000000'],
    [{ limit: '0' }, 'limit must not be less than 1'],
    [{ limit: '101' }, 'limit must not be above 100'],
    [{ limit: 'all' }, 'limit must be an integer'],
  ])('is rejected by name: %j', (query, fault) => {
    expect(faultsOf(query)).toContain(fault);
  });
});
