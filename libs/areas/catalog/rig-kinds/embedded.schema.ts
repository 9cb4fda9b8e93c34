import { z } from 'zod';
import { type EmbeddedRigEntry } from '../catalog-entry.js';
import { AnyRig, anyRigOf } from './any-rig.schema.js';

/** Embedded models share the machine's cores: more concurrency makes each answer slower. */
export const EMBEDDED_CONCURRENCY = 4;

export const EmbeddedRig = AnyRig.extend({
  kind: z.literal('embedded'),
  max_concurrency: z.int().min(1).max(64).default(EMBEDDED_CONCURRENCY),
}).transform((rig): EmbeddedRigEntry => ({
  ...anyRigOf(rig, false),
  kind: rig.kind,
  maxConcurrency: rig.max_concurrency,
}));
