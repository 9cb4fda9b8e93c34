import { describe, expect, it } from '@jest/globals';
import {
  type CommittedEvents,
  type EventStore,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { ChangeWatch, FRESH_MS } from './change-watch.js';

/** A log that other processes append to, and that counts the reads of its head. */
const openLog = () => {
  const appended: RecordedEvent[] = [];
  const log = { heads: 0, isAway: false };
  let listener: (committed: CommittedEvents) => void = () => undefined;
  const eventStore = {
    head: () => {
      log.heads += 1;
      if (log.isAway) return Promise.reject(new Error('the log is away'));
      return Promise.resolve(BigInt(appended.length));
    },
    readAll: async function* ({ after }: { readonly after: bigint }) {
      yield await Promise.resolve(appended.slice(Number(after)));
    },
    onCommitted: (added: typeof listener) => void (listener = added),
  } as unknown as EventStore;
  const append = (stream: string) => {
    const event = { stream, position: BigInt(appended.length + 1) } as RecordedEvent;
    appended.push(event);
    return event;
  };
  /** An append of this process. */
  const commit = (stream: string, sentAtMs: number) => {
    const after = BigInt(appended.length);
    listener({ after, events: [append(stream)], sentAtMs });
  };
  return { log, eventStore, append, commit, appended };
};

const openWatch = (freshMs?: number) => {
  const { log, eventStore, append, commit, appended } = openLog();
  const changed: (string | null)[] = [];
  const time = { nowMs: 10_000 };
  const onChange = (stream: string | null) => changed.push(stream);
  const now = () => time.nowMs;
  const watch = new ChangeWatch(eventStore, ['apikey-'], onChange, freshMs, now);
  return { log, append, commit, appended, changed, time, watch };
};

describe('ChangeWatch', () => {
  it.each([
    ['in this process', undefined, FRESH_MS],
    ['on another machine', 250, 250],
  ])('reads the head of a log %s at most once per period', async (_, freshMs, expectedMs) => {
    const { log, time, watch } = openWatch(freshMs);
    await watch.refresh();
    time.nowMs += expectedMs - 1;
    expect(watch.isFresh()).toBe(true);
    await watch.refresh();
    expect(log.heads).toBe(1);
    time.nowMs += 1;
    expect(watch.isFresh()).toBe(false);
    await watch.refresh();
    expect(log.heads).toBe(2);
  });

  it('reports the streams that other processes changed', async () => {
    const { append, changed, time, watch } = openWatch(250);
    await watch.refresh();
    append('apikey-1');
    time.nowMs += 250;
    await watch.refresh();
    expect(changed).toEqual(['apikey-1']);
  });

  it('reports that any stream may have changed after a long pause', async () => {
    const { append, changed, time, watch } = openWatch(250);
    await watch.refresh();
    append('apikey-1');
    time.nowMs += 5_000;
    await watch.refresh();
    expect(changed).toEqual([null]);
  });

  it('reports that any stream may have changed when the log has become shorter', async () => {
    const { append, appended, changed, time, watch } = openWatch(250);
    append('apikey-1');
    append('apikey-2');
    await watch.refresh();
    changed.splice(0);
    appended.pop();
    time.nowMs += 250;
    await watch.refresh();
    expect(changed).toEqual([null]);
  });

  it('reads the head at once after a change by this process', async () => {
    const { log, watch } = openWatch(250);
    await watch.refresh();
    watch.invalidate();
    expect(watch.isFresh()).toBe(false);
    await watch.refresh();
    expect(log.heads).toBe(2);
  });

  it('fails while the log does not answer', async () => {
    const { log, time, watch } = openWatch(250);
    await watch.refresh();
    log.isAway = true;
    time.nowMs += 250;
    await expect(watch.refresh()).rejects.toThrow('the log is away');
    expect(watch.isFresh()).toBe(false);
  });

  it('takes a commit of this process for a check, as of when it was sent', async () => {
    const { log, commit, changed, time, watch } = openWatch(250);
    await watch.refresh();
    time.nowMs += 249;
    commit('apikey-1', time.nowMs - 100);
    commit('account-1', time.nowMs - 50);
    expect(changed).toEqual(['apikey-1']);
    time.nowMs += 199;
    expect(watch.isFresh()).toBe(true);
    time.nowMs += 1;
    expect(watch.isFresh()).toBe(false);
    expect(log.heads).toBe(1);
  });

  it('reads the log where another process has appended before a commit', async () => {
    const { append, commit, changed, time, watch } = openWatch(250);
    await watch.refresh();
    append('apikey-1');
    time.nowMs += 250;
    commit('apikey-2', time.nowMs);
    expect(watch.isFresh()).toBe(false);
    await watch.refresh();
    expect(changed).toEqual(['apikey-1', 'apikey-2']);
    commit('apikey-3', time.nowMs);
    expect(changed).toEqual(['apikey-1', 'apikey-2', 'apikey-3']);
  });

  it('takes no commit for a check where the log has become shorter', async () => {
    const { append, appended, commit, changed, time, watch } = openWatch(250);
    append('apikey-1');
    append('apikey-2');
    await watch.refresh();
    changed.splice(0);
    appended.splice(0);
    time.nowMs += 250;
    commit('apikey-2', time.nowMs);
    expect(watch.isFresh()).toBe(false);
    await watch.refresh();
    expect(changed).toEqual([null]);
  });

  it('reports single streams after a long time in which commits followed each other', async () => {
    const { append, commit, changed, time, watch } = openWatch(250);
    await watch.refresh();
    for (let second = 0; second < 5; second += 1) commit('account-1', (time.nowMs += 1_000));
    time.nowMs += 250;
    append('apikey-1');
    await watch.refresh();
    expect(changed).toEqual(['apikey-1']);
  });

  it('does not fall behind a commit that is reported while it reads', async () => {
    const { append, commit, changed, time, watch } = openWatch(250);
    await watch.refresh();
    append('apikey-1');
    time.nowMs += 250;
    const reading = watch.refresh();
    await Promise.resolve();
    commit('apikey-2', time.nowMs);
    await reading;
    time.nowMs += 250;
    await watch.refresh();
    expect(changed).toEqual(['apikey-1', 'apikey-2']);
  });
});
