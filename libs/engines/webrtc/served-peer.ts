import { type RTCDataChannel, RTCPeerConnection } from 'werift';
import { type PeerMessage, type PeerNetwork } from './peer.protocol.js';

/** Bytes that wait in the channel; a message waits until fewer do. */
const BUFFERED_MAX = 64 * 1024;
/** A client that takes nothing for this time is gone. */
const SEND_MS_MAX = 10_000;
/** Media of an offer: a data channel, and room for a video and an audio track. */
const MEDIA_MAX = 3;
/** Of a message of the client. */
export const MESSAGE_BYTES_MAX = 256 * 1024;

export interface PeerListener {
  readonly onChannel: (isOpen: boolean) => void;
  readonly onMessage: (message: PeerMessage) => void;
}

/**
 * The server's end of one WebRTC connection. It is an ICE-lite agent: it sends no check of its own,
 * and the candidates of a client are not read: it sends nothing to an address that did not ask.
 */
export class ServedPeer {
  readonly #connection: RTCPeerConnection;
  #channel: RTCDataChannel | null = null;

  constructor(
    private readonly network: PeerNetwork,
    private readonly listener: PeerListener,
  ) {
    const { ports, bind } = network;
    this.#connection = new RTCPeerConnection({
      iceServers: [],
      iceLite: true,
      iceUseIpv6: false,
      iceUseTcp: false,
      maxMessageSize: MESSAGE_BYTES_MAX,
      ...(ports && { icePortRange: [...ports] }),
      ...(bind !== null && { iceInterfaceAddresses: { udp4: bind } }),
      ...(bind !== null && { iceAdditionalHostAddresses: [bind] }),
    });
    this.#connection.onDataChannel.subscribe((channel) => this.#take(channel));
    this.#connection.connectionStateChange.subscribe((state) => {
      if (state === 'failed' || state === 'closed' || state === 'disconnected') this.#leave();
    });
  }

  /** @throws Error for an offer that cannot be answered */
  async answer(sdp: string): Promise<string> {
    demandChannel(sdp);
    const offer = withoutCandidates(sdp);
    await this.#connection.setRemoteDescription({ type: 'offer', sdp: offer });
    await this.#connection.setLocalDescription(await this.#connection.createAnswer());
    const answer = this.#connection.localDescription?.sdp ?? '';
    const { announced } = this.network;
    return announced === null ? answer : announcing(answer, announced);
  }

  /** Resolves when the channel has room for another message. */
  async send(message: PeerMessage): Promise<boolean> {
    const channel = this.#channel;
    if (channel?.readyState !== 'open') return false;
    channel.send(typeof message === 'string' ? message : Buffer.from(message));
    if (channel.bufferedAmount <= BUFFERED_MAX) return true;
    return this.#drained(channel);
  }

  async close(): Promise<void> {
    this.#channel = null;
    await this.#connection.close();
  }

  #drained(channel: RTCDataChannel): Promise<boolean> {
    return new Promise((resolve) => {
      channel.bufferedAmountLowThreshold = BUFFERED_MAX;
      const finish = (isDrained: boolean): void => {
        clearTimeout(timer);
        low.unSubscribe();
        resolve(isDrained);
      };
      const low = channel.bufferedAmountLow.subscribe(() => finish(true));
      const timer = setTimeout(() => {
        finish(false);
        this.#leave();
      }, SEND_MS_MAX);
    });
  }

  /** The first channel of a client is the channel of the session; others are closed. */
  #take(channel: RTCDataChannel): void {
    if (this.#channel) {
      channel.close();
      return;
    }
    this.#channel = channel;
    channel.onMessage.subscribe((message) => {
      if (message.length <= MESSAGE_BYTES_MAX) this.listener.onMessage(message);
      else channel.close();
    });
    channel.stateChange.subscribe((state) => {
      if (state === 'open') this.listener.onChannel(true);
      else if (state === 'closed') this.#leave();
    });
    if (channel.readyState === 'open') this.listener.onChannel(true);
  }

  #leave(): void {
    if (!this.#channel) return;
    this.#channel = null;
    this.listener.onChannel(false);
  }
}

/** @throws Error for an offer without a data channel, or with more media than a page needs */
const demandChannel = (sdp: string): void => {
  const media = sdp.split(/\r?\n/).filter((line) => line.startsWith('m='));
  const channels = media.filter((line) => line.startsWith('m=application '));
  if (channels.length !== 1 || media.length > MEDIA_MAX) {
    throw new Error(`expected one data channel, received ${channels.length} of ${media.length}`);
  }
};

const withoutCandidates = (sdp: string): string =>
  sdp
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('a=candidate:'))
    .join('\r\n');

/** The answer with one candidate for each port, at the announced address. */
const announcing = (sdp: string, address: string): string => {
  const ports = new Set<string>();
  return sdp
    .split('\r\n')
    .flatMap((line) => {
      const parts = line.split(' ');
      if (!line.startsWith('a=candidate:')) return [line];
      const port = parts[5] ?? '';
      if (ports.has(`${parts[1] ?? ''} ${port}`)) return [];
      ports.add(`${parts[1] ?? ''} ${port}`);
      return [parts.with(4, address).join(' ')];
    })
    .join('\r\n');
};
