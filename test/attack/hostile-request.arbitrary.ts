import fc from 'fast-check';
import { hostileBody } from './hostile-json.arbitrary.js';
import { type Envelope, type Operation } from './openapi.operations.js';
import { type RawRequest } from './raw-request.js';

/** A request, and which answers it may get. */
export interface HostileRequest extends RawRequest {
  /** The change beside fields and values. */
  readonly twist: 'none' | 'method' | 'path' | 'framing';
  readonly envelopes: readonly Envelope[];
}

/** Statuses of requests that reach no route. */
export const STATUSES_OF: Readonly<Record<HostileRequest['twist'], readonly number[]>> = {
  none: [],
  method: [405],
  path: [400, 404, 405],
  framing: [400, 413, 417, 431],
};

/** The credentials that a caller may present, by the names of the document. */
export type Credentials = Readonly<Record<string, string>>;

/** One line of a head. */
export const header = (name: string, value: string) => [name, value] as const;
export type Header = ReturnType<typeof header>;

/** Values that open nothing. */
export const NOT_CREDENTIALS: readonly (readonly Header[])[] = [
  [],
  [header('authorization', 'Bearer ')],
  [header('authorization', 'Basic cXVpcHU6cXVpcHU=')],
  [header('authorization', 'Bearer sk-svc-unknown')],
  [header('authorization', 'Bearer svc_app_eyJhbGciOiJub25lIn0.e30.')],
  [header('authorization', `Bearer ${'x'.repeat(8_000)}`)],
  [header('x-api-key', '')],
  [header('x-api-key', 'svc_api_\xff\xfe')],
  [header('authorization', 'Bearer a'), header('authorization', 'Bearer b')],
];

/** Either header takes any credential. */
export const presented = (value: string): readonly [readonly Header[], readonly Header[]] => [
  [header('authorization', `Bearer ${value}`)],
  [header('x-api-key', value)],
];

const credential = (
  { schemes }: Operation,
  credentials: Credentials,
): fc.Arbitrary<readonly Header[]> => {
  const all = Object.entries(credentials);
  const valid = all.filter(([name]) => schemes.size === 0 || schemes.has(name));
  const headersOf = (some: typeof all) => some.flatMap(([, value]) => presented(value));
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...headersOf(valid)) },
    { weight: 1, arbitrary: fc.constantFrom(...headersOf(all)) },
    { weight: 1, arbitrary: fc.constantFrom(...NOT_CREDENTIALS) },
  );
};

const MEDIA_TYPES = [
  ...['application/json; charset=utf-8', 'application/json;charset=latin1', 'APPLICATION/JSON'],
  ...['application/json; boundary=', 'text/plain', 'text/csv', 'application/xml', '', '/', ';'],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp'],
];

const mediaType = fc.oneof(
  { weight: 12, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom(...MEDIA_TYPES) },
);

const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 60,
});

const KNOWN_HEADERS: readonly Header[] = [
  header('accept', 'text/event-stream'),
  header('accept-encoding', 'gzip, br;q=1, *;q=0'),
  header('content-encoding', 'gzip'),
  header('if-none-match', '*'),
  header('range', 'bytes=0-1,-1'),
  header('x-request-id', 'not a uuid'),
  header('x-request-id', '0198c0de-0000-7000-8000-000000000001'),
  header('x-http-method-override', 'DELETE'),
  header('x-forwarded-host', 'evil.example'),
  header('forwarded', 'for=unknown'),
  header('cookie', 'a=b; __proto__=c'),
  header('origin', 'null'),
  header('traceparent', '00-x'),
];

const headers = fc.array(
  fc.oneof(
    fc.constantFrom(...KNOWN_HEADERS),
    visible.map((value) => header('idempotency-key', value)),
    fc.constantFrom('', 'x'.repeat(300), 'k\xff').map((value) => header('idempotency-key', value)),
    visible.map((value) => header('x-knots', value)),
  ),
  { maxLength: 3 },
);

/** Not 1xx, CONNECT or an upgrade: those answers are no answers to a request. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

const PATH_SUFFIXES = ['/', '//', '/..', '/%', '/%00', '/%ff', ';a=b', '%2f', '/x', '.php', '#f'];

const FRAMING: readonly Header[] = [
  header('content-length', '1, 2'),
  header('content-length', '-1'),
  header('content-length', '0x10'),
  header('content-length', '99999999999999999999'),
  header('transfer-encoding', 'gzip'),
  header('transfer-encoding', 'chunked, identity'),
  header('host', 'another'),
  header('expect', 'a-miracle'),
  header('a b', 'c'),
  header('x-nul', 'a\0b'),
  header('x-large', 'x'.repeat(40_000)),
];

const VALUES = ['0', '-1', '1e3', '99999999999999999999', 'NaN', '', ' ', '\0', '💥', '[]', '../x'];
const ID = '0198c0de-0000-7000-8000-000000000002';

const parameterValue = fc.oneof(
  fc.constantFrom(...VALUES, ID, ID.toUpperCase(), 'x'.repeat(400), '__proto__', 'acme/scripted'),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);

/** An empty value would be another path. */
const segment = parameterValue.map((value) => encodeURIComponent(value === '' ? ' ' : value));

const targetOf = ({ path, parameters }: Operation): fc.Arbitrary<string> => {
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const pair = fc
    .tuple(fc.constantFrom(...names, 'a', '__proto__', 'page[]'), parameterValue)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const query = fc
    .array(pair, { maxLength: 3 })
    .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`));
  return fc
    .tuple(fc.array(segment, { minLength: 4, maxLength: 4 }), query)
    .map(([segments, search]) => {
      let n = 0;
      return path.replaceAll(/\{[^}]+\}/g, () => segments[n++ % 4] ?? ID) + search;
    });
};

const address = fc
  .tuple(fc.nat(255), fc.nat(255), fc.integer({ min: 1, max: 254 }))
  .map((bytes) => `10.${bytes.join('.')}`);

/** Requests to the operation, most of which reach its route. */
export const hostileRequest = (
  operation: Operation,
  credentials: Credentials,
): fc.Arbitrary<HostileRequest> => {
  const hasBody = operation.body !== undefined;
  const body = hasBody
    ? hostileBody(operation.body, operation.optional)
    : fc.option(hostileBody({ knots: 1 }, {}), { freq: 4 });
  const straight = fc
    .record({ target: targetOf(operation), body, type: mediaType, extra: headers })
    .chain((parts) =>
      fc
        .tuple(credential(operation, credentials), address)
        .map(([shown, from]): HostileRequest => ({
          twist: 'none',
          envelopes: operation.envelopes,
          method: operation.method,
          target: parts.target,
          headers: [
            ...shown,
            ...parts.extra,
            header('x-forwarded-for', from),
            ...(parts.body === null ? [] : [header('content-type', parts.type)]),
          ],
          body: parts.body,
        })),
    );
  return fc.oneof({ weight: 12, arbitrary: straight }, { weight: 3, arbitrary: twisted(straight) });
};

const EITHER: readonly Envelope[] = ['openai', 'anthropic', 'application'];

const twisted = (straight: fc.Arbitrary<HostileRequest>): fc.Arbitrary<HostileRequest> =>
  fc.oneof(
    fc.tuple(straight, fc.constantFrom(...METHODS)).map(([request, method]) => ({
      ...request,
      method,
      twist: 'method' as const,
      envelopes: [...request.envelopes, ...EITHER],
    })),
    fc.tuple(straight, fc.constantFrom(...PATH_SUFFIXES)).map(([request, suffix]) => ({
      ...request,
      target: request.target.replace(/(\?|$)/, `${suffix}$1`),
      twist: 'path' as const,
      envelopes: [...request.envelopes, ...EITHER],
    })),
    fc.tuple(straight, fc.constantFrom(...FRAMING)).map(([request, extra]) => ({
      ...request,
      headers: [...request.headers, extra],
      twist: 'framing' as const,
      envelopes: [...request.envelopes, ...EITHER],
    })),
  );
