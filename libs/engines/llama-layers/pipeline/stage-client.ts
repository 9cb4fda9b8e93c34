import { type ChildProcess, fork } from 'node:child_process';
import { isIPv6 } from 'node:net';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { LayersError } from '../llama-layers.errors.js';
import {
  FRAME_BYTES_MAX,
  FrameLink,
  type OutgoingFrame,
  type ReceivedFrame,
} from './frame-link.js';
import { callingHeaders } from './pipeline-secret.js';
import { StageError } from './stage.error.js';
import {
  type StageAnswer,
  type StageCall,
  type StageEvent,
  type StageReady,
  type StageStart,
} from './stage.protocol.js';

/** How long a process may take to listen, and to be reached. */
const START_MS_MAX = 20_000;
/** A stage that is silent for longer is lost; a step of a stage is far shorter. */
export const SILENT_MS_MAX = 15_000;
/** Times that a stage is asked for a sign of life before it is lost. */
const BEATS = 10;

/** The program lies beside this file: TypeScript in specs, JavaScript in a build. */
const program = (): string => {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./stage.process.${extension}`, import.meta.url));
};

export interface StageHandlers {
  readonly onFrame: (frame: ReceivedFrame) => void;
  /** Its process or the connection to it has ended, or it is silent. Called once. */
  readonly onLost: (reason: string) => void;
  /** It lives, but cannot reach the stage after it. */
  readonly onLinkLost: () => void;
}

/** A stage as the head sees it: its process and the WebSocket to it. */
export class StageClient {
  #lost: string | null = null;
  #answers: { resolve: (answer: StageAnswer) => void; reject: (error: Error) => void }[] = [];
  #heardAtMs = performance.now();
  readonly #link: FrameLink;
  readonly #beat: NodeJS.Timeout;

  private constructor(
    private readonly child: ChildProcess,
    private readonly socket: WebSocket,
    /** Where the stage before it connects to. */
    readonly url: string,
    handlers: StageHandlers,
    silentMsMax: number,
  ) {
    this.#link = new FrameLink(socket, true, (frame) => handlers.onFrame(frame));
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      const said = JSON.parse((data as Buffer).toString('utf8')) as StageAnswer | StageEvent;
      if ('event' in said) handlers.onLinkLost();
      else this.#answers.shift()?.resolve(said);
    });
    for (const sign of ['pong', 'message'] as const) {
      socket.on(sign, () => (this.#heardAtMs = performance.now()));
    }
    const lose = (reason: string): void => {
      if (this.#lost !== null) return;
      this.#lost = reason;
      this.kill();
      for (const { reject } of this.#answers.splice(0)) reject(new StageError(reason));
      handlers.onLost(reason);
    };
    socket.once('close', () => lose('its connection has ended'));
    child.once('exit', (code, signal) => lose(`its process has ended: ${signal ?? code ?? 0}`));
    this.#beat = setInterval(() => {
      if (performance.now() - this.#heardAtMs > silentMsMax) lose('it is silent');
      else socket.ping();
    }, silentMsMax / BEATS).unref();
  }

  /** @throws StageError when the process cannot be started or reached */
  static async start(
    start: StageStart,
    handlers: StageHandlers,
    silentMsMax = SILENT_MS_MAX,
  ): Promise<StageClient> {
    // Flags of this process are the child's, except a debugger's port.
    const execArgv = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
    const child = fork(program(), [], { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    try {
      const port = await listening(child, start);
      const host = isIPv6(start.host) ? `[${start.host}]` : start.host;
      const url = `ws://${host}:${port}`;
      const socket = await opened(`${url}/head`, start.secret);
      return new StageClient(child, socket, `${url}/stage`, handlers, silentMsMax);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /** @throws StageError when it is lost; LayersError when it cannot do what is asked */
  async call(call: StageCall): Promise<void> {
    const answer = await new Promise<StageAnswer>((resolve, reject) => {
      if (this.#lost !== null) {
        reject(new StageError(this.#lost));
        return;
      }
      this.#answers.push({ resolve, reject });
      this.socket.send(JSON.stringify(call));
    });
    if (answer.ok) return;
    if (answer.code === 'model_too_large') throw new LayersError(answer.code, answer.message);
    throw new StageError(answer.message);
  }

  send(frame: OutgoingFrame): Promise<void> {
    return this.#link.send(frame);
  }

  kill(): void {
    clearInterval(this.#beat);
    this.socket.terminate();
    this.child.kill('SIGKILL');
  }
}

const listening = (child: ChildProcess, start: StageStart): Promise<number> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new StageError(`a stage did not listen within ${START_MS_MAX} ms`));
    }, START_MS_MAX);
    const end = (settle: () => void) => (): void => {
      clearTimeout(late);
      settle();
    };
    child.once('message', (ready: StageReady) => end(() => resolve(ready.port))());
    child.once('error', (error) => end(() => reject(new StageError(error.message)))());
    child.once(
      'exit',
      end(() => reject(new StageError('a stage ended before it listened'))),
    );
    child.send(start, () => undefined);
  });

const opened = (url: string, secret: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      headers: callingHeaders(secret),
      maxPayload: FRAME_BYTES_MAX,
      perMessageDeflate: false,
      handshakeTimeout: START_MS_MAX,
    });
    socket.once('open', () => resolve(socket));
    socket.on('error', (error) => {
      socket.terminate();
      reject(new StageError(error.message));
    });
  });
