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
      { id: 'opus', upstreamId: 'claude-opus-5-5', weight: 3, sendsDefaults: false },
      { id: 'opus', upstreamId: 'opus', weight: 1, sendsDefaults: true },
    ]);
  });

  it.each([
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
