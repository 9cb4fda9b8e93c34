import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 1024 });

/** `Connection` and `Keep-Alive` belong to one hop; Node writes its own for the next. */
export const endToEndHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders => {
  const kept = { ...headers };
  delete kept.connection;
  delete kept['keep-alive'];
  return kept;
};

/** Opens the same request upstream; the body is the caller's to pipe. A dead upstream is a 502. */
export const callUpstream = (
  upstreamPort: number,
  incoming: IncomingMessage,
  response: ServerResponse,
  onAnswer: (answer: IncomingMessage) => void,
): ClientRequest => {
  const { method, url: path } = incoming;
  const outgoing = httpRequest({
    agent,
    host: '127.0.0.1',
    port: upstreamPort,
    method,
    path,
    headers: endToEndHeaders(incoming.headers),
  });
  outgoing.once('response', onAnswer);
  outgoing.once('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  });
  response.once('close', () => {
    if (!response.writableFinished) outgoing.destroy();
  });
  return outgoing;
};
