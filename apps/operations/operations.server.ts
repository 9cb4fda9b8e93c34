import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { OPERATIONS_SETTINGS, type OperationsSettings } from './operations-access.js';
import { type OperationsReport, OperationsReports } from './operations-reports.js';

/** The longest that a request may take to arrive. */
const REQUEST_MS_MAX = 10_000;

/**
 * The operations port: health and metrics on a port of their own, which no caller can reach. It
 * answers while the port for callers drains, until the process ends.
 */
@Injectable()
export class OperationsServer implements OnApplicationShutdown {
  #server: Server | undefined;

  constructor(
    @Inject(OPERATIONS_SETTINGS) private readonly settings: OperationsSettings,
    private readonly reports: OperationsReports,
  ) {}

  /** The port that it listens on; undefined without an operations port. */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port;
  }

  /** @throws Error when the port is taken */
  async listen(): Promise<void> {
    const { host, port } = this.settings;
    if (port === undefined) return;
    const limits = { requestTimeout: REQUEST_MS_MAX, headersTimeout: REQUEST_MS_MAX };
    const server = createServer(limits, (request, response) => {
      this.#answer(request).then(
        (report) => send(response, report),
        () => response.destroy(),
      );
    });
    server.listen(port, host);
    await once(server, 'listening');
    this.#server = server;
  }

  async onApplicationShutdown(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async #answer({ method, url = '', headers }: IncomingMessage): Promise<OperationsReport> {
    if (method !== 'GET' && method !== 'HEAD') return WRONG_METHOD;
    const [path = ''] = url.split('?', 1);
    switch (path) {
      case '/health/live':
        return this.reports.live();
      case '/health/ready':
        return this.reports.ready(headers, true);
      case '/metrics':
        return this.reports.metrics(headers, true);
      default:
        return NOT_FOUND;
    }
  }
}

const send = (
  response: ServerResponse,
  { status, contentType, headers, body }: OperationsReport,
): void => {
  response.writeHead(status, { 'content-type': contentType, ...headers });
  response.end(body);
};

const plain = (
  status: number,
  code: string,
  message: string,
  headers: OperationsReport['headers'] = {},
): OperationsReport => ({
  status,
  contentType: 'application/json; charset=utf-8',
  headers,
  body: JSON.stringify({ success: false, message, code }),
});

const NOT_FOUND = plain(404, 'not_found', 'this port has health and metrics only');
const WRONG_METHOD = plain(405, 'method_not_allowed', 'this port only reports', {
  allow: 'GET, HEAD',
});
