import { Worker } from 'node:worker_threads';
import { type Calls, ThreadCalls } from '#platform/threads/thread-calls.js';
import { PeerError } from './peer.errors.js';
import {
  type PeerCalls,
  type PeerMessage,
  type PeerNetwork,
  type PeerNews,
  type PeerSetting,
} from './peer.protocol.js';
import { encodesVp8, type VideoTerms } from './vp8-encoder.js';

/** Hears of one peer. */
export interface PeerEvents {
  readonly onChannel: (isOpen: boolean) => void;
  readonly onMessage: (message: PeerMessage) => void;
  /** The thread has ended with this peer; another offer starts another. */
  readonly onLost: () => void;
}

interface Running {
  readonly worker: Worker;
  readonly calls: ThreadCalls<PeerCalls, PeerNews & Calls>;
}

/** The heap of the thread: a defect ends it before it ends the process. */
const HEAP_MB = 256;

/** The WebRTC peers of this process, on a thread that starts with the first of them. */
export class PeerThread {
  readonly #peers = new Map<string, PeerEvents>();
  #running: Running | null = null;
  #encodesVideo: Promise<boolean> | null = null;

  /** @param encoder the program that encodes video, where it is installed */
  constructor(
    private readonly network: PeerNetwork,
    private readonly encoder = 'ffmpeg',
  ) {}

  /** Peers that have an answer and have not ended. */
  get size(): number {
    return this.#peers.size;
  }

  /** Whether an offer with a video gets one. */
  encodesVideo(): Promise<boolean> {
    this.#encodesVideo ??= encodesVp8(this.encoder);
    return this.#encodesVideo;
  }

  /**
   * Answers an offer. A peer of this name ends.
   * @param terms of its video; null: none
   * @throws PeerError `sdp`, `lost`
   */
  async negotiate(
    peer: string,
    sdp: string,
    events: PeerEvents,
    terms: VideoTerms | null = null,
  ): Promise<string> {
    const video = terms && (await this.encodesVideo()) ? terms : null;
    const { calls } = this.#started();
    this.#peers.set(peer, events);
    try {
      return await calls.call('negotiate', { peer, sdp, video });
    } catch (error) {
      if (!this.#peers.delete(peer)) throw lost(error);
      calls.tell('end', { peer });
      throw new PeerError('sdp', 'the offer cannot be answered', { cause: error });
    }
  }

  /** Resolves when the channel has room for another message; false where no channel is open. */
  async send(peer: string, message: PeerMessage): Promise<boolean> {
    const sent = this.#running?.calls.call('send', { peer, message });
    return (await sent?.catch(() => false)) ?? false;
  }

  /** Shows a picture in the video of a peer, where it has one. */
  show(peer: string, pixels: Uint8Array): void {
    if (this.#peers.has(peer)) this.#running?.calls.tell('show', { peer, pixels });
  }

  end(peer: string): void {
    if (this.#peers.delete(peer)) this.#running?.calls.tell('end', { peer });
  }

  async close(): Promise<void> {
    await this.#running?.worker.terminate();
  }

  #started(): Running {
    if (this.#running) return this.#running;
    const worker = new Worker(new URL('./peer.worker.js', import.meta.url), {
      workerData: { ...this.network, encoder: this.encoder } satisfies PeerSetting,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.unref();
    const calls: Running['calls'] = new ThreadCalls(worker, {
      channel: ({ peer, isOpen }) => this.#peers.get(peer)?.onChannel(isOpen),
      message: ({ peer, message }) => this.#peers.get(peer)?.onMessage(message),
    });
    const running = { worker, calls };
    this.#running = running;
    // An `exit` always follows an `error`.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#leave(running));
    return running;
  }

  #leave({ calls }: Running): void {
    this.#running = null;
    const peers = [...this.#peers.values()];
    this.#peers.clear();
    calls.end('the thread of the peers has ended');
    for (const { onLost } of peers) onLost();
  }
}

const lost = (cause: unknown): PeerError =>
  new PeerError('lost', 'the thread of the peers has ended', { cause });
