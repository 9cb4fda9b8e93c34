import { z } from 'zod';
import { type VertexRigEntry } from '../catalog-entry.js';
import { AnyServer, BaseUrl, serverEntryOf } from './any-rig.schema.js';

/** Regions have a host of their own; `us` and `eu` are several regions. */
const addressOf = (location: string): string => {
  if (location === 'global') return 'https://aiplatform.googleapis.com/v1';
  if (location === 'us' || location === 'eu') {
    return `https://aiplatform.${location}.rep.googleapis.com/v1`;
  }
  return `https://${location}-aiplatform.googleapis.com/v1`;
};

export const VertexRig = AnyServer.extend({
  kind: z.literal('vertex'),
  base_url: BaseUrl.optional(),
  project: z.string().regex(/^[a-z][a-z0-9:.-]{0,62}$/, 'must be the id of a project'),
  location: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,62}$/, 'must be a location, such as europe-west4')
    .default('global'),
}).transform(({ kind, project, location, base_url, ...rig }): VertexRigEntry => ({
  ...serverEntryOf({ ...rig, base_url: base_url ?? addressOf(location) }),
  kind,
  project,
  location,
}));
