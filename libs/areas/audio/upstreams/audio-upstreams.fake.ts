import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Busboy } from '@fastify/busboy';

/** A request as the server received it. */
export interface ReceivedSound {
  readonly path: string;
  readonly authorization: string | undefined;
  /** Of a form, in their order; of JSON, its body as one field. */
  readonly fields: readonly (readonly [string, string])[];
  readonly file: Buffer;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly body: object | string | Buffer;
}

/**
 * A server that takes forms as the documentation of its software has them, and rejects fields that
 * the software does not know.
 */
export const startAudioServer = async (
  known: readonly string[],
  answer: (received: ReceivedSound) => FakeAnswer,
) => {
  const received: ReceivedSound[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      void readBody(request.headers, Buffer.concat(parts)).then(({ fields, file }) => {
        const { url: path = '', headers } = request;
        const item = { path, authorization: headers.authorization, fields, file };
        received.push(item);
        const unknown = fields.find(([name]) => !known.includes(name));
        const error = { message: `unknown field ${unknown?.[0]}` };
        const { status = 200, body } = unknown ? { status: 400, body: { error } } : answer(item);
        const isBytes = Buffer.isBuffer(body);
        response.writeHead(status, { 'content-type': isBytes ? 'audio/mpeg' : 'application/json' });
        response.end(isBytes || typeof body === 'string' ? body : JSON.stringify(body));
      });
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

const readBody = async (headers: IncomingHttpHeaders, bytes: Buffer) => {
  const { 'content-type': type = '' } = headers;
  if (!type.startsWith('multipart/')) {
    const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const fields = Object.entries(body).map(([name, value]) => [name, String(value)] as const);
    return { fields, file: Buffer.alloc(0) };
  }
  const fields: (readonly [string, string])[] = [];
  const pieces: Buffer[] = [];
  const form = new Busboy({ headers: { 'content-type': type } });
  form.on('field', (name, value) => fields.push([name, value]));
  form.on('file', (name, content) => {
    fields.push([name, 'a file']);
    content.on('data', (piece: Buffer) => pieces.push(piece));
  });
  form.end(bytes);
  await once(form, 'finish');
  return { fields, file: Buffer.concat(pieces) };
};
