import { randomUUID } from 'node:crypto';
import { type OpenAiFake, openAiError, startOpenAiFake } from '../openai/openai.fake.js';
import {
  jsonAnswer,
  type ProviderRequest,
  type ProviderServer,
  Rejection,
  startProviderServer,
} from '../provider-server.js';

export const AZURE_KEY = 'azure-test';
const VERSIONS: ReadonlySet<string | null> = new Set(['2024-10-21', '2025-04-01-preview']);

/** The deployments of a resource, by their names, with the model of each. */
export type Deployments = Readonly<Record<string, string>>;

export interface AzureFakeOptions {
  readonly deployments: Deployments;
  /** Whose tokens are taken beside the key. */
  readonly entra?: EntraFake;
}

/** Azure OpenAI: OpenAI's interface at the paths of deployments. */
export const startAzureFake = ({ deployments, entra }: AzureFakeOptions): Promise<OpenAiFake> =>
  startOpenAiFake({
    authenticate: (request) => authenticated(request, entra),
    locate: ({ path, query }) => {
      const found = /^\/openai\/deployments\/(?<name>[^/]+)(?<operation>\/.+)$/.exec(path);
      if (!found?.groups || !VERSIONS.has(query.get('api-version'))) {
        throw new Rejection(404, { error: { code: '404', message: 'Resource not found' } });
      }
      const { name = '', operation = '' } = found.groups;
      const model = deployments[decodeURIComponent(name)];
      if (model !== undefined) return { operation, model };
      const message = 'The API deployment for this resource does not exist.';
      throw new Rejection(404, { error: { code: 'DeploymentNotFound', message } });
    },
    preamble: {
      choices: [],
      created: 0,
      id: '',
      model: '',
      object: '',
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
    },
  });

const authenticated = ({ headers }: ProviderRequest, entra: EntraFake | undefined): string => {
  if (headers['api-key'] === AZURE_KEY) return AZURE_KEY;
  const token = (headers.authorization ?? '').replace(/^Bearer /, '');
  if (entra?.isValid(token) === true) return 'entra';
  const message =
    'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key.';
  throw new Rejection(401, { error: { code: '401', message } });
};

/** Azure's content filter has stopped a prompt. */
export const filtered = (...categories: readonly string[]): Rejection =>
  openAiError(
    400,
    'content_filter',
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    {
      param: 'prompt',
      innererror: {
        code: 'ResponsibleAIPolicyViolation',
        content_filter_result: Object.fromEntries(
          ['hate', 'violence', 'jailbreak'].map((name) => [
            name,
            { filtered: categories.includes(name), severity: 'high' },
          ]),
        ),
      },
    },
  );

export const TENANT = '6f1c0a52-0000-4000-8000-000000000001';
export const CLIENT = { id: 'quipu', secret: 'client-secret' } as const;
export const SCOPE = 'https://cognitiveservices.azure.com/.default';

export interface EntraFake extends ProviderServer {
  isValid(token: string): boolean;
  /** Revokes all tokens that it has issued. */
  revokeAll(): void;
}

/** The token endpoint of Microsoft Entra, for one client and its secret. */
export const startEntraFake = async (lifeSeconds = 3_599): Promise<EntraFake> => {
  const tokens = new Set<string>();
  const refuse = (status: number, error: string): never => {
    throw new Rejection(status, { error, error_description: `AADSTS: ${error}` });
  };
  const server = await startProviderServer(({ method, path, headers, bytes }) => {
    if (method !== 'POST' || path !== `/${TENANT}/oauth2/v2.0/token`) refuse(404, 'not_found');
    if (headers['content-type'] !== 'application/x-www-form-urlencoded')
      refuse(400, 'invalid_request');
    const form = new URLSearchParams(bytes.toString());
    if (form.get('grant_type') !== 'client_credentials') refuse(400, 'unsupported_grant_type');
    if (form.get('scope') !== SCOPE) refuse(400, 'invalid_scope');
    if (form.get('client_id') !== CLIENT.id || form.get('client_secret') !== CLIENT.secret) {
      refuse(401, 'invalid_client');
    }
    const access_token = randomUUID();
    tokens.add(access_token);
    return jsonAnswer({ token_type: 'Bearer', expires_in: lifeSeconds, access_token });
  });
  return { ...server, isValid: (token) => tokens.has(token), revokeAll: () => tokens.clear() };
};
