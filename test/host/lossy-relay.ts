import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

interface Leg {
  readonly toServer: Socket;
}

/** Stands for a NAT that keeps ports, on a network that drops one datagram in `dropEvery`. */
export class LossyRelay {
  /** 0: none is dropped. */
  dropEvery = 0;
  passed = 0;
  dropped = 0;
  readonly #sockets: Socket[] = [];

  /** @param from the address of the relay, whose ports lead to the same ports of `to` */
  constructor(
    private readonly from: string,
    private readonly to: string,
  ) {}

  async open(firstPort: number, lastPort: number): Promise<void> {
    for (let port = firstPort; port <= lastPort; port += 1) await this.#relay(port);
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }

  async #relay(port: number): Promise<void> {
    const legs = new Map<string, Leg>();
    const server = createSocket('udp4');
    this.#sockets.push(server);
    server.on('message', (message, client) => {
      const name = `${client.address}:${client.port}`;
      const leg = legs.get(name) ?? this.#leg(server, client);
      legs.set(name, leg);
      if (this.#passes()) leg.toServer.send(message, port, this.to);
    });
    server.bind(port, this.from);
    await once(server, 'listening');
  }

  #leg(server: Socket, client: { readonly port: number; readonly address: string }): Leg {
    const toServer = createSocket('udp4');
    this.#sockets.push(toServer);
    toServer.on('message', (message) => {
      if (this.#passes()) server.send(message, client.port, client.address);
    });
    return { toServer };
  }

  #passes(): boolean {
    const all = this.passed + this.dropped + 1;
    const isDropped = this.dropEvery > 0 && all % this.dropEvery === 0;
    if (isDropped) this.dropped += 1;
    else this.passed += 1;
    return !isDropped;
  }
}
