import { type IncomingMessage } from 'node:http';
import { type Duplex } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type WebSocket, WebSocketServer } from 'ws';
import { LiveSessions } from '#areas/live/live-sessions.js';
import { type SignallingConnection } from '#areas/live/signalling/signalling-connection.js';
import { UpgradeRoutes } from '../upgrades/upgrade-routes.js';
import { SIGNAL_PATH } from './live.controller.js';

const MESSAGE_BYTES_MAX = 64 * 1024;
/** A closed connection that does not confirm ends after this time. */
const CLOSE_MS_MAX = 1_000;
/** Bytes that wait for a client that does not read. */
const BUFFERED_MAX = 256 * 1024;
const INTERNAL = 1_011;

/** The signalling connections of stream sessions: WebSockets whose token is checked before. */
@Injectable()
export class Signalling implements OnModuleInit {
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
  });

  constructor(
    private readonly sessions: LiveSessions,
    private readonly upgrades: UpgradeRoutes,
  ) {}

  onModuleInit(): void {
    this.upgrades.add({
      path: SIGNAL_PATH,
      take: (request, socket, head) => this.#take(request, socket, head),
    });
  }

  async #take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const token = new URL(request.url ?? '', 'ws://gateway').searchParams.get('session') ?? '';
    await this.sessions.demandConnectable(token);
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      void this.#serve(token, webSocket);
    });
  }

  async #serve(token: string, webSocket: WebSocket): Promise<void> {
    webSocket.on('error', () => webSocket.terminate());
    // Messages that come while the connection is being recorded wait for it.
    const early: (string | null)[] = [];
    const hear = (data: Buffer, isBinary: boolean): void => {
      early.push(isBinary ? null : data.toString());
    };
    webSocket.on('message', hear);
    let connection: SignallingConnection;
    try {
      connection = await this.sessions.connect(token, {
        send: (text) => {
          if (webSocket.bufferedAmount > BUFFERED_MAX) webSocket.terminate();
          else webSocket.send(text);
        },
        close: (code, reason) => closeSoon(webSocket, code, reason),
        ping: () => webSocket.ping(),
      });
    } catch {
      // It was checked before the upgrade: another client was faster, or a store does not answer.
      closeSoon(webSocket, INTERNAL, 'try again');
      return;
    }
    webSocket.off('message', hear);
    webSocket.on('message', (data: Buffer, isBinary) => {
      void this.#receive(connection, webSocket, isBinary ? null : data.toString());
    });
    webSocket.on('pong', () => connection.alive());
    webSocket.once('close', () => void connection.closed());
    if (webSocket.readyState === webSocket.CLOSED) void connection.closed();
    for (const text of early) void this.#receive(connection, webSocket, text);
  }

  async #receive(
    connection: SignallingConnection,
    webSocket: WebSocket,
    text: string | null,
  ): Promise<void> {
    await connection.receive(text).catch(() => closeSoon(webSocket, INTERNAL, 'try again'));
  }
}

const closeSoon = (webSocket: WebSocket, code: number, reason: string): void => {
  webSocket.close(code, reason);
  setTimeout(() => webSocket.terminate(), CLOSE_MS_MAX).unref();
};
