import { type StreamName } from '../event-store.port.js';
import { BatchAppends, type BatchCall } from './batch-appends.js';
import { type AppendRequest, type ClientAppendResult } from './log-client.js';

/** Kestrel, on which EventStoreDB runs, allows a connection 100 calls, and readings need some of them. */
export const APPEND_CALLS_MAX = 16;

interface Lane {
  readonly appends: BatchAppends;
  underWay: number;
}

/**
 * The appends of a client, over as many long calls as have something to do. `grpc-js` writes one
 * message of a call in a turn of the event loop: over one call, appends that come together would wait
 * for each other, a busy turn each; over calls of their own they go out as one packet.
 */
export class AppendCalls {
  readonly #open: () => Promise<BatchCall>;
  readonly #lanes: Lane[] = [];
  /** Where the appends to a stream are that are under way, so that those to come stay behind them. */
  readonly #byStream = new Map<StreamName, { readonly lane: Lane; underWay: number }>();

  /** @param open begins a call to BatchAppend */
  constructor(open: () => Promise<BatchCall>) {
    this.#open = open;
  }

  /** @throws as `BatchAppends.append` does */
  async append(request: AppendRequest): Promise<ClientAppendResult> {
    const { stream } = request;
    const place = this.#byStream.get(stream) ?? { lane: this.#freest(), underWay: 0 };
    if (place.underWay === 0) this.#byStream.set(stream, place);
    place.underWay += 1;
    place.lane.underWay += 1;
    try {
      return await place.lane.appends.append(request);
    } finally {
      place.underWay -= 1;
      place.lane.underWay -= 1;
      if (place.underWay === 0) this.#byStream.delete(stream);
    }
  }

  #freest(): Lane {
    const free = this.#lanes.find(({ underWay }) => underWay === 0);
    if (free !== undefined) return free;
    if (this.#lanes.length < APPEND_CALLS_MAX) return this.#addLane();
    return this.#lanes.reduce((freest, lane) => (lane.underWay < freest.underWay ? lane : freest));
  }

  #addLane(): Lane {
    const lane = { appends: new BatchAppends(this.#open), underWay: 0 };
    this.#lanes.push(lane);
    return lane;
  }
}
