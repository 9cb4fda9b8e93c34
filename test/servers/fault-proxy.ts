import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The state of the network between a client and a server. */
export type NetworkWeather =
  | { readonly kind: 'fair' }
  /** Bytes in both directions arrive later by the latency. */
  | { readonly kind: 'slow'; readonly latencyMs: number }
  /** Half-open: connections stay and open, and bytes wait for fair weather. */
  | { readonly kind: 'silent' }
  /** Open and new connections are reset. */
  | { readonly kind: 'resetting' };

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/**
 * A TCP proxy on loopback that simulates network faults. It understands no protocol, so a server
 * that sends its address to clients (a Kafka broker) must advertise the address of the proxy.
 */
export class FaultProxy {
  readonly #links = new Set<Link>();
  readonly #server: Server;
  #weather: NetworkWeather = { kind: 'fair' };

  private constructor(private readonly target: { readonly host: string; readonly port: number }) {
    // The proxy forwards a half-close in each direction, as a network does.
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
      // The other side sees a lost connection itself.
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

  /** Keeps the order of bytes, also when the weather changes. */
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
