import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type FrameMaker, EMBEDDED_MODEL } from './frames/frame-maker.js';
import { messagesOf } from './frames/frame.message.js';
import { FrameRate } from './frames/frame-rate.js';
import { StepPace } from './frames/step-pace.js';
import { reject } from './live.errors.js';
import { LiveError } from './live.failures.js';
import { type PeerMessage, type PeerThread } from './peers.engine.js';
import { IMAGE_SIDE, type ReadPrompt, readPrompt, SEED_MAX } from './scenes.engine.js';
import { type LiveSessionRecord } from './session/session.decider.js';
import { framesHeld } from './session/session-funds.js';
import { MessageRate } from './signalling/message-rate.js';
import {
  ChannelMessage,
  type PromptMessage,
  readMessage,
  type ServerMessage,
} from './signalling/client-messages.js';

const GUIDANCE_DEFAULT = 2;
const STRENGTH_DEFAULT = 0.6;
/** Frames of one session that wait for the frame before. */
const WAITING_MAX = 2;
/** Frames whose stamp a client may still echo. */
const STAMPS_MAX = 64;
const CHANNEL_MESSAGES_PER_SECOND_MAX = 100;
/** After a frame that could not be drawn. */
const PAUSE_MS = 500;
const MS_PER_SECOND = 1_000;

/** How the next frames are drawn; absent: as before. */
export interface FrameWish {
  readonly prompt?: string | undefined;
  readonly guidance?: number | undefined;
  readonly strength?: number | undefined;
  /** A PNG file to start from. */
  readonly image?: Uint8Array | undefined;
}

export interface LiveFrame {
  readonly frameId: number;
  readonly atMs: number;
  /** The pixels of the network: red, green and blue, row by row. */
  readonly pixels: string;
  readonly file: Uint8Array;
  readonly engine: string;
  readonly steps: number;
  readonly inferenceMs: number;
  readonly fps: number | null;
  /** Whether it was sent over the data channel. */
  readonly isSent: boolean;
  /** Of the last frame whose stamp the client has echoed; null: none. */
  readonly glassToGlassMs: number | null;
}

/** The signalling connection, as a session uses it. */
export interface SessionClient {
  readonly tell: (message: ServerMessage) => void;
}

export interface SessionServices {
  readonly peers: Pick<PeerThread, 'negotiate' | 'send' | 'show' | 'end'>;
  readonly maker: Pick<FrameMaker, 'make' | 'read'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** The client has hung up over the data channel. */
  readonly onBye: () => void;
}

/** The frames of a session in this process: its picture, its pace, and the peer of its client. */
export class LiveSession {
  client: SessionClient | null = null;
  frames: number;
  lastActiveMs: number;
  latest: LiveFrame | null = null;
  readonly #ending = new AbortController();
  readonly #pace: StepPace;
  readonly #rate = new FrameRate();
  readonly #messages = new MessageRate(CHANNEL_MESSAGES_PER_SECOND_MAX);
  readonly #stamps = new Map<number, number>();
  readonly #sceneSeed = randomInt(SEED_MAX);
  #prompt: ReadPrompt | null = null;
  #guidance = GUIDANCE_DEFAULT;
  #strength = STRENGTH_DEFAULT;
  #image: Uint8Array | null = null;
  #isChannelOpen = false;
  #isStreaming = false;
  #latencyMs: number | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(
    public record: LiveSessionRecord,
    private readonly services: SessionServices,
  ) {
    this.frames = record.frames;
    this.lastActiveMs = services.clock.now();
    this.#pace = new StepPace(record.targetFps);
  }

  get needsPrompt(): boolean {
    return this.#prompt === null;
  }

  get hasChannel(): boolean {
    return this.#isChannelOpen;
  }

  wish({ prompt, guidance, strength, image }: FrameWish): void {
    if (prompt !== undefined) this.#prompt = readPrompt(prompt);
    if (guidance !== undefined) this.#guidance = guidance;
    if (strength !== undefined) this.#strength = strength;
    if (image !== undefined) this.#image = image;
    if (this.#isChannelOpen) void this.#stream();
  }

  /** Draws one frame and sends it where the client is connected. @throws DomainError, LiveError */
  async frame(wish: FrameWish, signal: AbortSignal): Promise<LiveFrame> {
    if (this.#waiting >= WAITING_MAX) {
      throw new LiveError('busy', 'too many frames of the session wait; try again');
    }
    const { prompt, ...terms } = wish;
    if (prompt !== undefined) this.#prompt = readPrompt(prompt);
    this.wish(terms);
    this.#prompt ??= readPrompt('');
    return this.#next(AbortSignal.any([signal, this.#ending.signal]));
  }

  /** Answers an offer of the client. @throws PeerError */
  negotiate(sdp: string): Promise<string> {
    this.#isChannelOpen = false;
    const { sessionId, width, height, targetFps: fps } = this.record;
    const events = {
      onChannel: (isOpen: boolean) => {
        this.#isChannelOpen = isOpen;
        this.lastActiveMs = this.services.clock.now();
        if (isOpen) void this.#stream();
      },
      onMessage: (message: PeerMessage) => this.#hear(message),
      onLost: () => {
        this.#isChannelOpen = false;
        this.client?.tell({ type: 'peer_lost' });
      },
    };
    const video = { side: IMAGE_SIDE, width, height, fps };
    return this.services.peers.negotiate(sessionId, sdp, events, video);
  }

  /** Over the signalling connection and the data channel. */
  tell(message: ServerMessage): void {
    this.client?.tell(message);
    void this.#send(JSON.stringify(message));
  }

  end(): void {
    this.#ending.abort(new LiveError('away', 'the session has ended'));
    this.#isChannelOpen = false;
    this.services.peers.end(this.record.sessionId);
  }

  #send(message: PeerMessage): Promise<boolean> {
    if (!this.#isChannelOpen) return Promise.resolve(false);
    return this.services.peers.send(this.record.sessionId, message);
  }

  #hear(message: PeerMessage): void {
    const nowMs = this.services.clock.now();
    this.lastActiveMs = nowMs;
    if (!this.#messages.allows(nowMs)) return;
    if (typeof message !== 'string') {
      this.#image = message;
      return;
    }
    const read = readMessage(ChannelMessage, message);
    if ('fault' in read) {
      void this.#send(JSON.stringify(faultOf(read.fault)));
      return;
    }
    this.#obey(read.message, nowMs);
  }

  #obey(message: ChannelMessage, nowMs: number): void {
    switch (message.type) {
      case 'bye':
        this.services.onBye();
        return;
      case 'prompt':
        this.wish(wishOf(message));
        return;
      case 'echo': {
        // Only the stamp of a frame that was sent counts, and only once.
        const stampMs = this.#stamps.get(message.frame_id);
        if (stampMs === undefined || stampMs !== message.stamp_ms) return;
        this.#stamps.delete(message.frame_id);
        this.#latencyMs = nowMs - stampMs;
      }
    }
  }

  /** One frame after the other; the channel's room is waited for, so none is sent in vain. */
  async #stream(): Promise<void> {
    if (this.#isStreaming || this.#prompt === null) return;
    this.#isStreaming = true;
    const { signal } = this.#ending;
    const periodMs = MS_PER_SECOND / this.record.targetFps;
    try {
      while (this.#isChannelOpen && !signal.aborted) {
        const startedAt = performance.now();
        const isDrawn = await this.#next(signal).then(
          () => true,
          (error: unknown) => this.#failed(error),
        );
        const leftMs = periodMs - (performance.now() - startedAt);
        const pauseMs = isDrawn ? Math.max(0, leftMs) : PAUSE_MS;
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      this.#isStreaming = false;
    }
  }

  #failed(error: unknown): false {
    if (this.#ending.signal.aborted) return false;
    const isKnown = error instanceof LiveError || error instanceof DomainError;
    if (!isKnown) this.services.logger.warn({ err: error }, 'a frame of a session has failed');
    // A picture that cannot be read is not tried again.
    this.#image = null;
    void this.#send(JSON.stringify(faultOf(isKnown ? error.message : 'the frame has failed')));
    return false;
  }

  /** Frames are drawn in turn: each starts from the one before. */
  #next(signal: AbortSignal): Promise<LiveFrame> {
    this.#waiting += 1;
    const frame = this.#turn
      .then(() => this.#draw(signal))
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#turn = frame.catch(() => undefined);
    return frame;
  }

  async #draw(signal: AbortSignal): Promise<LiveFrame> {
    signal.throwIfAborted();
    const { maker, clock } = this.services;
    const { record } = this;
    if (this.frames >= framesHeld(record)) {
      return reject('live_frames_used_up', 'the frames of this minute are used up; try again');
    }
    const stampMs = clock.now();
    const { steps } = this.#pace;
    const image = this.#image;
    this.#image = null;
    const start = image ? await maker.read(image, signal) : (this.latest?.pixels ?? null);
    const frameId = this.frames + 1;
    const made = await maker.make(
      {
        prompt: this.#prompt ?? readPrompt(''),
        sceneSeed: this.#sceneSeed,
        frame: frameId,
        guidance: this.#guidance,
        strength: this.#strength,
        steps,
        start,
        width: record.width,
        height: record.height,
        rig: record.rig ?? '',
      },
      signal,
    );
    this.frames = frameId;
    this.#pace.measured(steps, made.inferenceMs);
    this.lastActiveMs = clock.now();
    this.#rate.add(this.lastActiveMs);
    if (this.#isChannelOpen) {
      this.services.peers.show(record.sessionId, Buffer.from(made.pixels, 'base64'));
    }
    const isSent = await this.#deliver(frameId, stampMs, steps, made.file);
    this.latest = {
      ...made,
      frameId,
      atMs: this.lastActiveMs,
      steps,
      isSent,
      fps: this.#rate.at(clock.now()),
      glassToGlassMs: this.#latencyMs,
    };
    return this.latest;
  }

  async #deliver(
    frameId: number,
    stampMs: number,
    steps: number,
    file: Uint8Array,
  ): Promise<boolean> {
    if (!this.#isChannelOpen) return false;
    const { width, height } = this.record;
    const header = {
      ...{ frame_id: frameId, stamp_ms: stampMs, width, height, steps, model: EMBEDDED_MODEL },
      resampled_from: `${IMAGE_SIDE}x${IMAGE_SIDE}`,
    };
    this.#stamps.set(frameId, stampMs);
    for (const old of this.#stamps.keys()) {
      if (this.#stamps.size <= STAMPS_MAX) break;
      this.#stamps.delete(old);
    }
    for (const message of messagesOf(header, file)) {
      if (!(await this.#send(message))) return false;
    }
    return true;
  }
}

export const wishOf = ({
  prompt,
  guidance_scale: guidance,
  noise_strength: strength,
}: PromptMessage): FrameWish => ({ prompt, guidance, strength });

const faultOf = (message: string): ServerMessage => ({
  type: 'error',
  code: 'invalid_message',
  message,
});
