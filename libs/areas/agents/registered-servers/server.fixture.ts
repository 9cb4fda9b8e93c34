import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface HostileServer {
  readonly url: string;
  readonly requests: number;
  close(): Promise<void>;
}

/** A server that does to every request what its test wants. */
export const startHostileServer = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HostileServer> => {
  let requests = 0;
  const http = createServer((request, response) => {
    requests += 1;
    response.on('error', () => undefined);
    answer(request, response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    get requests() {
      return requests;
    },
    close: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
};
