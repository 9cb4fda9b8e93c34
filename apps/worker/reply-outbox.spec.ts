import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { BusError } from '#platform/bus/bus.errors.js';
import { type BusMessage } from '#platform/bus/bus.port.js';
import { ReplyHeaders, replyPlace, TaskFailure } from '#platform/tasks/task.protocol.js';
import { TaskSeal } from '#platform/tasks/task.seal.js';
import { ReplyOutbox } from './reply-outbox.js';
import { RunReplies } from './run-replies.js';

const TOPIC = 'quipu.replies.gateway-1';
/** A page with pieces of any engine. */
const Page = z.object({ pieces: z.array(z.unknown()) });
const TASK = '00000000-0000-4000-8000-000000000001';

/** A bus whose `publish` resolves when the test releases it. */
class SlowBus {
  readonly published: (readonly BusMessage[])[] = [];
  failures: BusError[] = [];
  #finish: (() => void)[] = [];
  held = false;

  publish = async (_topic: string, messages: readonly BusMessage[]): Promise<void> => {
    this.published.push(messages);
    const failure = this.failures.shift();
    if (failure) throw failure;
    if (this.held) await new Promise<void>((resolve) => this.#finish.push(resolve));
  };

  release(): void {
    for (const finish of this.#finish.splice(0)) finish();
  }
}

describe('the replies of a run', () => {
  const seal = new TaskSeal(randomBytes(32));
  let bus: SlowBus;
  let outbox: ReplyOutbox;
  let lost: unknown[];

  beforeEach(() => {
    bus = new SlowBus();
    outbox = new ReplyOutbox(bus, 300);
    lost = [];
  });

  const open = (): RunReplies => {
    const replies: RunReplies = new RunReplies(
      { engine: 'text', task: TASK, attempt: 1, worker: 'w-1' },
      seal,
      (isUrgent) => outbox.wanted(TOPIC, source, isUrgent),
    );
    const source = { take: () => replies.take(), lost: (error: unknown) => lost.push(error) };
    return replies;
  };

  const said = () =>
    bus.published.map((messages) =>
      messages.map(({ headers, data }) => {
        const read = ReplyHeaders.parse(headers);
        if (read.kind === 'page') return seal.open(replyPlace('text', read), data, Page).pieces;
        if (read.kind === 'failed')
          return seal.open(replyPlace('text', read), data, TaskFailure).code;
        return read.kind;
      }),
    );

  const numbers = () => bus.published.flat().map(({ headers }) => Number(headers['number']));
  const END = { finishReason: 'stop' };

  it('begin with the first piece; later ones share pages', async () => {
    const replies = open();
    replies.started();
    await sleep(1);
    expect(said()).toEqual([]);
    bus.held = true;
    replies.piece(['1', 1]);
    await sleep(1);
    replies.piece(['2', 2]);
    await sleep(1);
    replies.piece(['3', 3]);
    expect(said()).toEqual([['started', [['1', 1]]]]);
    bus.held = false;
    bus.release();
    await sleep(40);
    replies.piece(['4', 4]);
    replies.done(END);
    await outbox.drained();
    expect(said().slice(1)).toEqual([
      [
        [
          ['2', 2],
          ['3', 3],
        ],
      ],
      [[['4', 4]]],
    ]);
    expect(numbers()).toEqual([0, 1, 2, 3].slice(0, numbers().length));
  });

  it('include `started` when the first piece is slow', async () => {
    open().started();
    await sleep(40);
    expect(said()).toEqual([['started']]);
  });

  it('are spaced, except the first piece and the last', async () => {
    const pauseMs = 1_000;
    outbox = new ReplyOutbox(bus, 300, pauseMs);
    const replies = open();
    const other = open();
    const startedMs = performance.now();
    replies.piece(['1', 1]);
    await sleep(1);
    replies.piece(['2', 2]);
    other.piece(['first', 1]);
    await sleep(1);
    // The first piece of the other run took the waiting piece along.
    expect(bus.published).toHaveLength(2);
    replies.done(END);
    await sleep(1);
    expect(bus.published).toHaveLength(3);
    // No pause ended before these replies.
    expect(performance.now() - startedMs).toBeLessThan(pauseMs);
  });

  it('are dropped when they are forgotten', async () => {
    const replies = open();
    replies.started();
    replies.forget();
    await sleep(40);
    expect(bus.published).toEqual([]);
  });

  it('include the pieces before the failure', async () => {
    const replies = open();
    replies.started();
    replies.piece(['a', 1]);
    replies.failed({ code: 'crashed', message: 'no' });
    await outbox.drained();
    expect(said()).toEqual([['started', [['a', 1]], 'crashed']]);
  });

  it('beat only after silence', async () => {
    const replies = open();
    replies.started();
    replies.beat();
    await sleep(40);
    expect(said().flat()).toEqual(['started']);
    replies.beat();
    await outbox.drained();
    expect(said().flat()).toEqual(['started', 'beat']);
  });

  it('are published again unchanged after a temporary failure of the bus', async () => {
    bus.failures = [new BusError('bus-unavailable', 'no'), new BusError('topic-full', 'no')];
    open().piece(['1', 1]);
    await outbox.drained();
    expect(bus.published).toHaveLength(3);
    expect(new Set(bus.published.flat().map(({ id }) => id)).size).toBe(1);
    expect(lost).toEqual([]);
  });

  it('are lost after a permanent failure of the bus, or too many failures', async () => {
    const replies = open();
    bus.failures = [new BusError('message-too-large', 'no')];
    replies.piece(['1', 1]);
    await outbox.drained();
    expect(lost).toHaveLength(1);
    bus.failures = Array.from({ length: 20 }, () => new BusError('bus-unavailable', 'no'));
    replies.done(END);
    await outbox.drained();
    expect(lost).toHaveLength(2);
  });

  it('split into pages that fit into a message', async () => {
    const replies = open();
    const piece = 'x'.repeat(300_000);
    for (let n = 0; n < 5; n += 1) replies.piece(piece);
    replies.done(END);
    await outbox.drained();
    expect(
      said()
        .flat()
        .map((pieces) => pieces.length),
    ).toEqual([2, 2, 1]);
    for (const { data } of bus.published.flat()) {
      expect(JSON.stringify(data).length).toBeLessThan(1_000_000);
    }
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it('reject a piece and an end that are too large for a message', () => {
    const replies = open();
    const tooLarge = 'x'.repeat(700_001);
    expect(() => replies.piece(tooLarge)).toThrow(/fit into a message/);
    expect(() => replies.done(tooLarge)).toThrow(/fit into a message/);
  });
});
