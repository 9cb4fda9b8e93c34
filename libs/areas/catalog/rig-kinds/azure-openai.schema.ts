import { z } from 'zod';
import { type AzureOpenAiRigEntry, type EntraEntry } from '../catalog-entry.js';
import { AnyServer, BaseUrl, Secret, serverEntryOf } from './any-rig.schema.js';

const Entra = z
  .strictObject({
    tenant: z.string().regex(/^[A-Za-z0-9.-]{1,128}$/, 'must be the id or the domain of a tenant'),
    client_id: z.string().min(1).max(128),
    client_secret: Secret,
    scope: z.string().min(1).max(256).default('https://cognitiveservices.azure.com/.default'),
    authority: BaseUrl.default('https://login.microsoftonline.com'),
  })
  .transform(({ tenant, client_id, client_secret, scope, authority }): EntraEntry => ({
    tenant,
    clientId: client_id,
    clientSecret: client_secret,
    scope,
    authority,
  }));

export const AzureOpenAiRig = AnyServer.extend({
  kind: z.literal('azure-openai'),
  api_version: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/, 'must be a date, such as 2024-10-21')
    .default('2024-10-21'),
  entra: Entra.optional(),
})
  .refine(({ entra, api_key_env, api_keys }) => !entra || (!api_key_env && api_keys.length === 0), {
    path: ['entra'],
    error: 'must not be beside keys: one of them authorizes',
  })
  .transform(({ kind, api_version, entra, ...rig }): AzureOpenAiRigEntry => ({
    ...serverEntryOf(rig),
    kind,
    apiVersion: api_version,
    entra: entra ?? null,
  }));
