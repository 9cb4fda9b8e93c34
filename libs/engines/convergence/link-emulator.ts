import { duplexPair, type Duplex } from 'node:stream';
import { type Timers } from './timers.js';

export interface LinkConditions {
  /** The one-way light time. */
  readonly lightMs: number;
  readonly bitsPerSecond: number;
  /** The share of chunks that are lost; a lost chunk of a reliable transport breaks it. */
  readonly loss: number;
  /** A number from 0 up to 1 for each chunk. */
  readonly random: () => number;
  /** Whether the link is interrupted at an instant. */
  readonly isOut: (atMs: number) => boolean;
}

const BITS_PER_BYTE = 8;
const MS_PER_SECOND = 1_000;
/** A chunk occupies the link as a whole: large ones are divided. */
const CHUNK_BYTES_MAX = 4_096;

/**
 * The two ends of a connection over a link with light time, rate, loss and outages, each direction
 * for itself. Time passes by the timers that are given.
 */
export const emulatedLink = (
  conditions: LinkConditions,
  timers: Timers,
): readonly [Duplex, Duplex] => {
  const [near, nearEnd] = duplexPair();
  const [far, farEnd] = duplexPair();
  const breakLink = (): void => {
    for (const end of [near, far, nearEnd, farEnd]) end.destroy();
  };
  void carry(nearEnd, farEnd, conditions, timers).catch(breakLink);
  void carry(farEnd, nearEnd, conditions, timers).catch(breakLink);
  return [near, far];
};

/** Copies from one end to the other as the link allows. @throws Error where the link breaks */
const carry = async (
  from: Duplex,
  to: Duplex,
  { lightMs, bitsPerSecond, loss, random, isOut }: LinkConditions,
  timers: Timers,
): Promise<void> => {
  let arrivals: Promise<void> = Promise.resolve();
  let freeAtMs = timers.now();
  for await (const chunk of from as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; at += CHUNK_BYTES_MAX) {
      const part = chunk.subarray(at, at + CHUNK_BYTES_MAX);
      if (isOut(timers.now())) throw new Error('the link is interrupted');
      if (random() < loss) throw new Error('a chunk is lost');
      const sendMs = (part.length * BITS_PER_BYTE * MS_PER_SECOND) / bitsPerSecond;
      freeAtMs = Math.max(freeAtMs, timers.now()) + sendMs;
      await timers.wait(freeAtMs - timers.now());
      const arrived = timers.wait(lightMs);
      arrivals = arrivals.then(async () => {
        await arrived;
        if (!to.destroyed) to.write(part);
      });
    }
  }
  await arrivals;
  await timers.wait(lightMs);
  to.end();
};
