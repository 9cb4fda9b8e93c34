import { type Envelope } from './openapi.operations.js';
import { type Answer } from './raw-request.js';

/** The answers that an operation may give. */
export interface Promised {
  readonly statuses: ReadonlySet<number>;
  /** Of its failures; where no route was met, either may be. */
  readonly envelopes: readonly Envelope[];
  readonly mediaTypes: (status: number) => readonly string[];
  /** The honest statuses from 500 up. */
  readonly serverErrors: readonly number[];
  /** Names of headers. */
  readonly headers: readonly string[];
  readonly isHead: boolean;
}

const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

export const SECURITY_HEADERS = [
  'strict-transport-security',
  'content-security-policy',
  'x-content-type-options',
] as const;

/** Frames of a stack, and addresses and folders of this machine. */
const INTERNALS = [
  /\n\s+at /,
  /\bnode:internal\b/,
  /node_modules/,
  /\.[jt]s:\d+/,
  /127\.0\.0\.1:\d+/,
  new RegExp(RegExp.escape(process.cwd())),
  /\/tmp\//,
];

/** Every law that an answer breaks, in words; empty for an answer without fault. */
export const faultsOf = (answer: Answer, promised: Promised): readonly string[] => {
  const { status, headers, body } = answer;
  const missing = promised.headers.filter((name) => !headers[name]);
  // An answer may show the base URL of the installation to its user.
  const internals = INTERNALS.filter((pattern) => status >= 400 && pattern.test(body));
  return [
    ...(promised.statuses.has(status) ? [] : [`the status ${status} is not documented`]),
    ...(status >= 500 && !promised.serverErrors.includes(status)
      ? [`the status is ${status}`]
      : []),
    ...missing.map((name) => `the header ${name} is missing`),
    ...internals.map((pattern) => `the answer shows ${String(pattern)}`),
    ...(promised.isHead ? [] : bodyFaults(answer, promised)),
    ...retryAfterFaults(headers['retry-after']),
  ].map((fault) => `${fault}: ${status} ${body.slice(0, 300)}`);
};

const bodyFaults = (
  { status, headers, body }: Answer,
  { envelopes, mediaTypes }: Promised,
): readonly string[] => {
  const mediaType = headers['content-type']?.split(';', 1)[0] ?? '';
  if (status < 400) {
    const documented = mediaTypes(status);
    const isDocumented = documented.length === 0 || documented.includes(mediaType);
    return isDocumented ? [] : [`the media type ${mediaType} is not documented`];
  }
  if (mediaType !== 'application/json') return [`a failure has the media type ${mediaType}`];
  const found = envelopes.map((envelope) => envelopeFaults(body, envelope));
  return found.some((faults) => faults.length === 0) ? [] : (found[0] ?? []);
};

export const envelopeFaults = (body: string, envelope: Envelope): readonly string[] => {
  const parsed = parse(body);
  const error = envelope === 'application' ? parsed : parsed?.['error'];
  if (!isRecord(error)) return [`the failure is not in the envelope ${envelope}`];
  const { message, code, type, success } = error;
  return [
    ...(typeof message === 'string' && message !== '' ? [] : ['the failure has no message']),
    ...(isCodeOf(envelope, code) ? [] : ['the code is neither snake case nor of JSON-RPC']),
    ...(hasType(envelope) && typeof type !== 'string' ? ['the failure has no type'] : []),
    ...(envelope === 'anthropic' && parsed?.['type'] !== 'error' ? ['it is no error'] : []),
    ...(envelope === 'application' && success !== false ? ['success is not false'] : []),
  ];
};

const hasType = (envelope: Envelope): boolean => envelope === 'openai' || envelope === 'anthropic';

/** JSON-RPC 2.0, 5.1: a code is an integer. */
const isCodeOf = (envelope: Envelope, code: unknown): boolean =>
  envelope === 'json-rpc'
    ? Number.isSafeInteger(code)
    : typeof code === 'string' && SNAKE_CASE.test(code);

const retryAfterFaults = (value: string | undefined): readonly string[] =>
  value === undefined || /^\d{1,16}$/.test(value) ? [] : [`Retry-After is ${value}`];

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
};
