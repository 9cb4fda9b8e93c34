import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { type Readable, type Writable } from 'node:stream';
import { promisify } from 'node:util';

/** The video of a peer. */
export interface VideoTerms {
  /** Of the square pictures that are shown, in pixels. */
  readonly side: number;
  /** Of the video. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

const LOOK_MS_MAX = 10_000;
/** A client that has lost a packet sees whole pictures again after this time. */
const KEY_FRAME_SECONDS = 2;
/** A larger frame is a defect of the encoder. */
const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** Pictures that have no frame yet; more are left out. */
export const WAITING_MAX = 4;
const FILE_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 12;

/** Whether ffmpeg is here and writes VP8. */
export const encodesVp8 = (program: string): Promise<boolean> =>
  promisify(execFile)(program, ['-hide_banner', '-encoders'], { timeout: LOOK_MS_MAX }).then(
    ({ stdout }) => stdout.includes(' libvpx '),
    () => false,
  );

/** Has ffmpeg encode pictures as VP8, one frame for each. The process ends with its input. */
export class Vp8Encoder {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  #received: Buffer = Buffer.alloc(0);
  #waiting = 0;
  #headerBytes = FILE_HEADER_BYTES;

  constructor(
    program: string,
    terms: VideoTerms,
    private readonly onFrame: (frame: Buffer) => void,
  ) {
    this.#child = spawn(program, parametersOf(terms), {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    });
    this.#child.on('error', () => undefined);
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdout.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  /** @param pixels red, green and blue. A picture that the encoder has no room for is left out. */
  encode(pixels: Uint8Array): void {
    const { stdin } = this.#child;
    if (!stdin.writable || this.#waiting >= WAITING_MAX) return;
    this.#waiting += 1;
    stdin.write(pixels);
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  /** IVF: a header of the file, then each frame after a header with its length. */
  #read(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const start = this.#headerBytes + FRAME_HEADER_BYTES;
      if (this.#received.length < start) return;
      const end = start + this.#received.readUInt32LE(this.#headerBytes);
      if (end - start > FRAME_BYTES_MAX) {
        this.close();
        return;
      }
      if (this.#received.length < end) return;
      this.#waiting -= 1;
      this.onFrame(this.#received.subarray(start, end));
      this.#received = this.#received.subarray(end);
      this.#headerBytes = 0;
    }
  }
}

const parametersOf = ({ side, width, height, fps }: VideoTerms): readonly string[] => [
  ...['-hide_banner', '-loglevel', 'quiet', '-nostdin', '-threads', '1'],
  // A picture is encoded when it comes, not with the next one.
  ...['-probesize', '32', '-analyzeduration', '0'],
  ...['-f', 'rawvideo', '-pixel_format', 'rgb24', '-video_size', `${side}x${side}`],
  ...['-framerate', `${fps}`, '-i', 'pipe:0', '-vf', `scale=${width}:${height}:flags=bicubic`],
  ...['-pix_fmt', 'yuv420p', '-threads', '1', '-c:v', 'libvpx'],
  ...['-deadline', 'realtime', '-cpu-used', '8', '-lag-in-frames', '0'],
  ...['-error-resilient', '1', '-b:v', '1M', '-g', `${KEY_FRAME_SECONDS * fps}`],
  ...['-flush_packets', '1', '-f', 'ivf', 'pipe:1'],
];
