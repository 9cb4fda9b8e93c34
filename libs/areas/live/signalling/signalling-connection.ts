import { type Clock } from '#platform/kernel/clock.js';
import { type LiveSession, type SessionClient, wishOf } from '../live-session.js';
import { PeerError } from '../peers.engine.js';
import { readMessage, type ServerMessage, SignalMessage } from './client-messages.js';
import { MessageRate } from './message-rate.js';

/** The connection as the gateway has it. */
export interface SignalSocket {
  readonly send: (text: string) => void;
  readonly close: (code: number, reason: string) => void;
  /** Asks the other end for a sign of life, which `alive` reports. */
  readonly ping: () => void;
}

export interface SignallingServices {
  readonly clock: Clock;
  readonly onBye: () => Promise<void>;
  readonly onClose: () => Promise<void>;
}

export const MESSAGES_PER_SECOND_MAX = 50;
/** Offers of one connection. */
export const OFFERS_MAX = 16;
/** A client that sends no offer by then is gone. */
export const OFFER_MS_MAX = 30_000;
const PING_EVERY_MS = 5_000;
const SILENT_MS_MAX = 12_000;
const POLICY = 1_008;
const LOST = 4_000;

/** The signalling of one client: its offers are answered, in turn, until it leaves. */
export class SignallingConnection implements SessionClient {
  readonly #rate = new MessageRate(MESSAGES_PER_SECOND_MAX);
  readonly #openedMs: number;
  #aliveMs: number;
  #pingedMs = 0;
  #isPinged = false;
  #offers = 0;
  #isNegotiating = false;
  #isClosed = false;

  constructor(
    private readonly session: LiveSession,
    private readonly socket: SignalSocket,
    private readonly services: SignallingServices,
  ) {
    this.#openedMs = services.clock.now();
    this.#aliveMs = this.#openedMs;
  }

  /** @param hasVideo whether an offer with a video gets one */
  begin(hasVideo: boolean): void {
    const { width, height, targetFps, heldUntil, expiresAt } = this.session.record;
    this.tell({
      type: 'ready',
      ...{ width, height, target_fps: targetFps, held_until: heldUntil, expires_at: expiresAt },
      needs_prompt: this.session.needsPrompt,
      video: hasVideo ? 'vp8' : null,
    });
    this.#ping(this.services.clock.now());
  }

  tell(message: ServerMessage): void {
    if (!this.#isClosed) this.socket.send(JSON.stringify(message));
  }

  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.socket.close(code, reason);
  }

  /** The other end has answered a ping, and hears how long the way was. */
  alive(): void {
    this.#aliveMs = this.services.clock.now();
    if (!this.#isPinged) return;
    this.#isPinged = false;
    this.tell({ type: 'ping', client_ping_ms: this.#aliveMs - this.#pingedMs });
  }

  /** The socket has closed. */
  async closed(): Promise<void> {
    this.#isClosed = true;
    await this.services.onClose();
  }

  /** Closes a connection whose client is silent or sends no offer. */
  look(nowMs: number): void {
    const isIdle = this.#offers === 0 && nowMs - this.#openedMs >= OFFER_MS_MAX;
    if (isIdle) this.#reject('no offer has come');
    else if (nowMs - this.#aliveMs >= SILENT_MS_MAX) this.close(LOST, 'the client is silent');
    else if (nowMs - this.#pingedMs >= PING_EVERY_MS && !this.#isClosed) this.#ping(nowMs);
  }

  /** @param text null: the message was bytes */
  async receive(text: string | null): Promise<void> {
    if (this.#isClosed) return;
    this.#aliveMs = this.services.clock.now();
    if (!this.#rate.allows(this.services.clock.now())) {
      this.#reject('too many messages');
      return;
    }
    const read = text === null ? BYTES : readMessage(SignalMessage, text);
    if ('fault' in read) this.#tellFault('invalid_message', read.fault);
    else await this.#obey(read.message);
  }

  async #obey(message: SignalMessage): Promise<void> {
    switch (message.type) {
      case 'offer':
        return this.#answer(message.sdp);
      case 'candidate':
        // The gateway is an ICE-lite agent: it answers checks, and sends none to candidates.
        return;
      case 'prompt':
        this.session.wish(wishOf(message));
        return;
      case 'bye':
        await this.services.onBye();
    }
  }

  async #answer(sdp: string): Promise<void> {
    if (this.#isNegotiating) {
      this.#tellFault('offer_pending', 'an offer is being answered');
      return;
    }
    this.#offers += 1;
    if (this.#offers > OFFERS_MAX) {
      this.#reject('too many offers');
      return;
    }
    this.#isNegotiating = true;
    try {
      this.tell({ type: 'answer', sdp: await this.session.negotiate(sdp) });
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      this.#tellFault(error.code === 'sdp' ? 'invalid_sdp' : 'peer_lost', error.message);
    } finally {
      this.#isNegotiating = false;
    }
  }

  #ping(nowMs: number): void {
    this.#pingedMs = nowMs;
    this.#isPinged = true;
    this.socket.ping();
  }

  #tellFault(code: string, message: string): void {
    this.tell({ type: 'error', code, message });
  }

  #reject(reason: string): void {
    this.close(POLICY, reason);
  }
}

const BYTES = { fault: 'the message: expected text' } as const;
