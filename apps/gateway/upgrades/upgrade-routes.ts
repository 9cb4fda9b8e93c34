import { type IncomingMessage, type Server } from 'node:http';
import { type Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { mayCall } from '../cors.js';
import { applicationEnvelope } from '../errors/envelope.js';
import { Failures } from '../errors/failures.js';
import { failure } from '../errors/failure-of.js';

/** A path whose connections continue as another protocol. */
export interface UpgradeRoute {
  /** Without the query. */
  readonly path: string;
  /** Takes the connection, or throws a failure of an area before it has written to it. */
  readonly take: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
}

/** The error of a request for another path is never seen: Node answers it as a plain request. */
const HANDSHAKE_BYTES_MAX = 8 * 1024;

/** The connections of the gateway that do not stay HTTP. Areas add their routes at the start. */
@Injectable()
export class UpgradeRoutes {
  readonly #routes = new Map<string, UpgradeRoute>();

  constructor(private readonly failures: Failures) {}

  add(route: UpgradeRoute): void {
    this.#routes.set(route.path, route);
  }

  /** Whether a request with an `Upgrade` header is one of these; others are plain requests. */
  readonly takes = ({ url = '' }: Pick<IncomingMessage, 'url'>): boolean =>
    this.#routes.has(pathOf(url));

  /** @param corsOrigins the origins whose pages may call the gateway, beside its own */
  watch(server: Server, corsOrigins: readonly string[]): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      void this.#take(request, socket, head, corsOrigins).catch((error: unknown) => {
        this.#reject(socket, error);
      });
    });
  }

  async #take(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    corsOrigins: readonly string[],
  ): Promise<void> {
    const route = this.#routes.get(pathOf(request.url ?? ''));
    if (!route || head.length > HANDSHAKE_BYTES_MAX) {
      socket.destroy();
      return;
    }
    const { origin, host } = request.headers;
    if (origin !== undefined && !mayCall(origin, host, corsOrigins)) throw new OriginError();
    await route.take(request, socket, head);
  }

  #reject(socket: Duplex, error: unknown): void {
    if (socket.destroyed) return;
    const found = error instanceof OriginError ? ORIGIN : this.failures.of(error);
    const body = JSON.stringify(applicationEnvelope(found));
    socket.end(
      [
        `HTTP/1.1 ${found.status} Rejected`,
        'connection: close',
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
  }
}

class OriginError extends Error {
  override readonly name = 'OriginError';
}

const ORIGIN = failure({
  status: 403,
  code: 'origin_not_allowed',
  message: 'Origin: expected the origin of the gateway, or one of QUIPU_CORS_ORIGINS',
});

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';
