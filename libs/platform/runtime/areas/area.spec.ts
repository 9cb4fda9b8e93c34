import { Module } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { Areas, defineArea } from './area.js';

@Module({})
class EmptyModule {}

describe('an area', () => {
  it('has every list, whether it declares it or not', () => {
    const area = defineArea({ name: 'empty', module: EmptyModule });
    const { name, description, module, errors, ...lists } = area;
    expect({ name, module, errors }).toEqual({ name: 'empty', module: EmptyModule, errors: {} });
    expect(description).not.toBe('');
    expect(Object.values(lists).every((list) => Array.isArray(list) && list.length === 0)).toBe(
      true,
    );
  });

  it.each(['', 'Lending', '1st', 'a/b', '../a', 'a b'])('is not called %j: folders are', (name) => {
    expect(() => defineArea({ name, module: EmptyModule })).toThrow(RangeError);
  });
});

describe('the areas of a process', () => {
  const area = (name: string, errors: Record<string, { readonly status: number }>) =>
    defineArea({ name, module: EmptyModule, errors });

  it('have the domain errors of all', () => {
    const areas = new Areas([
      area('one', { a: { status: 404 } }),
      area('two', { b: { status: 409 } }),
    ]);
    expect(areas.errors()).toEqual({ a: { status: 404 }, b: { status: 409 } });
  });

  it('give each code one meaning', () => {
    const twice = new Areas([
      area('one', { a: { status: 404 } }),
      area('two', { a: { status: 409 } }),
    ]);
    expect(() => twice.errors()).toThrow('two areas declare the domain error a');
  });
});
