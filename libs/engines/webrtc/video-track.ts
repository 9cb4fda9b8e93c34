import { randomInt } from 'node:crypto';
import { MediaStreamTrack, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift';
import { type VideoTerms, Vp8Encoder } from './vp8-encoder.js';

export const VP8 = new RTCRtpCodecParameters({
  mimeType: 'video/VP8',
  clockRate: 90_000,
  rtcpFeedback: [{ type: 'nack' }],
});

const TICKS_PER_MS = 90;
/** Of the payload of a packet. */
const PACKET_BYTES_MAX = 1_100;
/** The descriptor of a payload: the packet begins a frame, or continues it (RFC 7741). */
const BEGINS = 0x10;
const CONTINUES = 0;
const NUMBERS = 2 ** 16;
const TICKS = 2 ** 32;

/** Pictures as VP8 over RTP. The encoder begins with the first picture. */
export class VideoTrack {
  readonly track = new MediaStreamTrack({ kind: 'video' });
  #encoder: Vp8Encoder | null = null;
  #number = randomInt(NUMBERS);

  constructor(
    private readonly program: string,
    private readonly terms: VideoTerms,
  ) {}

  show(pixels: Uint8Array): void {
    this.#encoder ??= new Vp8Encoder(this.program, this.terms, (frame) => this.#send(frame));
    this.#encoder.encode(pixels);
  }

  close(): void {
    this.#encoder?.close();
    this.track.stop();
  }

  #send(frame: Buffer): void {
    const timestamp = Math.round(performance.now() * TICKS_PER_MS) % TICKS;
    for (let from = 0; from < frame.length; from += PACKET_BYTES_MAX) {
      const part = frame.subarray(from, from + PACKET_BYTES_MAX);
      const marker = from + part.length === frame.length;
      const header = new RtpHeader({ timestamp, marker, sequenceNumber: this.#number });
      this.#number = (this.#number + 1) % NUMBERS;
      const descriptor = Buffer.from([from === 0 ? BEGINS : CONTINUES]);
      this.track.writeRtp(new RtpPacket(header, Buffer.concat([descriptor, part])));
    }
  }
}
