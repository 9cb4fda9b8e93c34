import { RigCertified } from '#events/rigs/rig.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface RigCertificationDocument {
  /** The last one; null for none. */
  readonly last: RigCertified['data'] | null;
}

/** What is the last certification of a rig? */
export const rigCertifications: Projection<RigCertified, RigCertificationDocument> = {
  name: 'rig-certifications',
  version: 1,
  on: { RigCertified },
  keys: ({ data }) => [data.rig],
  initial: () => ({ last: null }),
  project: ({ data }) => ({ last: data }),
};
