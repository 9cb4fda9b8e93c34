import { describe, expect, it } from '@jest/globals';
import { CatalogError } from '../catalog.error.js';
import { rigModelOf } from '../catalog-entry.js';
import { parseCatalog } from '../catalog.parser.js';

const FILE = '/etc/quipu/catalog.yaml';

/** A catalog of one rig and one model, with fields of the model replaced. */
const withModel = (fields: string): string => `rigs:
  - { name: up, kind: openai, base_url: http://h/v1 }
  - { name: nano, kind: embedded }
models:
  - ${fields}
`;
const PRICE = 'price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 }';

const withRig = (fields: string): string => `rigs:
  - { ${fields} }
models: []
`;

const problemsOf = (source: string): readonly string[] => {
  try {
    parseCatalog(source, FILE);
    return [];
  } catch (error) {
    if (error instanceof CatalogError) return error.message.split('\n');
    throw error;
  }
};

describe('the kinds of rigs', () => {
  it('reads the kinds of providers, with their keys, headers and terms for models', () => {
    const { rigs, models } = parseCatalog(
      `rigs:
  - name: claude
    kind: anthropic
    api_key_env: FIRST
    api_keys: [{ env: SECOND }, { file: keys/third }]
    headers: { X-Team: knots }
    models: [{ id: opus, upstream_id: claude-opus-5-5, weight: 3, send_defaults: false }]
  - name: azure
    kind: azure-openai
    base_url: https://acme.openai.azure.com/
    entra: { tenant: acme.com, client_id: c, client_secret: { file: secret } }
models:
  - { id: opus, owned_by: anthropic, rigs: [claude, azure], context: 10, ${PRICE} }
`,
      FILE,
    );
    expect(rigs).toMatchObject([
      {
        kind: 'anthropic',
        baseUrl: 'https://api.anthropic.com/v1',
        keys: [{ env: 'FIRST' }, { env: 'SECOND' }, { file: '/etc/quipu/keys/third' }],
        headers: { 'x-team': 'knots' },
      },
      {
        kind: 'azure-openai',
        baseUrl: 'https://acme.openai.azure.com',
        apiVersion: '2024-10-21',
        entra: {
          tenant: 'acme.com',
          clientSecret: { file: '/etc/quipu/secret' },
          scope: 'https://cognitiveservices.azure.com/.default',
          authority: 'https://login.microsoftonline.com',
        },
      },
    ]);
    const [opus] = models;
    if (!opus) throw new Error('no model');
    expect(rigs.map((rig) => rigModelOf(rig, opus))).toEqual([
      {
        id: 'opus',
        upstreamId: 'claude-opus-5-5',
        weight: 3,
        sendsDefaults: false,
        quantization: 'unknown',
      },
      { id: 'opus', upstreamId: 'opus', weight: 1, sendsDefaults: true, quantization: 'unknown' },
    ]);
  });

  it('reads what callers choose rigs by, and the limits of one rig', () => {
    const { rigs, models } = parseCatalog(
      `rigs:
  - name: turbo
    kind: openai
    base_url: http://h/v1
    provider: acme
    data_collection: deny
    breaker: { failures: 2, open_ms: 1000, open_ms_max: 9000 }
    retries: { attempts: 5, back_off_ms: 10, back_off_ms_max: 40, retry_after_ms_max: 0 }
    models: [{ id: a, quantization: fp8 }]
models:
  - { id: a, owned_by: o, rigs: [turbo], context: 10, fallbacks: [b], quantization: bf16, ${PRICE} }
  - { id: b, owned_by: o, rigs: [turbo], context: 10, quantization: int4, ${PRICE} }
`,
      FILE,
    );
    const [turbo] = rigs;
    expect(turbo).toMatchObject({
      provider: 'acme',
      collectsData: false,
      breaker: { failuresToOpen: 2, openMs: 1_000, openMsMax: 9_000 },
      retries: { attemptsMax: 5, backOffMs: 10, backOffMsMax: 40, retryAfterMsMax: 0 },
    });
    expect(models.map(({ fallbacks }) => fallbacks)).toEqual([['b'], []]);
    expect(turbo && models.map((model) => rigModelOf(turbo, model).quantization)).toEqual([
      'fp8',
      'int4',
    ]);
  });

  it.each([
    [
      'a fallback that is no model',
      withModel(`{ id: a, owned_by: o, rigs: [up], context: 10, fallbacks: [b], ${PRICE} }`),
      `${FILE}:5:64: models[0].fallbacks[0] names no model of this file: b`,
    ],
    [
      'a model as its own fallback',
      withModel(`{ id: a, owned_by: o, rigs: [up], context: 10, fallbacks: [a], ${PRICE} }`),
      `${FILE}:5:64: models[0].fallbacks[0] is the model itself`,
    ],
    [
      'terms for a model of another rig',
      withModel(
        `{ id: a, owned_by: o, rigs: [nano], context: 10, file: a.gguf, ${PRICE} }`,
      ).replace('http://h/v1', 'http://h/v1, models: [{ id: a }]'),
      `${FILE}:2:69: rigs[0].models[0].id is not served by this rig: a`,
    ],
    [
      'a header that Quipu writes',
      withRig('name: a, kind: anthropic, headers: { Content-Length: "1" }'),
      `${FILE}:2:60: rigs[0].headers.Content-Length is a header that Quipu writes`,
    ],
    [
      'a key that is in two places',
      withRig('name: a, kind: anthropic, api_keys: [{ env: A, file: b }]'),
      `${FILE}:2:44: rigs[0].api_keys[0] must have either env or file`,
    ],
    [
      'a token beside keys',
      withRig(
        'name: a, kind: azure-openai, base_url: http://h, api_key_env: A, ' +
          'entra: { tenant: t, client_id: c, client_secret: { env: S } }',
      ),
      `${FILE}:2:79: rigs[0].entra must not be beside keys: one of them authorizes`,
    ],
    [
      'a version that is no date',
      withRig('name: a, kind: azure-openai, base_url: http://h, api_version: v1'),
      `${FILE}:2:69: rigs[0].api_version must be a date, such as 2024-10-21`,
    ],
  ])('reject %s', (_, source, problem) => {
    expect(problemsOf(source)).toEqual([problem]);
  });
});
