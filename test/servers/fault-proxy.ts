import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the network between a client and a server does at the moment. */
export type NetworkWeather =
  | { readonly kind: 'fair' }
  /** Every byte, either way, arrives that much later. */
  | { readonly kind: 'slow'; readonly latencyMs: number }
  /** Half-open: connections stay and can be made, and nothing travels. Bytes wait for fair weather. */
  | { readonly kind: 'silent' }
  /** Every connection is reset, the ones that stand and the ones that are tried. */
  | { readonly kind: 'resetting' };

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/**
 * A TCP proxy on loopback that misbehaves on command. It understands no protocol, so a server that
 * tells clients its own address (a Kafka broker) must be told to give the proxy's.
 */
export class FaultProxy {
  readonly #links = new Set<Link>();
  readonly #server: Server;
  #weather: NetworkWeather = { kind: 'fair' };

  private constructor(private readonly target: { readonly host: string; readonly port: number }) {
    // Half-closed ends are passed on one by one, as a network would.
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#link(client));
  }

  static async before(
    target: { readonly host: string; readonly port: number },
    port = 0,
  ): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.#server.listen(port, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): { readonly host: string; readonly port: number } {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy is closed');
    return { host: '127.0.0.1', port: address.port };
  }

  become(weather: NetworkWeather): void {
    this.#weather = weather;
    for (const { client, server } of this.#links) {
      if (weather.kind === 'resetting') {
        client.resetAndDestroy();
        server.resetAndDestroy();
      } else if (weather.kind === 'silent') {
        client.pause();
        server.pause();
      } else {
        client.resume();
        server.resume();
      }
    }
  }

  async close(): Promise<void> {
    this.become({ kind: 'resetting' });
    this.#server.close();
    await once(this.#server, 'close');
  }

  #link(client: Socket): void {
    if (this.#weather.kind === 'resetting') {
      client.resetAndDestroy();
      return;
    }
    const { host, port } = this.target;
    const server = connect({ host, port, allowHalfOpen: true });
    const link = { client, server };
    this.#links.add(link);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      // A lost connection shows itself on the other side; there is nobody here to tell.
      socket.on('error', () => undefined);
    }
    this.#carry(client, server);
    this.#carry(server, client);
    const part = (): void => {
      client.destroy();
      server.destroy();
      this.#links.delete(link);
    };
    client.once('close', part);
    server.once('close', part);
    if (this.#weather.kind === 'silent') {
      client.pause();
      server.pause();
    }
  }

  /** What was sent first arrives first, also when the weather turns fair in between. */
  #carry(from: Socket, to: Socket): void {
    let underWay = 0;
    let last = Promise.resolve();
    const deliver = (action: () => void): void => {
      const latencyMs = this.#weather.kind === 'slow' ? this.#weather.latencyMs : 0;
      if (latencyMs === 0 && underWay === 0) {
        action();
        return;
      }
      const dueAt = performance.now() + latencyMs;
      underWay += 1;
      last = last
        .then(() => sleep(Math.max(0, dueAt - performance.now())))
        .then(() => {
          underWay -= 1;
          action();
        });
    };
    from.on('data', (bytes: Buffer) => deliver(() => this.#pass(bytes, from, to)));
    from.on('end', () => deliver(() => to.end()));
  }

  /** A receiver that reads slowly slows the sender down, as without a proxy. */
  #pass(bytes: Buffer, from: Socket, to: Socket): void {
    if (to.destroyed || to.write(bytes)) return;
    from.pause();
    to.once('drain', () => {
      if (this.#weather.kind !== 'silent') from.resume();
    });
  }
}
