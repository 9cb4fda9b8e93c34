import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LIVE_SETTINGS, type LiveSettings } from './live.settings.js';
import { PeerThread, StunResponder } from './peers.engine.js';
import { type IceServer, turnServers } from './turn-credentials.js';

/** The network of the sessions of this process: its peers, and the ICE servers of clients. */
@Injectable()
export class LivePeers implements OnModuleDestroy {
  readonly thread: PeerThread;
  readonly #responder: StunResponder;
  #stunPort: Promise<number> | null = null;

  constructor(@Inject(LIVE_SETTINGS) private readonly settings: LiveSettings) {
    this.thread = new PeerThread(settings);
    this.#responder = new StunResponder(settings.bind, settings.stunPort);
  }

  /**
   * @param host by which the client reaches the gateway
   * @param name of the session, for its TURN credentials
   * @throws Error for a STUN port that is taken
   */
  async iceServers(host: string, name: string, expiresAtMs: number): Promise<readonly IceServer[]> {
    const { stunUrls, turn } = this.settings;
    const stun = stunUrls.length > 0 ? stunUrls : [`stun:${host}:${await this.#startedStun()}`];
    return [
      ...stun.map((urls) => ({ urls })),
      ...(turn ? turnServers(turn, name, expiresAtMs) : []),
    ];
  }

  async onModuleDestroy(): Promise<void> {
    await this.thread.close();
    await this.#responder.stop();
  }

  #startedStun(): Promise<number> {
    this.#stunPort ??= this.#responder.start().catch((error: unknown) => {
      this.#stunPort = null;
      throw error;
    });
    return this.#stunPort;
  }
}
