import { REQUEST_LIMITS, type RequestLimits } from '#areas/inference/ports.js';
import { type Deployment } from './compose.fixture.js';
import { readSettings } from './settings.js';

const MEBIBYTE = 1_048_576;

/**
 * Routes at the border between OpenAI's error envelope and the application's. True: the gateway
 * answers with OpenAI's, as test/end-to-end/envelopes.spec.ts verifies.
 */
const OPENAI_ROUTES: ReadonlyMap<string, boolean> = new Map([
  ['/v1', true],
  ['/v1/chat/completions', true],
  ['/v10', false],
  ['/api/v1/chat/completions', true],
  ['/api/v1/chat/completions/x', false],
  ['/api/v1/models', true],
  ['/api/v1/models/quipu/nano', true],
  ['/api/v1/billing/overview.php', false],
  ['/health/ready', false],
]);

/** As above, for Anthropic's envelope, whose pattern is the first. */
const ANTHROPIC_ROUTES: ReadonlyMap<string, boolean> = new Map([
  ['/v1/messages', true],
  ['/v1/messages/count_tokens', true],
  ['/v1/messages2', false],
  ['/v1/chat/completions', false],
]);

const valueOf = (text: string, directive: string): string =>
  new RegExp(`^\\s*${directive} (.+);$`, 'm').exec(text)?.[1] ?? '';

const upstreamFaults = (text: string, { services }: Deployment): readonly string[] => {
  const servers = [...text.matchAll(/^\s*server ([\w-]+):(\d+)( resolve)?/gm)];
  if (servers.length === 0) return ['it names no upstream'];
  return servers.flatMap(([, name = '', port, resolve]) => {
    const service = services[name];
    if (!service) return [`${name} is no service`];
    const isReached = service.networks.some((one) => services['nginx']?.networks.includes(one));
    return [
      ...(isReached ? [] : [`${name} is on none of its networks`]),
      ...(service.environment['PORT'] === port ? [] : [`${name} does not listen at ${port}`]),
      ...(resolve ? [] : [`it does not resolve ${name} again`]),
    ];
  });
};

const limitFaults = (text: string, { services }: Deployment): readonly string[] => {
  const { ofAreas, bodyLimitBytes, trustProxy } = readSettings(
    services['gateway']?.environment ?? {},
  );
  const { requestMsMax } = ofAreas.get(REQUEST_LIMITS) as RequestLimits;
  const readSeconds = Number.parseInt(valueOf(text, 'proxy_read_timeout'), 10);
  const bodyBytes = Number.parseInt(valueOf(text, 'client_max_body_size'), 10) * MEBIBYTE;
  const [, uploads = ''] = /location ~ \^\(\/v1\/files[^{]*\{([^}]*)\}/.exec(text) ?? [];
  const forwarded = valueOf(text, 'proxy_set_header X-Forwarded-For');
  return [
    ...(readSeconds * 1_000 > requestMsMax ? [] : ['it ends requests before the gateway does']),
    ...(bodyBytes === bodyLimitBytes ? [] : ['its limit of bodies is not the gateway’s']),
    ...(text.includes(`larger than ${bodyLimitBytes} bytes`) ? [] : ['it names another limit']),
    ...(valueOf(text, 'error_page 413') === '= @too_large' ? [] : ['its 413 has no envelope']),
    ...(valueOf(uploads, 'client_max_body_size') === '0' ? [] : ['it rejects files by itself']),
    ...(valueOf(uploads, 'proxy_request_buffering') === 'off' ? [] : ['it buffers uploads']),
    ...(trustProxy === 1 && forwarded === '$proxy_add_x_forwarded_for'
      ? []
      : ['the gateway does not get the address of the client']),
  ];
};

const streamFaults = (text: string): readonly string[] =>
  ['proxy_buffering', 'gzip'].flatMap((directive) =>
    valueOf(text, directive) === 'off' ? [] : [`${directive} delays events of a stream`],
  );

const ENVELOPES = [
  { routes: OPENAI_ROUTES, begin: /^\s*~(\S+) '\{"error"/m },
  { routes: ANTHROPIC_ROUTES, begin: /failure \{\s*~(\S+) '\{"type":"error"/m },
] as const;

const envelopeFaults = (text: string): readonly string[] =>
  ENVELOPES.flatMap(({ routes, begin }) => {
    const [, pattern = '$^'] = begin.exec(text) ?? [];
    return [...routes]
      .filter(([url, isOwn]) => new RegExp(pattern).test(url) !== isOwn)
      .map(([url]) => `it answers ${url} in the wrong error envelope`);
  });

/** The faults of the nginx configuration in front of the gateways of a deployment. */
export const nginxFaultsOf = (text: string, deployment: Deployment): readonly string[] => [
  ...upstreamFaults(text, deployment),
  ...limitFaults(text, deployment),
  ...streamFaults(text),
  ...envelopeFaults(text),
  ...(valueOf(text, 'proxy_next_upstream') === 'error timeout'
    ? []
    : ['it may repeat a request that was charged']),
];
