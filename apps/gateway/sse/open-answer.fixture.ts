import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** An answer over HTTP that has begun, at both of its ends. */
export interface OpenAnswer {
  readonly response: ServerResponse;
  readonly incoming: IncomingMessage;
  close(): Promise<void>;
}

export const openAnswer = async (): Promise<OpenAnswer> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'request');
  const received = once(get({ host: '127.0.0.1', port }), 'response');
  const [, response] = (await asked) as [IncomingMessage, ServerResponse];
  response.writeHead(200).flushHeaders();
  const [incoming] = (await received) as [IncomingMessage];
  const close = async (): Promise<void> => {
    incoming.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { response, incoming, close };
};
