import { type Provider } from '@nestjs/common';
import { ClusterLeader } from '#areas/mesh/cluster-leader.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { LeaseHolder } from './cluster-leader.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: ClusterLeader,
    inject: [ProcessFacts, Runtime, EVENT_STORE, CODEC],
    useFactory: (
      facts: ProcessFacts,
      runtime: Runtime,
      eventStore: EventStore,
      codec: EventCodec,
    ) => new LeaseHolder(facts, () => runtime.leadership(), eventStore, codec),
  },
];
