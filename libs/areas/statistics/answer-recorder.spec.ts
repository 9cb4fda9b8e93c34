import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ACCOUNTS_MAX, answerEvents, type AnswersSent } from '#events/statistics/answer.events.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore } from '#platform/runtime/faulty-stores.fake.js';
import { answersSent, sentTo } from '#projections/statistics/answers-sent.projection.js';
import { AnswerRecorder } from './answer-recorder.js';

const clock = { now: () => Date.parse('2026-11-25T18:01:00.000Z') };
const codec = new EventCodec(answerEvents);

describe('the recorder of answers', () => {
  let log: FaultyEventStore;
  let recorder: AnswerRecorder;

  beforeEach(() => {
    log = new FaultyEventStore();
    recorder = new AnswerRecorder(log, codec, clock, { warn: () => undefined } as never);
  });

  afterEach(() => recorder.onApplicationShutdown());

  const events = async (): Promise<readonly AnswersSent[]> =>
    (await Array.fromAsync(log.readAll())).flat().map((one) => codec.revive(one) as AnswersSent);

  /** The document of the read model after the events. */
  const shown = async (accountId: string | null) => {
    const key = sentTo(accountId, '2026-11');
    const own = (await events()).filter((event) => answersSent.keys(event).includes(key));
    return own.reduce(
      (document, event) => answersSent.project(event, document, key) ?? document,
      answersSent.initial(key),
    );
  };

  it('writes the sums of the accounts in one event', async () => {
    recorder.record('7', 100);
    recorder.record('8', 5);
    recorder.record('7', 11);
    expect(await events()).toEqual([]);
    await recorder.flush();
    recorder.record('7', 1_000);
    await recorder.onApplicationShutdown();
    expect(await events()).toHaveLength(2);
    expect(await shown('7')).toEqual({ answers: 3, bytes: 1_111 });
    expect(await shown('8')).toEqual({ answers: 1, bytes: 5 });
    expect(await shown(null)).toEqual({ answers: 4, bytes: 1_116 });
  });

  it('divides many accounts into events, and counts each once after a failed append', async () => {
    log.appends.plan('fail-before', 'unknown-done');
    for (let id = 1; id <= ACCOUNTS_MAX + 1; id += 1) recorder.record(String(id), id);
    for (let tries = 0; tries < 3; tries += 1) await recorder.flush();
    expect((await events()).map(({ data }) => data.accounts.length)).toEqual([ACCOUNTS_MAX, 1]);
    expect(await shown(String(ACCOUNTS_MAX + 1))).toEqual({ answers: 1, bytes: ACCOUNTS_MAX + 1 });
  });
});
