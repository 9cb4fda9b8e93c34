import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type RecordedEvent } from '../event-store.port.js';
import { counted, event, readLog } from '../event-store.fixture.js';
import { readAllBackwards } from './backwards.js';
import { compileFilter } from './log-filter.js';
import { type FilterExpression } from './read.messages.js';
import { openServedTestLog, type ServedTestLog } from './served-log.fixture.js';

describe('reading the log backwards', () => {
  let log: ServedTestLog;

  beforeEach(async () => {
    log = await openServedTestLog();
  });

  afterEach(() => log.dispose());

  const backwards = async (before: bigint, filter: Partial<FilterExpression> | null = null) => {
    const whole: FilterExpression | null =
      filter === null
        ? null
        : { by: 'stream', regex: '', prefixes: [], checkpointMultiplier: 1, ...filter };
    const events: RecordedEvent[] = [];
    const reading = readAllBackwards(log.direct, compileFilter(whole), before);
    for await (const one of reading) events.push(one);
    return events;
  };

  it('finds nothing in an empty log, and nothing before the first event', async () => {
    expect(await backwards(1n)).toEqual([]);
    const { position } = await log.direct.append('job-1', counted(1), 'any');
    expect(await backwards(position)).toEqual([]);
    expect(await backwards(position + 1n)).toHaveLength(1);
  });

  it('turns the log round, wherever it begins', async () => {
    await log.direct.append('job-1', counted(1_000), 'any');
    await log.direct.append('job-1', counted(700), 'any');
    const events = await readLog(log.direct);
    for (const index of [1_699, 1_025, 1_024, 1_023, 513, 512, 511, 1, 0]) {
      const before = events[index]?.position ?? 0n;
      expect(await backwards(before)).toEqual(events.slice(0, index).toReversed());
    }
  });

  it('finds what is rare, by prefix and by regex', async () => {
    await log.direct.append('rare-1', counted(2), 'any');
    for (let round = 0; round < 3; round += 1) {
      await log.direct.append('job-1', counted(1_000), 'any');
    }
    await log.direct.append('rare-2', counted(1), 'any');
    const head = await log.direct.head();
    const rare = (await readLog(log.direct)).filter(({ stream }) => stream.startsWith('rare-'));
    expect(await backwards(head + 1n, { prefixes: ['rare-'] })).toEqual(rare.toReversed());
    expect(await backwards(head + 1n, { regex: '^rare' })).toEqual(rare.toReversed());
  });

  it('loses none of the events that are too large to be kept at a time', async () => {
    for (let index = 0; index < 25; index += 1) {
      const given = event('Sized', { index, text: 'x'.repeat(900_000) });
      await log.direct.append('job-1', [given], 'any');
    }
    const seen = await backwards((await log.direct.head()) + 1n);
    expect(seen.map(({ data }) => (data as { index: number }).index)).toEqual(
      Array.from({ length: 25 }, (_, index) => 24 - index),
    );
  });
});
