/** One stage: holds a range of layers, listens for the head and for the stage before it. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { LayersError } from '../llama-layers.errors.js';
import { type LayerCache } from '../model/layer-cache.js';
import { LayerStack } from '../model/layer-stack.js';
import { readLlamaHeader } from '../model/llama.header.js';
import { FRAME_BYTES_MAX, FrameLink, type ReceivedFrame } from './frame-link.js';
import { callingHeaders, CLOCK_HEADER, knowsSecret, sharesClock } from './pipeline-secret.js';
import {
  type ReleaseReport,
  type StageAnswer,
  type StageCall,
  type StageEvent,
  type StageStart,
  type StageTimes,
} from './stage.protocol.js';

interface OpenRequest {
  readonly cache: LayerCache;
  frames: number;
  transportNs: bigint | null;
  computeMs: number;
}

interface HeadWatch {
  onHead(): void;
  onHeadGone(): void;
}

export class Stage {
  readonly #secret: string;
  readonly #server: Server = createServer((_, response) => response.writeHead(426).end());
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
  });
  readonly #requests = new Map<number, OpenRequest>();
  #stack: LayerStack | null = null;
  #head: FrameLink | null = null;
  #headSocket: WebSocket | null = null;
  #next: FrameLink | null = null;
  #nextSocket: WebSocket | null = null;
  #calls: Promise<void> = Promise.resolve();

  private constructor(
    { secret }: StageStart,
    private readonly watch: HeadWatch,
  ) {
    this.#secret = secret;
    this.#server.on('upgrade', (request, socket, head) => {
      if (!knowsSecret(request.headers, secret)) {
        reject(socket);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (opened) => {
        this.#accept(opened, request.url === '/head', sharesClock(request.headers[CLOCK_HEADER]));
      });
    });
  }

  /**
   * Listens at a port that the system chooses.
   * @param watch learns when the head has connected, and when its connection has ended
   */
  static async listen(
    start: StageStart,
    watch: HeadWatch = { onHead: ignore, onHeadGone: ignore },
  ): Promise<{ readonly stage: Stage; readonly port: number }> {
    const stage = new Stage(start, watch);
    await new Promise<void>((resolve, reject) => {
      stage.#server.once('error', reject).listen(0, start.host, resolve);
    });
    return { stage, port: (stage.#server.address() as AddressInfo).port };
  }

  close(): void {
    this.#nextSocket?.terminate();
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.close();
    this.#stack?.dispose();
  }

  #accept(socket: WebSocket, isHead: boolean, isOneClock: boolean): void {
    socket.on('error', () => socket.terminate());
    const link = new FrameLink(socket, isOneClock, (frame) => this.#take(frame));
    if (!isHead) return;
    this.#head = link;
    this.#headSocket = socket;
    this.watch.onHead();
    socket.once('close', () => this.watch.onHeadGone());
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      const call = JSON.parse((data as Buffer).toString('utf8')) as StageCall;
      this.#calls = this.#calls.then(async () => {
        this.#say(await this.#answer(call));
      });
    });
  }

  async #answer(call: StageCall): Promise<StageAnswer> {
    try {
      if (call.call === 'load') await this.#load(call.modelFile, call.range);
      else await this.#connect(call.url);
      return { ok: true };
    } catch (error) {
      const code = error instanceof LayersError ? error.code : 'model_failed';
      return { ok: false, code, message: (error as Error).message };
    }
  }

  async #load(modelFile: string, range: LayerStack['range']): Promise<void> {
    const stack = await LayerStack.load(modelFile, await readLlamaHeader(modelFile), range);
    this.#stack?.dispose();
    this.#stack = stack;
  }

  async #connect(url: string | null): Promise<void> {
    this.#nextSocket?.terminate();
    this.#nextSocket = null;
    this.#next = this.#head;
    if (url === null) return;
    const headers = callingHeaders(this.#secret);
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    socket.on('error', () => socket.terminate());
    this.#nextSocket = socket;
    socket.once('close', () => {
      if (this.#nextSocket === socket) this.#say({ event: 'link_lost' });
    });
    // The next stage sends nothing but acknowledgements.
    this.#next = new FrameLink(socket, false, () => undefined);
    await new Promise<void>((resolve, reject) => {
      socket
        .once('open', resolve)
        .once('close', () => reject(new Error(`${url} cannot be reached`)));
    });
  }

  /** The head repeats what a failed step would have given. */
  async #take(frame: ReceivedFrame): Promise<void> {
    try {
      if (frame.kind === 'release') await this.#release(frame);
      else await this.#step(frame);
    } catch {
      this.#say({ event: 'link_lost' });
    }
  }

  #say(message: StageAnswer | StageEvent): void {
    if (this.#headSocket?.readyState === WebSocket.OPEN) {
      this.#headSocket.send(JSON.stringify(message));
    }
  }

  async #step(frame: ReceivedFrame): Promise<void> {
    const { request, position, payload, wantsLogits } = frame;
    const stack = this.#stack;
    if (stack === null || payload === null || typeof payload === 'string') return;
    const open = this.#requests.get(request) ?? this.#open(request, position, stack);
    if (open?.cache.positions !== position) return;
    const startedAt = performance.now();
    const result = stack.forward(open.cache, payload, wantsLogits);
    open.computeMs += performance.now() - startedAt;
    open.frames += 1;
    if (open.transportNs !== null) {
      open.transportNs = frame.transportNs === null ? null : open.transportNs + frame.transportNs;
    }
    if (result.length > 0) await this.#next?.send({ ...frame, payload: result });
  }

  /** A later position of an unknown request follows its release, and is dropped. */
  #open(request: number, position: number, stack: LayerStack): OpenRequest | undefined {
    if (position !== 0) return undefined;
    const open = { cache: stack.open(), frames: 0, transportNs: 0n, computeMs: 0 };
    this.#requests.set(request, open);
    return open;
  }

  async #release(frame: ReceivedFrame): Promise<void> {
    const before = JSON.parse(String(frame.payload)) as ReleaseReport;
    const open = this.#requests.get(frame.request);
    this.#requests.delete(frame.request);
    open?.cache.dispose();
    const report: ReleaseReport = [...before, open === undefined ? null : timesOf(open)];
    await this.#next?.send({ ...frame, payload: JSON.stringify(report) });
  }
}

const ignore = (): void => undefined;

const timesOf = ({ frames, transportNs, computeMs }: OpenRequest): StageTimes => ({
  frames,
  transportMs: transportNs === null ? null : Number(transportNs) / 1e6,
  computeMs,
});

const reject = (socket: Duplex): void => {
  socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
};
