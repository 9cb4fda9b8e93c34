import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One connection to the upstream, on which a request has arrived. */
export interface Wire {
  /** Resolves to false once the gateway has closed the connection. */
  send(part: string | Buffer): Promise<boolean>;
  /** Closes as TCP should. */
  end(): void;
  /** Closes with RST. */
  reset(): void;
}

/** The behaviour of an upstream towards a request. */
export type Behaviour = (wire: Wire) => void | Promise<void>;

export interface HostileUpstream {
  /** The base URL of a row of the table. */
  baseUrlOf(row: number): string;
  close(): Promise<void>;
}

/** A TCP server that speaks as badly as the behaviours of its rows. */
export const startHostileUpstream = async (
  rows: readonly Behaviour[],
): Promise<HostileUpstream> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (part) => {
      received = Buffer.concat([received, part]);
      for (let whole = requestIn(received); whole; whole = requestIn(received)) {
        received = received.subarray(whole.bytes);
        void rows[whole.row]?.(wireOf(socket));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrlOf: (row) => `http://127.0.0.1:${port}/${row}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

const wireOf = (socket: Socket): Wire => ({
  send: async (part) => {
    if (socket.destroyed || !socket.writable) return false;
    if (!socket.write(part)) await drainOrClose(socket);
    return !socket.destroyed;
  },
  end: () => void socket.end(),
  reset: () => void socket.resetAndDestroy(),
});

const drainOrClose = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });

/** The first whole request among the bytes: the row of its path, and its length. */
const requestIn = (received: Buffer): { readonly row: number; readonly bytes: number } | null => {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = received.subarray(0, end).toString('latin1');
  const bytes = end + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (received.length < bytes) return null;
  return { row: Number(/^POST \/(\d+)\//.exec(head)?.[1]), bytes };
};

type Headers = Readonly<Record<string, string>>;

const headOf = (status: number | string, headers: Headers): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Knots\r\n${lines.join('')}\r\n`;
};

/** A whole answer with its length. */
export const answer =
  (status: number, body: string | Buffer, headers: Headers = {}): Behaviour =>
  async (wire) => {
    const bytes = Buffer.from(body as string);
    const given = {
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      ...headers,
    };
    await wire.send(headOf(status, given));
    await wire.send(bytes);
  };

/** Bytes as they are. */
export const bytes =
  (...parts: readonly (string | Buffer)[]): Behaviour =>
  async (wire) => {
    for (const part of parts) await wire.send(part);
  };

/** Bytes as they are, and then a close. */
export const bytesAndEnd =
  (...parts: readonly (string | Buffer)[]): Behaviour =>
  async (wire) => {
    await bytes(...parts)(wire);
    wire.end();
  };

export const bytesAndReset =
  (...parts: readonly (string | Buffer)[]): Behaviour =>
  async (wire) => {
    await bytes(...parts)(wire);
    // The sent bytes have to arrive before the reset discards them.
    await sleep(50);
    wire.reset();
  };

/** The parts with pauses between them, as long as the gateway listens. */
export const drip =
  (pauseMs: number, head: string, parts: Iterable<string>): Behaviour =>
  async (wire) => {
    await wire.send(head);
    for (const part of parts) {
      await sleep(pauseMs);
      if (!(await wire.send(part))) return;
    }
    wire.end();
  };

/** The head of a stream that ends with its connection. */
export const STREAM_HEAD = headOf(200, {
  'content-type': 'text/event-stream',
  connection: 'close',
});

/** A stream of these texts, in chunked coding, with a proper end. */
export const stream =
  (...texts: readonly (string | Buffer)[]): Behaviour =>
  async (wire) => {
    const head = { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' };
    await wire.send(headOf(200, head));
    for (const text of texts) await wire.send(chunkOf(text));
    await wire.send('0\r\n\r\n');
  };

/** One chunk of the chunked coding. */
export const chunkOf = (text: string | Buffer): Buffer => {
  const data = Buffer.from(text as string);
  return Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]);
};

export const head = headOf;
