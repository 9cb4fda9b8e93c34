import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { isPrivateHost, lookupOfPublicHosts } from '#platform/network/public-addresses.js';
import {
  defineTool,
  type ToolCall,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
  type ToolRunner,
} from '#platform/tools/tool.js';
import { HOSTS_SETTING, HTTP_TOOL_SETTINGS, type HttpToolSettings } from '../workflows.settings.js';
import { type AllowedHost, entryFor } from './allowed-hosts.js';

export const REQUEST_BYTES_MAX = 262_144;
export const RESPONSE_BYTES_MAX = 262_144;
/** For the head of an answer, and for each pause in its body. */
const SILENCE_MS_MAX = 60_000;

/** The gateway sets them, or they would change the meaning of the request. */
const OWN_HEADERS = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'idempotency-key',
];

const HttpInput = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  headers: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/)
        .refine((name) => !OWN_HEADERS.includes(name.toLowerCase()), 'the gateway sets it'),
      z
        .string()
        .max(4_096)
        .regex(/^[\t\x20-\x7e]*$/, 'has characters that no header has'),
    )
    .default({}),
  body: z.unknown().optional().describe('A string is sent as it is, any other value as JSON.'),
});
type HttpInput = z.infer<typeof HttpInput>;

const HttpOutput = z.strictObject({
  status: z.int(),
  content_type: z.string().nullable(),
  location: z.string().nullable().describe('Where a redirect leads; it is not followed.'),
  body: z.unknown().describe('JSON where the answer is JSON, otherwise its text.'),
});
type HttpOutput = z.infer<typeof HttpOutput>;

/**
 * Calls a host that the operator has listed. The header `Idempotency-Key` is the id of the call, so
 * a server that knows it acts once, however often the call is repeated.
 */
@Injectable()
export class HttpTool implements ToolRunner<HttpInput, HttpOutput>, OnApplicationShutdown {
  readonly #public = new Agent({
    connect: {
      lookup: lookupOfPublicHosts((hostname, address) => {
        const detail = `${hostname} has the private address ${address}`;
        return new ToolError('http_host_not_allowed', `${detail}; ${HOW_TO_ALLOW}`);
      }),
    },
  });
  readonly #private = new Agent();

  constructor(@Inject(HTTP_TOOL_SETTINGS) private readonly settings: HttpToolSettings) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#private.destroy()]);
  }

  estimate({ url }: HttpInput): Promise<ToolEstimate> {
    return Promise.try(() => {
      this.#demandHost(new URL(url));
      return { lines: [], rateCardVersion: null };
    });
  }

  async run(input: HttpInput, call: ToolCall): Promise<ToolOutcome<HttpOutput>> {
    const url = new URL(input.url);
    const entry = this.#demandHost(url);
    const { body, contentType } = bodyOf(input);
    const answer = await request(url, {
      method: input.method,
      dispatcher: entry.isPrivate ? this.#private : this.#public,
      headers: {
        'user-agent': 'Quipu-Workflows/1',
        ...(contentType !== null && { 'content-type': contentType }),
        ...lowerCased(input.headers),
        'idempotency-key': call.id,
      },
      ...(body !== null && { body }),
      headersTimeout: SILENCE_MS_MAX,
      bodyTimeout: SILENCE_MS_MAX,
      signal: call.signal,
    }).catch(unreachable);
    const { statusCode: status, headers } = answer;
    if (status >= FIRST_FAILURE) {
      answer.body.on('error', () => undefined).destroy();
      throw statusError(status);
    }
    const bytes = await boundedBytes(answer.body, RESPONSE_BYTES_MAX, tooLarge).catch(unreachable);
    const type = headerOf(headers['content-type']);
    const location = headerOf(headers['location']);
    return {
      output: { status, content_type: type, location, body: valueOf(bytes, type) },
      used: [],
      counters: { status, response_bytes: bytes.length },
    };
  }

  #demandHost(url: URL): AllowedHost {
    if (url.username !== '' || url.password !== '') {
      const message = 'the URL has a user or a password; put them into the header authorization';
      throw new ToolError('http_host_not_allowed', message, { param: 'url' });
    }
    const entry = entryFor(url, this.settings.hosts);
    if (entry && (entry.isPrivate || !isPrivateHost(url.hostname))) return entry;
    const message = `${url.protocol}//${url.host} is not allowed; ${HOW_TO_ALLOW}`;
    throw new ToolError('http_host_not_allowed', message, { param: 'url' });
  }
}

const HOW_TO_ALLOW =
  `the operator lists hosts in ${HOSTS_SETTING}; ` +
  'with the prefix private: they may be on a private network and without TLS';

const FIRST_FAILURE = 400;
/** Another attempt may succeed: a time-out, a conflict in time, too many requests. */
const PASSING: readonly number[] = [408, 425, 429];

const statusError = (status: number): ToolError => {
  const isRetryable = status >= 500 || PASSING.includes(status);
  return new ToolError('http_status', `the server answered ${status}`, { isRetryable });
};

/** The message of some errors has the address, whose query may have a secret. */
const unreachable = (error: unknown): never => {
  if (error instanceof ToolError) throw error;
  const { name = 'Error', code = name } = error as { readonly name?: string; code?: string };
  if (name === 'AbortError' || name === 'TimeoutError') throw error;
  const message = `the server could not be reached, or broke off: ${code}`;
  throw new ToolError('http_unreachable', message, { isRetryable: true });
};

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const bodyOf = ({ body, method }: HttpInput) => {
  if (body === undefined) return { body: null, contentType: null };
  if (method === 'GET' || method === 'HEAD') {
    throw new ToolError('invalid_input', `body: ${method} has none`, { param: 'body' });
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (Buffer.byteLength(text) > REQUEST_BYTES_MAX) {
    const message = `body: has more than ${REQUEST_BYTES_MAX} bytes`;
    throw new ToolError('invalid_input', message, { param: 'body' });
  }
  const contentType = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  return { body: text, contentType };
};

const tooLarge = (): ToolError =>
  new ToolError('response_too_large', `the answer has more than ${RESPONSE_BYTES_MAX} bytes`);

const headerOf = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null;

const decoder = new TextDecoder('utf-8', { fatal: true });

const valueOf = (bytes: Buffer, contentType: string | null): unknown => {
  if (bytes.length === 0) return null;
  try {
    const text = decoder.decode(bytes);
    const isJson = /^application\/([a-z0-9.+-]+\+)?json\b/i.test(contentType ?? '');
    return isJson ? (JSON.parse(text) as unknown) : text;
  } catch {
    throw new ToolError('response_unreadable', 'the answer is neither text in UTF-8 nor JSON');
  }
};

export const httpTool = defineTool({
  name: 'http',
  description: 'Calls an HTTP server that the operator of this gateway has listed.',
  input: HttpInput,
  output: HttpOutput,
  meters: {},
  runner: HttpTool,
});
