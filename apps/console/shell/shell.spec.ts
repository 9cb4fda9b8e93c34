import { describe, expect, it } from '@jest/globals';
import { quipuCommand } from './api.js';
import { lagSecondsOf } from './lag.js';
import { matching } from './matching.js';
import { commandOf } from './page-command.js';
import { isOpenTo, navigationOf, type Page } from './page.js';
import { linesOf } from './polylines.js';

const pageOf = (path: string, roles?: readonly string[]): Page => ({
  path,
  title: path,
  ...(roles && { roles }),
  load: () => Promise.reject(new Error('not shown')),
});

describe('the navigation', () => {
  const areas = [
    { order: 2, group: 'Operate', pages: [pageOf('/users', ['Admin'])] },
    { order: 1, pages: [pageOf('/'), pageOf('/invoices/:month')] },
    { order: 3, pages: [pageOf('/rigs', ['Admin', 'Partner'])] },
  ];

  it.each([
    [
      'Admin',
      [
        [null, ['/']],
        ['Operate', ['/users', '/rigs']],
      ],
    ],
    ['Partner', [[null, ['/', '/rigs']]]],
    ['renter', [[null, ['/']]]],
  ])('of the role %s', (role, expected) => {
    const groups = navigationOf(areas, role);
    expect(groups.map(({ title, pages }) => [title, pages.map(({ path }) => path)])).toEqual(
      expected,
    );
  });

  it('knows who may open a page', () => {
    expect(isOpenTo(pageOf('/users', ['Admin']), 'renter')).toBe(false);
    expect(isOpenTo(pageOf('/'), 'renter')).toBe(true);
  });
});

describe('the palette', () => {
  it('finds names by parts of their words', () => {
    const entries = ['Media stream', 'Invoices', 'Sign out'].map((name) => ({ name }));
    const found = (text: string) => matching(entries, text).map(({ name }) => name);
    expect(found('str med')).toEqual(['Media stream']);
    expect(found('')).toHaveLength(3);
    expect(found('nothing')).toEqual([]);
  });
});

describe('a sparkline', () => {
  it('begins at zero, and has a gap where nothing was measured', () => {
    expect(linesOf([0, 10, null, 5])).toEqual(['2.0,22.0 40.7,2.0', '118.0,12.0']);
  });

  it.each([[[]], [[null]], [[0]], [[0, 0]]])('draws %j', (values) => {
    expect(linesOf(values).join()).not.toContain('NaN');
  });
});

describe('the lag of a read', () => {
  const recordedAt = '2026-11-21T04:48:00.000Z';
  const nowMs = Date.parse('2026-11-21T04:48:03.900Z');

  it.each([
    ['the newest event was recorded before 3.9 s', { position: 5n, head: 7n, recordedAt }, 3],
    ['the read has all events', { position: 7n, head: 7n, recordedAt }, 0],
    ['the read is ahead of the known log', { position: 9n, head: 7n, recordedAt }, 0],
    ['the time of the event is unknown', { position: 5n, head: 7n, recordedAt: null }, null],
    ['the log is not followed', { position: 5n, head: null, recordedAt: null }, null],
    ['the read says no position', { position: null, head: 7n, recordedAt }, null],
  ])('where %s', (_, state, seconds) => {
    expect(lagSecondsOf(state, nowMs)).toBe(seconds);
  });

  it('is never below zero where clocks differ', () => {
    const state = { position: 5n, head: 7n, recordedAt };
    expect(lagSecondsOf(state, nowMs - 60_000)).toBe(0);
  });
});

describe('the command of a page', () => {
  const command = { words: 'jobs show :id', ofUser: true, options: { version: 'at' } };
  const read = (route: string) => ({ parameters: { id: "o'7" }, route, username: 'ada' });

  it('has the parameters and the fields of the read', () => {
    const shown = String.raw`quipu jobs show 'o'\''7' --user ada`;
    expect(commandOf(command, read('/api/v1/jobs/7'))).toBe(shown);
    expect(commandOf(command, read('/api/v1/jobs/7?version=3'))).toBe(`${shown} --at 3`);
  });

  it('is not offered for a read that it cannot say', () => {
    expect(commandOf(command, read('/api/v1/jobs/7?asOf=9'))).toBeNull();
    const needy = { words: 'payout list', options: { beneficiary: 'of' }, needs: 'beneficiary' };
    expect(commandOf(needy, read('/api/v1/payouts'))).toBeNull();
    const asked = commandOf(needy, read('/api/v1/payouts?beneficiary=partner-1'));
    expect(asked).toBe('quipu payout list --of partner-1');
  });
});

describe('a command', () => {
  it('is taken by a shell as it was meant', () => {
    expect(
      quipuCommand(['requests'], { user: "o'neil", tag: 'a=b', model: '', rig: undefined }),
    ).toBe(String.raw`quipu requests --user 'o'\''neil' --tag a=b`);
  });
});
