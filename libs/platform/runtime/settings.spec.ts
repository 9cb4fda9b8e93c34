import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineSettings, variable } from './settings.js';

describe('a variable', () => {
  it.each([
    [variable(z.coerce.number().default(5), 'a number'), '`5`'],
    [variable(z.string().default('memory:'), 'a text'), '`memory:`'],
    [variable(z.string().optional(), 'nothing'), 'none'],
    [variable(z.string().optional(), 'a rule', 'as the other'), 'as the other'],
  ])('shows its default in the table: %#', ({ default: shown }, expected) => {
    expect(shown).toBe(expected);
  });
});

describe('the settings of an area', () => {
  it('are read from their variables and from the facts of the installation', () => {
    const { read } = defineSettings({
      token: Symbol('Lending'),
      variables: { LENDING_DAYS: variable(z.coerce.number().default(14), 'days') },
      read: ({ LENDING_DAYS: days }, { home }) => ({ days, folder: `${home}/lending` }),
    });
    const facts = { home: '/srv/quipu', isLogRemote: false, listeningUrl: 'http://127.0.0.1:1' };
    expect(read({ LENDING_DAYS: 7 }, facts)).toEqual({ days: 7, folder: '/srv/quipu/lending' });
  });
});
