import { request } from 'undici';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';
import { RigError } from './chat-backend.js';
import { type Credential } from './dialects/dialect.js';
import { isObject } from './token-usage.js';

export interface UpstreamModelsOptions {
  /** For messages. */
  readonly name: string;
  /** With the version in it, `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** Authorizes the requests to it. */
  readonly credential?: Credential | undefined;
  /** As in `HttpRigOptions`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the whole answer. Default 10,000. */
  readonly timeoutMs?: number;
}

const BYTES_MAX = 4 * 1024 * 1024;

/**
 * The ids of the models that a server lists at `/models`, as OpenAI and Anthropic do.
 * @throws RigError, whose message names the rig and no address
 */
export const upstreamModels = async (
  options: UpstreamModelsOptions,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const { name, timeoutMs = 10_000 } = options;
  const timeOut = AbortSignal.timeout(timeoutMs);
  try {
    return await listed(options, AbortSignal.any([signal, timeOut]));
  } catch (cause) {
    if (cause instanceof RigError) throw cause;
    if (signal.aborted) throw new RigError('cancelled', `rig ${name} was cancelled`, { cause });
    if (timeOut.aborted) {
      const message = `rig ${name} did not list its models within ${timeoutMs} ms`;
      throw new RigError('timed-out', message, { cause });
    }
    throw new RigError('unreachable', `rig ${name} cannot be reached`, { cause });
  }
};

const listed = async (
  { name, baseUrl, credential, headers: own }: UpstreamModelsOptions,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const url = `${withoutTrailing(baseUrl, '/')}/models`;
  const headers = { ...own };
  const asked = { method: 'GET', url, headers, body: '' } as const;
  Object.assign(headers, await credential?.headersFor(asked, signal));
  const { statusCode: status, body } = await request(url, { headers, signal });
  if (status !== 200) {
    await body.dump();
    const message = `rig ${name} answered with status ${status} when asked for its models`;
    throw new RigError('failed', message, { status });
  }
  const bytes = await boundedBytes(body, BYTES_MAX, () =>
    malformed(name, `is larger than ${BYTES_MAX} bytes`),
  );
  return idsOf(name, bytes.toString('utf8'));
};

const idsOf = (name: string, text: string): ReadonlySet<string> => {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw malformed(name, 'is not JSON', cause);
  }
  const data = isObject(list) ? list['data'] : undefined;
  if (!Array.isArray(data)) throw malformed(name, 'has no data');
  const ids = data.map((one: unknown) => (isObject(one) ? one['id'] : undefined));
  return new Set(ids.filter((id) => typeof id === 'string'));
};

const malformed = (name: string, fault: string, cause?: unknown): RigError =>
  new RigError('malformed', `the list of models of rig ${name} ${fault}`, { cause });
