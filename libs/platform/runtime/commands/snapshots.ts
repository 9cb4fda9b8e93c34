import { type Position } from '#platform/event-store/event-store.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';

/** How a decider's state is stored. Raise `version` whenever `evolve` or the shape changes. */
export interface SnapshotPlan<State> {
  readonly version: number;
  /** Events between two snapshots. */
  readonly every: number;
  readonly toJson: (state: State) => object;
  readonly fromJson: (json: object) => State;
}

interface SnapshotDocument {
  readonly revision: string;
  readonly eventId: string;
  readonly state: object;
}

export interface Snapshot<State> {
  readonly revision: bigint;
  readonly position: Position;
  /** Of the last event in the state. */
  readonly eventId: string;
  readonly state: State;
}

/** A cache: written outside the append, best effort, never needed for a correct answer. */
export class Snapshots {
  constructor(private readonly readStore: ReadStore) {}

  async load<State>(
    stream: string,
    plan: SnapshotPlan<State>,
  ): Promise<Snapshot<State> | undefined> {
    const found = await this.readStore.get<SnapshotDocument>(collection(plan), stream);
    if (!found) return undefined;
    const { revision, eventId, state } = found.document;
    return {
      revision: BigInt(revision),
      position: found.position,
      eventId,
      state: plan.fromJson(state),
    };
  }

  /** A late writer never replaces a newer snapshot: the read store guards it by its position. */
  async save<State>(
    stream: string,
    plan: SnapshotPlan<State>,
    { revision, position, eventId, state }: Snapshot<State>,
  ): Promise<void> {
    const document: SnapshotDocument = {
      revision: revision.toString(),
      eventId,
      state: plan.toJson(state),
    };
    await this.readStore.commit({
      writes: [{ collection: collection(plan), key: stream, document, position }],
    });
  }
}

const collection = ({ version }: { readonly version: number }): string => `snapshots.v${version}`;
