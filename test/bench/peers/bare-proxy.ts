/** The least a Node process can do between a client and an upstream: pipe both ways. */
import { createServer } from 'node:http';
import { requiredPort } from './peer-environment.js';
import { callUpstream, endToEndHeaders } from './upstream-call.js';

const upstreamPort = requiredPort('UPSTREAM_PORT');

createServer((incoming, response) => {
  const outgoing = callUpstream(upstreamPort, incoming, response, (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.headers));
    answer.pipe(response);
  });
  incoming.pipe(outgoing);
}).listen(requiredPort('PORT'), '127.0.0.1');
