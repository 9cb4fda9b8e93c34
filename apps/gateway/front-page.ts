import { createHash } from 'node:crypto';
import { type FastifyInstance } from 'fastify';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
code { overflow-wrap: anywhere; }
`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Quipu</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>Quipu</h1>
      <p>
        This is an inference gateway and a compute marketplace. It serves an OpenAI-compatible API
        under <code>/v1</code>. Every state change is an event, every balance is the sum of its
        events, and every customer can recompute every bill.
      </p>
      <ul>
        <li><a href="/console">The console</a>: balance, requests and invoices in the browser</li>
        <li><a href="/docs/guide">The guide</a>: start, concepts, clients and operation, once
          <code>npm run docs</code> has built it</li>
        <li><a href="/docs">The API reference</a>, also as <a href="/openapi.json">OpenAPI</a></li>
        <li><a href="/health/ready">Whether this gateway is ready</a></li>
        <li><code>GET /v1/models</code>, with an API key: the models and their prices</li>
        <li><code>GET /api/v1/billing/overview.php</code>, with an API key: balance and charges</li>
      </ul>
      <p>
        The first start has written an API key into <code>bootstrap.json</code>, in the folder that
        <code>QUIPU_HOME</code> names. Further keys come from an operator.
      </p>
    </main>
  </body>
</html>
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "frame-ancestors 'none'",
].join('; ');

/** Serves `/`: one page without scripts that names the product and the places to go. */
export const serveFrontPage = (fastify: FastifyInstance): void => {
  fastify.get('/', (_request, reply) => {
    void reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .type('text/html; charset=utf-8')
      .send(PAGE);
  });
};
