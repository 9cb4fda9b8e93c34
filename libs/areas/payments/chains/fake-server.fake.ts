import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** An answer, or a status with a reason. */
export type FakeAnswer =
  { readonly json: unknown } | { readonly status: number; readonly text: string };

export interface FakeServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export const startFakeServer = async (
  answer: (path: string, body: unknown) => FakeAnswer,
): Promise<FakeServer> => {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const answered = answer(request.url ?? '/', body);
      if ('json' in answered) response.end(JSON.stringify(answered.json));
      else response.writeHead(answered.status).end(answered.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A JSON-RPC server with these methods. Undefined: there is no such method. */
export const startFakeRpc = (
  answer: (method: string, params: readonly unknown[]) => unknown,
): Promise<FakeServer> =>
  startFakeServer((_path, body) => {
    const { method, params } = body as Call;
    const result = answer(method, params);
    const error = { code: -32_601, message: 'Method not found' };
    const envelope = { jsonrpc: '2.0', id: 1 };
    return { json: result === undefined ? { ...envelope, error } : { ...envelope, result } };
  });
