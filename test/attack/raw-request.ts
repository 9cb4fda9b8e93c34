import { connect } from 'node:net';

/** A request of which every byte is chosen. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case; values of a repeated header with a comma between them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The longest wait for an answer; it fails the attack. */
const ANSWER_MS_MAX = 60_000;

/** Sends the request on a connection of its own. @throws Error without a whole answer in time */
export const sendRaw = async (url: string, request: RawRequest): Promise<Answer> => {
  const { hostname, port } = new URL(url);
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no whole answer within ${ANSWER_MS_MAX} ms`));
    }, ANSWER_MS_MAX);
    socket.on('data', (part) => parts.push(part));
    // The gateway may close before it has read a body that it does not want.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts));
    });
    socket.write(bytesOf(request));
  });
  return answerOf(bytes);
};

const bytesOf = ({ method, target, headers, body }: RawRequest): Buffer => {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'host: quipu',
    'connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : [`content-length: ${body.length}`]),
  ];
  return Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
    body ?? Buffer.alloc(0),
  ]);
};

const answerOf = (bytes: Buffer): Answer => {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) throw new Error(`no answer, but ${JSON.stringify(bytes.toString('latin1'))}`);
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    const value = line.slice(at + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const rest = bytes.subarray(end + 4);
  const body = headers['transfer-encoding'] === 'chunked' ? dechunked(rest) : rest;
  return { status: Number(statusLine.split(' ')[1]), headers, body: body.toString('utf8') };
};

const dechunked = (bytes: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    const length = parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (end === -1 || Number.isNaN(length)) throw new Error('a chunk of the answer is missing');
    if (length === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
};
