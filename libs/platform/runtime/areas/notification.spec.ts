import { z } from 'zod';
import { Module } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { defineEvent, type EventOf } from '#events/definition.js';
import { Areas, defineArea } from './area.js';
import { defineNotification } from './notification.js';

const StockEmptied = defineEvent('StockEmptied', {
  version: 1,
  schema: z.strictObject({ accountId: z.string(), item: z.int() }),
});
type StockEmptied = EventOf<typeof StockEmptied>;

const notificationOf = (type: string) =>
  defineNotification<StockEmptied>({
    type,
    description: 'An item is out of stock.',
    schema: z.strictObject({ item: z.int() }),
    on: { StockEmptied },
    account: ({ data }) => data.accountId,
    body: ({ data }) => ({ item: data.item }),
  });

@Module({})
class EmptyModule {}

const areaWith = (name: string, ...types: readonly string[]) =>
  defineArea({ name, module: EmptyModule, notifications: types.map(notificationOf) });

describe('a notification', () => {
  it('has the account and the body of an event', () => {
    const { account, body } = notificationOf('item.emptied');
    const emptied = StockEmptied.of({ accountId: '7', item: 3 });
    expect([account(emptied), body(emptied)]).toEqual(['7', { item: 3 }]);
  });

  it.each(['invoice.completed', 'budget.threshold_reached', 'a.b.c2'])(
    'may be of type %j',
    (type) => {
      expect(notificationOf(type).type).toBe(type);
    },
  );

  it.each([
    '',
    'invoice',
    'Invoice.completed',
    'invoice.',
    '.completed',
    'a b.c',
    `a.${'b'.repeat(99)}`,
  ])('is never of type %j', (type) => {
    expect(() => notificationOf(type)).toThrow(RangeError);
  });
});

describe('the notifications of a process', () => {
  it('are the notifications of all areas', () => {
    const areas = new Areas([areaWith('one', 'a.b', 'a.c'), areaWith('two', 'd.e')]);
    expect(areas.notifications().map(({ type }) => type)).toEqual(['a.b', 'a.c', 'd.e']);
  });

  it('have one type each', () => {
    const areas = new Areas([areaWith('one', 'a.b'), areaWith('two', 'a.b')]);
    expect(() => areas.notifications()).toThrow('two areas declare the notification a.b');
  });
});
