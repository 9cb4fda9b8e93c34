import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { reject } from './vision.errors.js';
import { Tracker } from './vision.engine.js';
import { VISION_SETTINGS, type VisionSettings } from './vision.settings.js';

/** Streams of this process, of all accounts and of one. */
export const STREAMS_MAX = 256;
export const STREAMS_PER_ACCOUNT_MAX = 16;
/** Frames of which the rate of a stream is measured. */
const MEASURED_FRAMES = 30;

/** The frames of one stream, in their order. */
export class VisionStream {
  readonly tracker = new Tracker();
  /** Of the last look for motion. */
  background: string | null = null;
  frames = 0;
  lastAtMs: number;
  readonly #atMs: number[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(nowMs: number) {
    this.lastAtMs = nowMs;
  }

  /** Runs the work on one frame after the work on the frame before. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  seen(nowMs: number): void {
    this.frames += 1;
    this.lastAtMs = nowMs;
    this.#atMs.push(nowMs);
    if (this.#atMs.length > MEASURED_FRAMES) this.#atMs.shift();
  }

  /** Frames a second that this stream had; null before the second frame. */
  get framesPerSecond(): number | null {
    const [first = 0] = this.#atMs;
    const spanMs = this.lastAtMs - first;
    return spanMs > 0 ? (1_000 * (this.#atMs.length - 1)) / spanMs : null;
  }
}

/** The streams of all accounts, in the memory of this process. A quiet one is forgotten. */
@Injectable()
export class VisionStreams {
  readonly #streams = new Map<string, VisionStream>();

  constructor(
    @Inject(VISION_SETTINGS) private readonly settings: Pick<VisionSettings, 'streamIdleMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A name that is new opens a stream. @throws DomainError `too_many_vision_streams` */
  of(accountId: string, name: string): VisionStream {
    const nowMs = this.clock.now();
    this.#forget(nowMs);
    const prefix = `${accountId}/`;
    const known = this.#streams.get(prefix + name);
    if (known) {
      known.lastAtMs = nowMs;
      return known;
    }
    const own = [...this.#streams.keys()].filter((key) => key.startsWith(prefix)).length;
    if (own >= STREAMS_PER_ACCOUNT_MAX || this.#streams.size >= STREAMS_MAX) {
      const most = own < STREAMS_PER_ACCOUNT_MAX ? STREAMS_MAX : STREAMS_PER_ACCOUNT_MAX;
      reject(
        'too_many_vision_streams',
        `stream_id: ${most} streams are open; one that gets no frame is closed after ` +
          `${this.settings.streamIdleMs / 1_000} s`,
      );
    }
    const opened = new VisionStream(nowMs);
    this.#streams.set(prefix + name, opened);
    return opened;
  }

  #forget(nowMs: number): void {
    for (const [key, { lastAtMs }] of this.#streams) {
      if (nowMs - lastAtMs > this.settings.streamIdleMs) this.#streams.delete(key);
    }
  }
}
