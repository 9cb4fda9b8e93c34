import { type Frame, Frames } from './frames.js';

const RECONNECT_MS = 500;

/** As the gateway opens it. */
export interface OpenedStream {
  readonly session_token: string;
  readonly ice_servers: readonly RTCIceServer[];
  readonly ws_signaling_url: string;
}

type Signal =
  | { readonly type: 'ready' | 'peer_lost'; readonly needs_prompt?: boolean }
  | { readonly type: 'answer'; readonly sdp: string }
  | { readonly type: 'notice'; readonly ends_at: string }
  | { readonly type: 'bye'; readonly reason: string }
  | { readonly type: 'error'; readonly message: string };

export interface StreamListener {
  readonly onState: (state: string) => void;
  /** A data channel is open: the first one, or another after a lost connection. */
  readonly onConnected: () => void;
  readonly onNotice: (notice: string) => void;
  readonly onFrame: (frame: Frame) => Promise<void>;
  readonly onEnd: () => void;
}

/** A stream session over WebRTC. It connects again with the same token until it has ended. */
export class StreamSession {
  readonly #frames = new Frames();
  #isEnded = false;
  #socket: WebSocket | null = null;
  #peer: RTCPeerConnection | null = null;

  constructor(
    private readonly opened: OpenedStream,
    /** A session that was resumed may have forgotten it. */
    private prompt: string,
    private readonly listener: StreamListener,
  ) {}

  connect(): void {
    if (this.#isEnded) return;
    this.listener.onState('connecting');
    const socket = new WebSocket(this.opened.ws_signaling_url);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => this.#take(data));
    socket.addEventListener('close', () => this.#lose(socket));
  }

  change(prompt: string): void {
    this.prompt = prompt;
    this.#tell({ type: 'prompt', prompt });
  }

  /** Ends the session at the gateway, which charges it. */
  stop(): void {
    this.#tell({ type: 'bye' });
  }

  /** Leaves the session, which ends by itself when it has no client. */
  close(): void {
    this.#isEnded = true;
    this.stop();
    this.#peer?.close();
    this.#socket?.close();
  }

  #tell(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #take(text: string): void {
    this.#hear(JSON.parse(text) as Signal).catch((error: unknown) => {
      this.listener.onNotice(error instanceof Error ? error.message : String(error));
    });
  }

  async #hear(signal: Signal): Promise<void> {
    switch (signal.type) {
      case 'ready':
      case 'peer_lost':
        if (signal.needs_prompt === true) this.change(this.prompt);
        await this.#offer();
        break;
      case 'answer':
        await this.#peer?.setRemoteDescription({ type: 'answer', sdp: signal.sdp });
        break;
      case 'notice':
        this.listener.onNotice(
          `The account cannot pay for more: the session ends at ${signal.ends_at}.`,
        );
        break;
      case 'bye':
        this.#end(signal.reason);
        break;
      case 'error':
        this.listener.onNotice(signal.message);
        break;
    }
  }

  async #offer(): Promise<void> {
    this.#peer?.close();
    const peer = new RTCPeerConnection({ iceServers: [...this.opened.ice_servers] });
    this.#peer = peer;
    const channel = peer.createDataChannel('frames', { ordered: false });
    channel.binaryType = 'arraybuffer';
    channel.addEventListener('open', () => {
      this.listener.onConnected();
      this.listener.onState('open');
    });
    channel.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === 'string') this.#take(data);
      else void this.#draw(data, channel);
    });
    peer.addEventListener('connectionstatechange', () => {
      if (peer === this.#peer && peer.connectionState === 'failed') void this.#offer();
    });
    await peer.setLocalDescription(await peer.createOffer());
    this.#tell({ type: 'offer', sdp: peer.localDescription?.sdp });
  }

  async #draw(message: ArrayBuffer, channel: RTCDataChannel): Promise<void> {
    const frame = this.#frames.add(message);
    if (!frame) return;
    await this.listener.onFrame(frame);
    // The gateway measures the time from glass to glass by it.
    const { frame_id, stamp_ms } = frame.header;
    if (channel.readyState === 'open') {
      channel.send(JSON.stringify({ type: 'echo', frame_id, stamp_ms }));
    }
  }

  #lose(socket: WebSocket): void {
    if (socket !== this.#socket || this.#isEnded) return;
    this.listener.onState('lost');
    setTimeout(() => this.connect(), RECONNECT_MS);
  }

  #end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#peer?.close();
    this.#socket?.close();
    this.listener.onState(`ended (${reason})`);
    this.listener.onEnd();
  }
}
