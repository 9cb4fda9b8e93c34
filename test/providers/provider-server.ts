import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type z } from 'zod';

/** A request as a fake provider reads it. */
export interface ProviderRequest {
  readonly method: string;
  /** As on the wire: percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Resolves when the caller has closed the connection or the answer has ended. */
  readonly left: Promise<void>;
}

/** An answer: one body, or the pieces of a stream, each in a packet of its own. */
export interface ProviderAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Uint8Array)[];
  /** What happens after the last piece. Default `end`. */
  readonly ending?: 'end' | 'hang' | 'destroy';
}

/** Thrown by a fake that refuses a request, in the shape of its provider. */
export class Rejection extends Error {
  override readonly name = 'Rejection';

  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`${status} ${JSON.stringify(body)}`);
  }
}

export interface ProviderServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly received: readonly ProviderRequest[];
  close(): Promise<void>;
}

/** The HTTP side of a fake provider. An error that is no rejection answers 599: it shows. */
export const startProviderServer = async (
  answer: (request: ProviderRequest) => ProviderAnswer | Promise<ProviderAnswer>,
): Promise<ProviderServer> => {
  const received: ProviderRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = 'GET', headers, url = '/' } = request;
      const mark = url.indexOf('?');
      const item: ProviderRequest = {
        method,
        path: mark === -1 ? url : url.slice(0, mark),
        query: new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)),
        headers,
        bytes: Buffer.concat(parts),
        left: once(response, 'close').then(() => undefined),
      };
      received.push(item);
      void answerOf(answer, item).then((whole) => send(response, whole));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const answerOf = async (
  answer: (request: ProviderRequest) => ProviderAnswer | Promise<ProviderAnswer>,
  request: ProviderRequest,
): Promise<ProviderAnswer> => {
  try {
    return await answer(request);
  } catch (error) {
    if (error instanceof Rejection) return jsonAnswer(error.body, error.status, error.headers);
    return { status: 599, pieces: [`the fake failed: ${String(error)}`] };
  }
};

export const jsonAnswer = (
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): ProviderAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  pieces: [JSON.stringify(body)],
});

const send = async (response: ServerResponse, answer: ProviderAnswer): Promise<void> => {
  const { status = 200, headers = {}, pieces, ending = 'end' } = answer;
  response.writeHead(status, headers);
  for (const piece of pieces) {
    response.write(piece);
    // A turn of the loop, so that each piece arrives by itself.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (ending === 'end') response.end();
  if (ending === 'destroy') response.destroy();
};

/** The JSON of a body. @throws what `refuse` throws if it is none */
export const jsonOf = ({ bytes }: ProviderRequest, refuse: (message: string) => never): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return refuse('the body is not JSON');
  }
};

/** Reads a value by a strict schema. @throws what `refuse` throws for the first issue */
export const readStrictly = <Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  refuse: (issue: z.core.$ZodIssue) => never,
): Value => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  if (!first) throw new Error('a schema failed without an issue');
  return refuse(first);
};
