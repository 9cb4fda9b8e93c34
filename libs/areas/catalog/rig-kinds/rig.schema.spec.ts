import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from '../catalog.parser.js';

const FILE = '/etc/quipu/catalog.yaml';

const rigsOf = (...rigs: readonly string[]) =>
  parseCatalog(`rigs:\n${rigs.map((rig) => `  - { ${rig} }\n`).join('')}models: []\n`, FILE).rigs;

describe('rigs of the clouds of Google and Amazon', () => {
  it('have the address of their place, and secrets beside the catalog', () => {
    const secret = (name: string) => `{ file: ${name} }`;
    const identity = `access_key_id: ${secret('id')}, secret_access_key: ${secret('key')}`;
    const rigs = rigsOf(
      'name: a, kind: gemini, api_key_env: GEMINI_API_KEY',
      'name: b, kind: vertex, project: acme, api_keys: [{ file: account.json }]',
      'name: c, kind: vertex, project: acme, location: europe-west4',
      'name: d, kind: vertex, project: acme, location: eu',
      'name: e, kind: bedrock, aws_region: eu-central-1, api_key_env: AWS_BEARER_TOKEN_BEDROCK',
      `name: f, kind: bedrock, aws_region: us-gov-west-1,
        identities: [{ ${identity}, session_token: { env: TOKEN } }]`,
    );
    expect(rigs).toMatchObject([
      {
        baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
        keys: [{ env: 'GEMINI_API_KEY' }],
      },
      {
        baseUrl: 'https://aiplatform.googleapis.com/v1',
        project: 'acme',
        location: 'global',
        keys: [{ file: '/etc/quipu/account.json' }],
      },
      { baseUrl: 'https://europe-west4-aiplatform.googleapis.com/v1', location: 'europe-west4' },
      { baseUrl: 'https://aiplatform.eu.rep.googleapis.com/v1' },
      {
        baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
        awsRegion: 'eu-central-1',
        identities: [],
      },
      {
        identities: [
          {
            accessKeyId: { file: '/etc/quipu/id' },
            secretAccessKey: { file: '/etc/quipu/key' },
            sessionToken: { env: 'TOKEN' },
          },
        ],
      },
    ]);
  });

  it.each([
    ['kind: vertex', 'project'],
    ["kind: vertex, project: 'a/b'", 'project'],
    ["kind: vertex, project: acme, location: 'x.example.com'", 'location'],
    ['kind: bedrock', 'aws_region'],
    ["kind: bedrock, aws_region: 'eu.example.com'", 'aws_region'],
    [
      `kind: bedrock, aws_region: eu-central-1, api_key_env: KEY,
        identities: [{ access_key_id: { env: A }, secret_access_key: { env: B } }]`,
      'identities must not be beside keys',
    ],
    [
      'kind: bedrock, aws_region: eu-central-1, identities: [{ access_key_id: { env: A } }]',
      'secret_access_key',
    ],
  ])('refuse %s', (rig, where) => {
    expect(() => rigsOf(`name: a, ${rig}`)).toThrow(where);
  });
});
