import { brotliCompressSync, gzipSync } from 'node:zlib';
import { completionOf, statement } from '#areas/inference/rigs/upstream.fake.js';
import {
  answer,
  type Behaviour,
  bytes,
  bytesAndEnd,
  bytesAndReset,
  chunkOf,
  drip,
  head,
} from './hostile-upstream.js';

/**
 * The answer that a caller sees: a status with the code of its failure, and the charge in
 * micro-dollars.
 */
export interface Seen {
  readonly outcome: string;
  readonly charged: number;
}

export interface Row extends Seen {
  readonly what: string;
  readonly behaviour: Behaviour;
}

export const row = (what: string, behaviour: Behaviour, outcome: string, charged: number): Row => ({
  what,
  behaviour,
  outcome,
  charged,
});

/** A row that costs nothing. */
export const free = (what: string, behaviour: Behaviour, outcome: string): Row =>
  row(what, behaviour, outcome, 0);

/** 9 tokens in, 3 out, at 1 and 2 micro-dollars. */
export const STATED = 15;
/** The 17 bytes of the prompt, and the 11 of the answer, at 8 bytes a token. */
const COUNTED = 3 + 2 * 2;

const MALFORMED = '502 upstream_malformed';
const UNREACHABLE = '502 upstream_unreachable';
const FAILED = '502 upstream_failed';
const TIMED_OUT = '504 upstream_timed_out';

const WORDS = 'Knots hold.';
const GOOD = JSON.stringify(completionOf(WORDS, statement(9, 3)));
const withUsage = (usage: unknown): Behaviour =>
  answer(200, JSON.stringify(completionOf(WORDS, usage)));
const withRawUsage = (usage: string): Behaviour =>
  answer(200, GOOD.replace(/"usage":\{[^}]*\}/, `"usage":${usage}`));
const withChoices = (choices: string): Behaviour =>
  answer(200, `{"choices":${choices},"usage":{"prompt_tokens":9,"completion_tokens":3}}`);

const MEBIBYTE = 'x'.repeat(1024 * 1024);
const LENGTH = { 'content-length': String(GOOD.length) };
const BEYOND = { 'content-length': String(GOOD.length + 100) };
const CHUNKED = { 'transfer-encoding': 'chunked' };

const refused = (retryAfter: string): Behaviour => answer(503, '{}', { 'retry-after': retryAfter });

/** Answers to a request for a whole completion. */
export const STATUSES: readonly Row[] = [
  free('status 400 with an error', answer(400, '{"error":{"code":"c"}}'), '400 c'),
  free('status 400 with a page', answer(400, '<html>'), '400 upstream_refused'),
  free('status 400, nested', answer(400, '['.repeat(50_000)), '400 upstream_refused'),
  free('status 401', answer(401, '{}'), '502 upstream_rejected_gateway'),
  free('status 402', answer(402, '{}'), FAILED),
  free('status 403', answer(403, '{}'), '502 upstream_rejected_gateway'),
  free('status 404', answer(404, '{}'), FAILED),
  free('status 408', answer(408, '{}'), TIMED_OUT),
  free('status 418', answer(418, '{}'), '418 upstream_refused'),
  free('status 429', answer(429, '{}', { 'retry-after': '60' }), '429 upstream_rate_limited'),
  free('status 499', answer(499, '{}'), '499 upstream_refused'),
  free('status 500', answer(500, '{}'), FAILED),
  free('status 500 with a completion', answer(500, GOOD), FAILED),
  free('status 504', answer(504, '{}'), TIMED_OUT),
  free('status 599', answer(599, '{}'), FAILED),
  free('status 999', answer(999, '{}'), FAILED),
  free('status 204', bytes(head(204, {})), MALFORMED),
  free('status 304', bytes(head(304, {})), FAILED),
  free('a redirect', answer(302, '', { location: 'http://127.0.0.1:1/' }), FAILED),
  free('a redirect to itself', answer(307, '', { location: '/v1/chat/completions' }), FAILED),
  // undici takes an informational 100 that was not asked for as the end of the connection.
  free('status 100 first', bytes(head(100, {}), head(200, LENGTH), GOOD), UNREACHABLE),
  row('status 103 first', bytes(head(103, {}), head(200, LENGTH), GOOD), '200', STATED),
  free('an upgrade', bytesAndEnd(head(101, { upgrade: 'x', connection: 'upgrade' })), UNREACHABLE),
  free('Retry-After beyond number', refused('9'.repeat(400)), '503 overloaded'),
  free('Retry-After of 3,000 years', refused('99999999999'), '503 overloaded'),
  free('Retry-After as a date', refused('Fri, 01 Jan 2100 00:00:00 GMT'), '503 overloaded'),
  free('a negative Retry-After', refused('-1'), '503 overloaded'),
  free('Retry-After in words', refused('soon'), '503 overloaded'),
  free('an error page of 200 KB', answer(500, 'x'.repeat(200_000)), FAILED),
];

export const BODIES: readonly Row[] = [
  row('no content type', bytes(head(200, LENGTH), GOOD), '200', STATED),
  row('the wrong content type', answer(200, GOOD, { 'content-type': 'text/html' }), '200', STATED),
  free('no body', answer(200, ''), MALFORMED),
  free('truncated JSON', answer(200, GOOD.slice(0, -5)), MALFORMED),
  free('two documents', answer(200, GOOD + GOOD), MALFORMED),
  free('null', answer(200, 'null'), MALFORMED),
  free('an array', answer(200, `[${GOOD}]`), MALFORMED),
  free('a number of 100 KB', answer(200, '9'.repeat(100_000)), MALFORMED),
  free('JSON that is no completion', answer(200, '{"object":"list"}'), MALFORMED),
  free('a nesting of 200,000', withChoices('['.repeat(2e5) + ']'.repeat(2e5)), MALFORMED),
  free('a nesting without end', answer(200, '['.repeat(2e5)), MALFORMED),
  free('more than 32 MiB', bytes(head(200, {}), ...Array<string>(33).fill(MEBIBYTE)), MALFORMED),
  free('UTF-16', answer(200, Buffer.from(GOOD, 'utf16le')), MALFORMED),
  row(
    'invalid UTF-8',
    answer(200, Buffer.from(GOOD.replace('K', '\xff'), 'latin1')),
    '200',
    STATED,
  ),
  free('gzip unasked', answer(200, gzipSync(GOOD), { 'content-encoding': 'gzip' }), MALFORMED),
  free('a gzip bomb', answer(200, gzipSync(MEBIBYTE), { 'content-encoding': 'gzip' }), MALFORMED),
  free('brotli', answer(200, brotliCompressSync(GOOD), { 'content-encoding': 'br' }), MALFORMED),
  row('choices: []', withChoices('[]'), '200', STATED),
  row('choices: [null]', withChoices('[null]'), '200', STATED),
  row('choices of numbers', withChoices('[1,2,3]'), '200', STATED),
  free('choices: null', withChoices('null'), MALFORMED),
  free('choices as an object', withChoices('{}'), MALFORMED),
  row('a message of null', withChoices('[{"message":null}]'), '200', STATED),
  row(
    'prototype keys',
    withChoices('[{"__proto__":{"message":1},"constructor":1}]'),
    '200',
    STATED,
  ),
  row('another id and model', answer(200, GOOD.replace('"m"', '["evil"]')), '200', STATED),
  free('SSE', answer(200, `data: ${GOOD}\n\n`, { 'content-type': 'text/event-stream' }), MALFORMED),
];

/** Without a valid statement the answer is counted. A statement above the hold is cut to it. */
export const USAGES: readonly Row[] = [
  row('no usage', withUsage(undefined), '200', COUNTED),
  row('usage: null', withUsage(null), '200', COUNTED),
  row('negative tokens', withUsage(statement(-9, -3)), '200', COUNTED),
  row('fractions of tokens', withUsage(statement(9.5, 3)), '200', COUNTED),
  row('tokens as text', withUsage(statement('9', '3')), '200', COUNTED),
  row(
    '1e400 tokens',
    withRawUsage('{"prompt_tokens":1e400,"completion_tokens":3}'),
    '200',
    COUNTED,
  ),
  row('2^53 tokens', withUsage(statement(2 ** 53, 3)), '200', COUNTED),
  row('no answer tokens', withUsage({ prompt_tokens: 9 }), '200', COUNTED),
  row('tokens as an array', withUsage(statement([9], [3])), '200', COUNTED),
  row('zero tokens', withUsage(statement(0, 0)), '200', 0),
  row('usage from a prototype', withRawUsage('{"__proto__":{"prompt_tokens":9}}'), '200', COUNTED),
];

export const CONNECTIONS: readonly Row[] = [
  free('a close without an answer', bytesAndEnd(), UNREACHABLE),
  free('a reset without an answer', bytesAndReset(), UNREACHABLE),
  free('a reset within the headers', bytesAndReset('HTTP/1.1 200 OK\r\ncont'), UNREACHABLE),
  free('a close within the body', bytesAndEnd(head(200, BEYOND), GOOD), UNREACHABLE),
  free('a reset within the body', bytesAndReset(head(200, BEYOND), GOOD), UNREACHABLE),
  free('a close within a chunk', bytesAndEnd(head(200, CHUNKED), 'fff\r\n', GOOD), UNREACHABLE),
  free('a chunk of no length', bytesAndEnd(head(200, CHUNKED), 'knots\r\n', GOOD), MALFORMED),
  free('no HTTP', bytesAndEnd('220 knots.example ESMTP\r\n'), MALFORMED),
  free(
    'two lengths',
    bytesAndEnd(head(200, LENGTH).replace('\r\n\r\n', '\r\nContent-Length: 1\r\n\r\n'), GOOD),
    UNREACHABLE,
  ),
  free('headers of 200 KB', bytesAndEnd(head(200, { x: 'x'.repeat(200_000) }), GOOD), MALFORMED),
  free('silence', () => undefined, TIMED_OUT),
  free(
    'headers that drip',
    drip(100, 'HTTP/1.1 200 OK\r\n', Array<string>(60).fill('x')),
    TIMED_OUT,
  ),
  free('a body that stops', bytes(head(200, BEYOND), GOOD), TIMED_OUT),
  free(
    'a length as a trailer',
    bytes(head(200, CHUNKED), chunkOf(GOOD), '0\r\ncontent-length: 1\r\n\r\n'),
    MALFORMED,
  ),
  row('an end by close', bytesAndEnd(head(200, { connection: 'close' }), GOOD), '200', STATED),
  row('trailers', bytes(head(200, CHUNKED), chunkOf(GOOD), '0\r\nx: y\r\n\r\n'), '200', STATED),
  row(
    'bytes after the end',
    bytes(head(200, LENGTH), `${GOOD}HTTP/1.1 500 No\r\n\r\n`),
    '200',
    STATED,
  ),
  row('a reset after the end', bytesAndReset(head(200, LENGTH), GOOD), '200', STATED),
];
