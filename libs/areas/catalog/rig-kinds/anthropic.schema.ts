import { z } from 'zod';
import { type AnthropicRigEntry } from '../catalog-entry.js';
import { AnyServer, BaseUrl, serverEntryOf } from './any-rig.schema.js';

export const AnthropicRig = AnyServer.extend({
  kind: z.literal('anthropic'),
  base_url: BaseUrl.default('https://api.anthropic.com/v1'),
}).transform(({ kind, ...rig }): AnthropicRigEntry => ({ ...serverEntryOf(rig), kind }));
