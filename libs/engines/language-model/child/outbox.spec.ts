import { setImmediate, setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FromChild } from '#engines/language-model/language-model.protocol.js';
import { Outbox } from './outbox.js';

const delta = (id: number): FromChild => ({
  type: 'delta',
  id,
  choice: 0,
  text: 'a',
  completionTokens: 1,
});

describe('the outbox of a child', () => {
  let posted: (readonly FromChild[])[];
  let outbox: Outbox;
  const ids = () => posted.map((letters) => letters.map(({ id }) => id));

  beforeEach(() => {
    posted = [];
    outbox = new Outbox((letters) => posted.push(letters), 60_000);
  });

  it('sends the letters of one turn together, and the first at once', async () => {
    outbox.put(delta(1));
    outbox.put(delta(2));
    expect(posted).toEqual([]);
    await setImmediate();
    expect(ids()).toEqual([[1, 2]]);
  });

  it('gathers the deltas that follow until something ends', async () => {
    outbox.put(delta(1));
    await setImmediate();
    outbox.put(delta(2));
    await setImmediate();
    outbox.put(delta(3));
    await setImmediate();
    expect(ids()).toEqual([[1]]);
    outbox.put({ type: 'done', id: 4 });
    await setImmediate();
    expect(ids()).toEqual([[1], [2, 3, 4]]);
  });

  it('sends what it has gathered when its time is over', async () => {
    outbox = new Outbox((letters) => posted.push(letters), 5);
    outbox.put(delta(1));
    await setImmediate();
    outbox.put(delta(2));
    while (posted.length < 2) await setTimeout(1);
    expect(ids()).toEqual([[1], [2]]);
  });
});
