import { allOf } from '#platform/kernel/all-of.js';
import { type StreamName } from '../event-store.port.js';
import { BatchAppends, type BatchCall } from './batch-appends.js';
import { type AppendRequest, type ClientAppendResult } from './log-client.js';

/**
 * EventStoreDB's HTTP server, Kestrel, allows 100 calls per connection, and reads need some of
 * them.
 */
export const APPEND_CALLS_MAX = 16;

interface OpenCall {
  readonly appends: BatchAppends;
  underWay: number;
}

/**
 * The appends of a client, over several long calls. `grpc-js` writes one message of a call per turn
 * of the event loop. Over one call, concurrent appends would wait one busy turn each; over separate
 * calls they are sent as one packet.
 */
export class AppendCalls {
  readonly #open: () => Promise<BatchCall>;
  readonly #calls: OpenCall[] = [];
  /** The call that carries the pending appends of a stream: later ones follow on the same call. */
  readonly #byStream = new Map<StreamName, { readonly call: OpenCall; underWay: number }>();

  /** @param open begins a call to BatchAppend */
  constructor(open: () => Promise<BatchCall>) {
    this.#open = open;
  }

  /** @throws as `BatchAppends.append` does */
  async append(request: AppendRequest): Promise<ClientAppendResult> {
    const { stream } = request;
    const place = this.#byStream.get(stream) ?? { call: this.#freest(), underWay: 0 };
    if (place.underWay === 0) this.#byStream.set(stream, place);
    place.underWay += 1;
    place.call.underWay += 1;
    try {
      return await place.call.appends.append(request);
    } finally {
      place.underWay -= 1;
      place.call.underWay -= 1;
      if (place.underWay === 0) this.#byStream.delete(stream);
    }
  }

  /** @throws as `append`, the first error in order, once all have been answered */
  async appendInOrder(requests: readonly AppendRequest[]): Promise<void> {
    const { appends } = this.#freest();
    await allOf(requests.map((request) => appends.append(request)));
  }

  #freest(): OpenCall {
    const free = this.#calls.find(({ underWay }) => underWay === 0);
    if (free !== undefined) return free;
    if (this.#calls.length < APPEND_CALLS_MAX) return this.#addCall();
    return this.#calls.reduce((freest, call) => (call.underWay < freest.underWay ? call : freest));
  }

  #addCall(): OpenCall {
    const call = { appends: new BatchAppends(this.#open), underWay: 0 };
    this.#calls.push(call);
    return call;
  }
}
