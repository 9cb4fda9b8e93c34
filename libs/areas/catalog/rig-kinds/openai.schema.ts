import { z } from 'zod';
import { type OpenAiRigEntry, SERVER_KINDS } from '../catalog-entry.js';
import { AnyServer, serverEntryOf } from './any-rig.schema.js';

export const OpenAiRig = AnyServer.extend({
  kind: z.literal('openai'),
  server: z.enum(SERVER_KINDS).optional(),
  responses: z.boolean().default(false),
}).transform(({ kind, server, responses, ...rig }): OpenAiRigEntry => ({
  ...serverEntryOf(rig),
  kind,
  server: server ?? null,
  hasResponses: responses,
}));
