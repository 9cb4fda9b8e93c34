import { type RTCDataChannel, RTCPeerConnection } from 'werift';
import { type PeerMessage, type PeerSetting } from './peer.protocol.js';
import { VideoTrack, VP8 } from './video-track.js';
import { type VideoTerms } from './vp8-encoder.js';

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
  #video: VideoTrack | null = null;

  constructor(
    private readonly setting: PeerSetting,
    /** Of a video that the offer asks for; null: it is rejected. */
    private readonly terms: VideoTerms | null,
    private readonly listener: PeerListener,
  ) {
    const { ports, bind } = setting;
    this.#connection = new RTCPeerConnection({
      iceServers: [],
      iceLite: true,
      iceUseIpv6: false,
      iceUseTcp: false,
      codecs: { video: terms ? [VP8] : [], audio: [] },
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

  get hasVideo(): boolean {
    return this.#video !== null;
  }

  /** @throws Error for an offer that cannot be answered */
  async answer(sdp: string): Promise<string> {
    demandChannel(sdp);
    const offer = withoutCandidates(sdp);
    await this.#connection.setRemoteDescription({ type: 'offer', sdp: offer });
    await this.#sendVideo();
    await this.#connection.setLocalDescription(await this.#connection.createAnswer());
    const answer = this.#connection.localDescription?.sdp ?? '';
    const { announced } = this.setting;
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

  /** Shows a picture in the video, once the client is connected. */
  show(pixels: Uint8Array): void {
    if (this.#connection.connectionState === 'connected') this.#video?.show(pixels);
  }

  async close(): Promise<void> {
    this.#video?.close();
    this.#channel = null;
    await this.#connection.close();
  }

  /** The first video of an offer that a client receives is the one of the session. */
  async #sendVideo(): Promise<void> {
    for (const transceiver of this.#connection.getTransceivers()) {
      const isWanted = transceiver.offerDirection !== 'recvonly' && !transceiver.pendingRejection;
      if (!this.terms || this.#video || !isWanted) {
        transceiver.setDirection('inactive');
        continue;
      }
      this.#video = new VideoTrack(this.setting.encoder, this.terms);
      transceiver.setDirection('sendonly');
      await transceiver.sender.replaceTrack(this.#video.track);
    }
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
