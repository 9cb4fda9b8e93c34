import { z } from 'zod';
import { type GeminiRigEntry } from '../catalog-entry.js';
import { AnyServer, BaseUrl, serverEntryOf } from './any-rig.schema.js';

export const GeminiRig = AnyServer.extend({
  kind: z.literal('gemini'),
  base_url: BaseUrl.default('https://generativelanguage.googleapis.com/v1beta'),
}).transform(({ kind, ...rig }): GeminiRigEntry => ({ ...serverEntryOf(rig), kind }));
