import { once } from 'node:events';
import { type RTCDataChannel, RTCPeerConnection } from 'werift';
import { WebSocket } from 'ws';

/** The rig that draws frames, and the prices of sessions. */
export const LIVE_RIG = '  - { name: built-in, kind: embedded }';
export const LIVE_METERS = `
meters:
  - { meter: live_minutes, usd: 0.002, per: 1 }
  - { meter: live_frames, usd: 0.05, per: 1000 }
  - { meter: vision_frames, usd: 0.1, per: 1000 }
`;
export const LIVE_CATALOG = `
rigs:
${LIVE_RIG}
models: []
${LIVE_METERS}`;

/** The catalog of a scripted upstream, with the rig and the prices of sessions. */
export const withLive = (catalog: string): string =>
  catalog.replace('models:', `${LIVE_RIG}\nmodels:`) + LIVE_METERS;

type Message = Readonly<Record<string, unknown>> & { readonly type: string };

export interface ReceivedFrame {
  readonly header: Readonly<Record<string, unknown>> & {
    readonly frame_id: number;
    readonly stamp_ms: number;
    readonly steps: number;
  };
  readonly file: Buffer;
}

/** The status and the body of a signalling connection that is not opened. */
export const rejectionOf = async (url: string, origin?: string) => {
  const socket = new WebSocket(url, { ...(origin !== undefined && { origin }) });
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    NodeJS.ReadableStream & { readonly statusCode: number },
  ];
  const parts = await Array.fromAsync(response);
  const body = JSON.parse(Buffer.concat(parts as Buffer[]).toString()) as Message;
  return { status: response.statusCode, body };
};

/** Ends a session as a client that has connected. */
export const hangUp = async (url: string): Promise<void> => {
  const socket = new WebSocket(url);
  const closed = once(socket, 'close');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'bye' }));
  await closed;
};

/** A client of a stream session on werift: signalling, a data channel, and the frames of it. */
export class LiveClient {
  readonly heard: Message[] = [];
  readonly frames: ReceivedFrame[] = [];
  readonly peer = new RTCPeerConnection({ iceServers: [], iceUseIpv6: false });
  closed: { readonly code: number; readonly reason: string } | null = null;
  readonly #parts = new Map<number, (Buffer | undefined)[]>();
  #channel: RTCDataChannel | null = null;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.heard.push(JSON.parse(data.toString()) as Message));
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
  }

  static async connect(url: string, origin?: string): Promise<LiveClient> {
    const client = new LiveClient(new WebSocket(url, { ...(origin !== undefined && { origin }) }));
    await once(client.socket, 'open');
    return client;
  }

  get isOpen(): boolean {
    return this.#channel?.readyState === 'open';
  }

  tell(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  send(message: object | Buffer): void {
    this.#channel?.send(Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  /** Sends an offer with a data channel, and takes the answer. */
  async offer(): Promise<void> {
    this.#channel = this.peer.createDataChannel('frames', { ordered: false });
    this.#channel.onMessage.subscribe((data) => this.#hear(data));
    await this.peer.setLocalDescription(await this.peer.createOffer());
    const before = this.heard.length;
    this.tell({ type: 'offer', sdp: this.peer.localDescription?.sdp });
    const answer = await this.next('answer', before);
    await this.peer.setRemoteDescription({ type: 'answer', sdp: String(answer['sdp']) });
  }

  /** The first message of a type after the ones that were there. */
  async next(type: string, after = 0): Promise<Message> {
    const deadline = performance.now() + 60_000;
    while (performance.now() < deadline) {
      const found = this.heard.slice(after).find((message) => message.type === type);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`no message of the type ${type} in ${JSON.stringify(this.heard)}`);
  }

  async close(): Promise<void> {
    this.socket.terminate();
    await this.peer.close();
  }

  #hear(data: string | Buffer): void {
    if (typeof data === 'string') {
      this.heard.push(JSON.parse(data) as Message);
      return;
    }
    const length = data.readUInt16BE(0);
    const header = JSON.parse(
      data.subarray(2, 2 + length).toString(),
    ) as ReceivedFrame['header'] & {
      readonly part: number;
      readonly parts: number;
    };
    const parts: (Buffer | undefined)[] = this.#parts.get(header.frame_id) ?? [];
    parts[header.part] = data.subarray(2 + length);
    this.#parts.set(header.frame_id, parts);
    const known = parts.filter((part) => part !== undefined);
    if (known.length < header.parts) return;
    this.#parts.delete(header.frame_id);
    this.frames.push({ header, file: Buffer.concat(known) });
  }
}
