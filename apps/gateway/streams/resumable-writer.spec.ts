import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenAnswer, openAnswer } from '../sse/open-answer.fixture.js';
import { dataEvent, SseWriter } from '../sse/sse.js';
import { ResumableWriter } from './resumable-writer.js';

const STREAM = '01980000-0000-7000-8000-000000000001';
const GRACE_MS = 100;
/** More bytes than the buffers of both ends of a socket. */
const TOO_MUCH = dataEvent({ text: 'x'.repeat(32 << 20) });

/** Remembers what it was given to keep. */
class RememberingKeeper {
  readonly events: string[] = [];
  readonly cancelling = new AbortController();
  isKept = true;
  hasEnded = false;
  /** How often the stream was read. */
  reads = 0n;

  get cancelled(): AbortSignal {
    return this.cancelling.signal;
  }

  append(events: readonly string[]): Promise<void> {
    this.events.push(...events);
    return Promise.resolve();
  }

  end(): Promise<void> {
    this.hasEnded = true;
    return Promise.resolve();
  }

  readers(): Promise<bigint> {
    return Promise.resolve(this.reads);
  }
}

describe('the writer of a resumable answer', () => {
  let answer: OpenAnswer;
  let incoming: IncomingMessage;
  let response: ServerResponse;
  let keeper: RememberingKeeper;
  let writer: ResumableWriter;
  let abandoned: Promise<void>;
  let isAbandoned: boolean;

  beforeEach(async () => {
    answer = await openAnswer();
    ({ response, incoming } = answer);
    keeper = new RememberingKeeper();
    isAbandoned = false;
    abandoned = new Promise((resolve) => {
      const abandon = (): void => {
        isAbandoned = true;
        resolve();
      };
      const sse = new SseWriter(response, 60_000, new AbortController().signal);
      const kept = { streamId: STREAM, response, keeper, graceMs: GRACE_MS, abandon };
      writer = new ResumableWriter(kept, sse);
    });
  });

  afterEach(async () => {
    await writer.end();
    await answer.close();
  });

  const leave = async (): Promise<void> => {
    incoming.destroy();
    await once(response, 'close');
  };

  /** After whatever a grace would have ended. */
  const laterThanGrace = () => new Promise((resolve) => setTimeout(resolve, 2.5 * GRACE_MS));

  it('keeps what it writes, with the same ids', async () => {
    const received = Array.fromAsync(incoming as AsyncIterable<Buffer>);
    await writer.write(dataEvent({ n: 1 }) + dataEvent({ n: 2 }));
    await writer.end();
    expect(Buffer.concat(await received).toString()).toBe(keeper.events.join(''));
    expect(keeper.events).toEqual([
      `id: ${STREAM}-1\ndata: {"n":1}\n\n`,
      `id: ${STREAM}-2\ndata: {"n":2}\n\n`,
    ]);
    expect(keeper.hasEnded).toBe(true);
  });

  it('runs on for a grace after its caller has left', async () => {
    await leave();
    await writer.write(dataEvent({}));
    expect(keeper.events).toHaveLength(1);
    expect(isAbandoned).toBe(false);
    await abandoned;
  });

  it('runs on for another grace as long as it was read in the last one', async () => {
    const reading = setInterval(() => (keeper.reads += 1n), GRACE_MS / 4);
    await leave();
    await laterThanGrace();
    expect(isAbandoned).toBe(false);
    clearInterval(reading);
    await abandoned;
  });

  it('is not abandoned once it has ended', async () => {
    await leave();
    await writer.end();
    await laterThanGrace();
    expect(isAbandoned).toBe(false);
  });

  it('ends at once without its caller where it is kept no longer', async () => {
    keeper.isKept = false;
    await writer.write(dataEvent({}));
    expect(isAbandoned).toBe(false);
    await leave();
    await abandoned;
  });

  it('ends when it is cancelled, with its caller or without', async () => {
    keeper.cancelling.abort();
    await abandoned;
  });

  it('closes a connection that takes nothing for a grace, and runs on', async () => {
    await writer.write(TOO_MUCH);
    expect(response.destroyed).toBe(true);
    await writer.write(dataEvent({}));
    expect(keeper.events).toHaveLength(2);
  });
});
