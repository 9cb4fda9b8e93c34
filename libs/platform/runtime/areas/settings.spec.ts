import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from './settings.js';

describe('a variable', () => {
  it.each([
    [variable(wholeNumber(1, 9).default(5), 'a number'), '`5`'],
    [variable(z.string().default('memory:'), 'a text'), '`memory:`'],
    [variable(z.string().optional(), 'nothing'), 'none'],
    [variable(z.string().optional(), 'a rule', 'as the other'), 'as the other'],
  ])('shows its default in the table: %#', ({ default: shown }, expected) => {
    expect(shown).toBe(expected);
  });
});

describe('a whole number', () => {
  it.each(['1', '9', '05'])('is written in digits: %p', (text) => {
    expect(wholeNumber(1, 9).parse(text)).toBe(Number(text));
  });

  it.each(['', ' ', ' 5', '5 ', '0', '10', '-5', '+5', '5.0', '5e0', '0x5', '٥', '1'.repeat(400)])(
    'is nothing else: %p',
    (text) => {
      expect(wholeNumber(1, 9).safeParse(text).error?.issues).toEqual([
        expect.objectContaining({ message: 'expected a whole number from 1 to 9, in digits' }),
      ]);
    },
  );
});

describe('the settings of an area', () => {
  it('are read from their variables and from the facts of the installation', () => {
    const { read } = defineSettings({
      token: Symbol('Lending'),
      variables: { LENDING_DAYS: variable(wholeNumber(1, 99).default(14), 'days') },
      read: ({ LENDING_DAYS: days }, { home }) => ({ days, folder: `${home}/lending` }),
    });
    const facts = { home: '/srv/quipu', isLogRemote: false, listeningUrl: 'http://127.0.0.1:1' };
    expect(read({ LENDING_DAYS: 7 }, facts)).toEqual({ days: 7, folder: '/srv/quipu/lending' });
  });
});
