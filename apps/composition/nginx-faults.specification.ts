import { speaksOpenAi } from '../gateway/errors/envelope.js';
import { type Deployment } from './compose.specification.js';
import { readSettings } from './settings.js';

const MEBIBYTE = 1_048_576;

/** On either side of every line between OpenAI's envelope and the application's. */
const ROUTES = [
  '/v1',
  '/v1/chat/completions',
  '/v10',
  '/api/v1/chat/completions',
  '/api/v1/chat/completions/x',
  '/api/v1/models',
  '/api/v1/models/quipu/nano',
  '/api/v1/billing/overview.php',
  '/health/ready',
];

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
      ...(resolve ? [] : [`it never learns of another ${name}`]),
    ];
  });
};

const limitFaults = (text: string, { services }: Deployment): readonly string[] => {
  const { requestSeconds, bodyLimitBytes, trustProxy } = readSettings(
    services['gateway']?.environment ?? {},
  );
  const readSeconds = Number.parseInt(valueOf(text, 'proxy_read_timeout'), 10);
  const bodyBytes = Number.parseInt(valueOf(text, 'client_max_body_size'), 10) * MEBIBYTE;
  const forwarded = valueOf(text, 'proxy_set_header X-Forwarded-For');
  return [
    ...(readSeconds > requestSeconds ? [] : ['it ends requests before the gateway does']),
    ...(bodyBytes > bodyLimitBytes ? [] : ['it refuses bodies before the gateway does']),
    ...(trustProxy === 1 && forwarded === '$proxy_add_x_forwarded_for'
      ? []
      : ['the gateway does not learn who the client is']),
  ];
};

const streamFaults = (text: string): readonly string[] =>
  ['proxy_buffering', 'gzip'].flatMap((directive) =>
    valueOf(text, directive) === 'off' ? [] : [`${directive} holds events of a stream back`],
  );

const envelopeFaults = (text: string): readonly string[] => {
  const [, pattern = '$^'] = /^\s*~(\S+) '\{"error"/m.exec(text) ?? [];
  return ROUTES.filter((url) => new RegExp(pattern).test(url) !== speaksOpenAi(url)).map(
    (url) => `it fails in another envelope than ${url}`,
  );
};

/** Everything that is wrong with nginx before the gateways of a deployment. */
export const nginxFaultsOf = (text: string, deployment: Deployment): readonly string[] => [
  ...upstreamFaults(text, deployment),
  ...limitFaults(text, deployment),
  ...streamFaults(text),
  ...envelopeFaults(text),
  ...(valueOf(text, 'proxy_next_upstream') === 'error timeout'
    ? []
    : ['it may send a request again that has been charged for']),
];
