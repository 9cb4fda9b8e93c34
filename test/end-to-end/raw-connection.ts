import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from './quipu.harness.js';

/** One HTTP/1.1 answer as it was sent. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A TCP connection whose test decides which bytes it sends, and when. */
export class RawConnection {
  #received = '';
  #isClosed = false;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on('data', (text) => (this.#received += String(text)));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.#isClosed = true));
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** A request with these headers and, so far, this part of its body. */
  post(path: string, headers: Readonly<Record<string, string>>, part = ''): void {
    const lines = Object.entries({ host: 'quipu', 'content-type': 'application/json', ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    this.send(`POST ${path} HTTP/1.1\r\n${head}\r\n${part}`);
  }

  /** How many answers have begun. */
  get answers(): number {
    return this.#received.match(/^HTTP\/1\.1 /gm)?.length ?? 0;
  }

  /** The first answer, once all of it has arrived. */
  async answer(): Promise<RawAnswer> {
    await eventually(() => answerIn(this.#received) !== undefined);
    const answer = answerIn(this.#received);
    if (!answer) throw new Error('the answer is gone');
    return answer;
  }

  async closed(): Promise<void> {
    await eventually(() => this.#isClosed);
  }

  destroy(): void {
    this.socket.destroy();
  }
}

const answerIn = (text: string): RawAnswer | undefined => {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  if (Buffer.byteLength(body) < Number(headers['content-length'] ?? 0)) return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) };
};
