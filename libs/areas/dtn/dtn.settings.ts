import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';
import { isEndpointId, nodeOf } from './bundles.engine.js';

export interface DtnSettings {
  /** The endpoint of this node, without a service. */
  readonly node: string;
  /** Of one account. */
  readonly bundlesMax: number;
  readonly bytesMax: number;
}

export const DTN_SETTINGS = Symbol('DtnSettings');

const isNode = (eid: string): boolean => isEndpointId(eid) && nodeOf(eid) === eid;
const BYTES_PER_MB = 1_000_000;

export const dtnSettings = defineSettings({
  token: DTN_SETTINGS,
  variables: {
    QUIPU_DTN_NODE: variable(
      z.string().refine(isNode, 'expected a node, such as dtn://quipu/').default('dtn://quipu/'),
      'the endpoint of this node in the delay-tolerant network',
    ),
    QUIPU_DTN_BUNDLES: variable(
      wholeNumber(1, 1_000_000).default(1_000),
      'the bundles that one account may have in custody',
    ),
    QUIPU_DTN_MB: variable(
      wholeNumber(1, 1_000_000).default(100),
      'the megabytes that one account may have in custody',
    ),
  },
  read: ({ QUIPU_DTN_NODE, QUIPU_DTN_BUNDLES, QUIPU_DTN_MB }): DtnSettings => ({
    node: QUIPU_DTN_NODE,
    bundlesMax: QUIPU_DTN_BUNDLES,
    bytesMax: QUIPU_DTN_MB * BYTES_PER_MB,
  }),
});
