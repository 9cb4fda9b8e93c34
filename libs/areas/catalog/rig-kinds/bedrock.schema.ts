import { z } from 'zod';
import { type AwsIdentityEntry, type BedrockRigEntry } from '../catalog-entry.js';
import { AnyServer, BaseUrl, KEYS_MAX, Secret, serverEntryOf } from './any-rig.schema.js';

const Identity = z
  .strictObject({
    access_key_id: Secret,
    secret_access_key: Secret,
    session_token: Secret.optional(),
  })
  .transform(({ access_key_id, secret_access_key, session_token }): AwsIdentityEntry => ({
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    sessionToken: session_token ?? null,
  }));

export const BedrockRig = AnyServer.extend({
  kind: z.literal('bedrock'),
  base_url: BaseUrl.optional(),
  aws_region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region of AWS, such as eu-central-1'),
  identities: z.array(Identity).max(KEYS_MAX).default([]),
})
  .refine(
    ({ identities, api_key_env, api_keys }) =>
      identities.length === 0 || (!api_key_env && api_keys.length === 0),
    { path: ['identities'], error: 'must not be beside keys: one of them authorizes' },
  )
  .transform(({ kind, aws_region, identities, base_url, ...rig }): BedrockRigEntry => ({
    ...serverEntryOf({
      ...rig,
      base_url: base_url ?? `https://bedrock-runtime.${aws_region}.amazonaws.com`,
    }),
    kind,
    awsRegion: aws_region,
    identities,
  }));
