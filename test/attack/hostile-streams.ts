import {
  chunksOf,
  deltaOf,
  DONE,
  eventOf,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { free, type Row, row, STATED } from './hostile-answers.js';
import {
  answer,
  type Behaviour,
  bytesAndEnd,
  bytesAndReset,
  drip,
  stream,
  STREAM_HEAD,
} from './hostile-upstream.js';

/** The bytes of the prompt at 8 a token, and a token for each delta. */
const counted = (deltas: number): number => 3 + 2 * deltas;

const MALFORMED = '502 upstream_malformed';
const DONE_SEEN = '200 done';
const BROKE_OFF = '200 upstream_broke_off';
const MALFORMED_LATER = '200 upstream_malformed';

const CHUNKS = chunksOf('Knots', ' hold', '.').map(eventOf);
const DELTAS = CHUNKS.slice(0, -1);
const USAGE = eventOf(usageChunkOf(statement(9, 3)));
const GOOD = [...CHUNKS, USAGE, DONE];
const whole = GOOD.join('');

const withUsage = (usage: unknown): Behaviour =>
  stream(...CHUNKS, eventOf(usageChunkOf(usage)), DONE);
const withChunk = (chunk: string): Behaviour => stream(...DELTAS, `data: ${chunk}\n\n`, DONE);

const BYTE_BY_BYTE = [...Buffer.from(whole)].map((byte) => Buffer.of(byte));
const MEBIBYTE = 'x'.repeat(1024 * 1024);

export const FRAMINGS: readonly Row[] = [
  row('lines that end in CR', stream(whole.replaceAll('\n', '\r')), DONE_SEEN, STATED),
  row('lines that end in CRLF', stream(whole.replaceAll('\n', '\r\n')), DONE_SEEN, STATED),
  row('a byte at a time', stream(...BYTE_BY_BYTE), DONE_SEEN, STATED),
  row('data: without a space', stream(whole.replaceAll('data: ', 'data:')), DONE_SEEN, STATED),
  row('a byte order mark', stream(`\ufeff${whole}`), DONE_SEEN, STATED),
  row('other fields', stream(`id: 1\nevent: x\nretry: 0\nknots\n${whole}`), DONE_SEEN, STATED),
  row('comments', stream(`: ping\n\n:\n\n${whole}`), DONE_SEEN, STATED),
  free('comments only', stream(': ping\n\n'.repeat(1_000)), MALFORMED),
  free('no events', stream(), MALFORMED),
  free('[DONE] only', stream(DONE), MALFORMED),
  free('JSON instead', answer(200, '{"choices":[]}'), MALFORMED),
  free('a page instead', answer(200, '<html></html>', { 'content-type': 'text/html' }), MALFORMED),
  free('lines without a field', stream(whole.replaceAll('data: ', '')), MALFORMED),
  row('no [DONE]', stream(...CHUNKS, USAGE), DONE_SEEN, STATED),
  row('[DONE] twice', stream(...GOOD, DONE), DONE_SEEN, STATED),
  row('chunks after [DONE]', stream(...GOOD, ...DELTAS), DONE_SEEN, STATED),
  row(
    '[DONE] without its empty line',
    stream(...GOOD.slice(0, -1), 'data: [DONE]'),
    DONE_SEEN,
    STATED,
  ),
  row('no finish reason and no [DONE]', stream(...DELTAS), BROKE_OFF, counted(3)),
  free('an event of 33 MiB', stream('data: ', ...Array<string>(33).fill(MEBIBYTE)), MALFORMED),
  row(
    'an event of 33 MiB, later',
    stream(...DELTAS, 'data: ', ...Array<string>(33).fill(MEBIBYTE)),
    MALFORMED_LATER,
    counted(3),
  ),
];

export const CHUNKS_OF_STREAMS: readonly Row[] = [
  row('truncated JSON', withChunk('{"choices":'), MALFORMED_LATER, counted(3)),
  row('null', withChunk('null'), MALFORMED_LATER, counted(3)),
  row('an array', withChunk('[]'), MALFORMED_LATER, counted(3)),
  row('choices: null', withChunk('{"choices":null}'), MALFORMED_LATER, counted(3)),
  row(
    'a nesting of 10,000',
    withChunk(`{"choices":[${'['.repeat(1e4)}${']'.repeat(1e4)}]}`),
    MALFORMED_LATER,
    counted(3),
  ),
  row('choices: [null]', withChunk('{"choices":[null]}'), DONE_SEEN, counted(3)),
  row('a delta of null', withChunk('{"choices":[{"delta":null}]}'), DONE_SEEN, counted(3)),
  row('a delta that is text', withChunk('{"choices":[{"delta":"x"}]}'), DONE_SEEN, counted(3)),
  row(
    'content that is an object',
    withChunk('{"choices":[{"delta":{"content":{"a":1}}}]}'),
    DONE_SEEN,
    counted(4),
  ),
  row(
    'other ids',
    stream(...GOOD.map((text) => text.replace('chatcmpl-1', '../../x'))),
    DONE_SEEN,
    STATED,
  ),
  row(
    'invalid UTF-8',
    stream(Buffer.from(whole.replace('Knots', '\xff\xfe'), 'latin1')),
    DONE_SEEN,
    STATED,
  ),
  row('an error later', withChunk('{"error":{"message":"no"}}'), BROKE_OFF, counted(3)),
  free(
    'an error first',
    stream('data: {"error":{"code":400,"message":"no"}}\n\n'),
    '400 upstream_refused',
  ),
  free('an error of text', stream('data: {"error":"no"}\n\n'), '502 upstream_failed'),
  row('no usage', stream(...CHUNKS, DONE), DONE_SEEN, counted(3)),
  row('negative usage', withUsage(statement(-1, -1)), DONE_SEEN, counted(3)),
  row('usage beyond number', withUsage(statement(1e300, 1e300)), DONE_SEEN, counted(3)),
  row('usage of zero', withUsage(statement(0, 0)), DONE_SEEN, 0),
  row(
    'usage twice',
    stream(...CHUNKS, USAGE, eventOf(usageChunkOf(statement(9, 2))), DONE),
    DONE_SEEN,
    13,
  ),
  row('usage first', stream(USAGE, ...CHUNKS, DONE), DONE_SEEN, STATED + 2 * 3),
  row(
    'an answer without text',
    stream(eventOf(deltaOf({}, 'stop')), USAGE, DONE),
    DONE_SEEN,
    STATED,
  ),
];

/** undici takes a reset for the end, where the answer ends with its connection. */
export const ENDS_OF_STREAMS: readonly Row[] = [
  row('a close in the middle', bytesAndEnd(STREAM_HEAD, ...DELTAS), BROKE_OFF, counted(3)),
  row('a reset in the middle', bytesAndReset(STREAM_HEAD, ...DELTAS), BROKE_OFF, counted(3)),
  row(
    'half an event, and a reset',
    bytesAndReset(STREAM_HEAD, ...DELTAS, 'data: {"cho'),
    MALFORMED_LATER,
    counted(3),
  ),
  row(
    'half an event, and a close',
    bytesAndEnd(STREAM_HEAD, ...DELTAS, 'data: {"cho'),
    MALFORMED_LATER,
    counted(3),
  ),
  free('a reset before the first event', bytesAndReset(STREAM_HEAD), MALFORMED),
  free('silence before the first event', drip(20_000, STREAM_HEAD, ['']), '504 upstream_timed_out'),
  row(
    'silence in the middle',
    drip(20_000, STREAM_HEAD + DELTAS.join(''), ['']),
    '200 upstream_timed_out',
    counted(3),
  ),
  row('a slow drip', drip(50, STREAM_HEAD, GOOD), DONE_SEEN, STATED),
  row('no end after [DONE]', drip(20_000, STREAM_HEAD + whole, ['']), DONE_SEEN, STATED),
];
