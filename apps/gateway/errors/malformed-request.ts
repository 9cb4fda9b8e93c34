import { STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import { type FailureDescription } from '#platform/runtime/areas/failure.js';
import { openAiEnvelope } from './envelope.js';
import { failure } from './failure-of.js';

/** An error of Node's HTTP parser. */
export interface ParseError extends Error {
  readonly code?: string;
}

const DESCRIBED: Readonly<Record<string, FailureDescription>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    message: 'the headers are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    message: 'the request took too long to arrive',
  },
};

const MALFORMED: FailureDescription = {
  status: 400,
  code: 'malformed_request',
  message: 'the request is not valid HTTP/1.1',
};

export const describeParseError = ({ code = '' }: ParseError): FailureDescription =>
  DESCRIBED[code] ?? MALFORMED;

/**
 * Answers bytes that are no HTTP request. No route is known, so the envelope is OpenAI's, which
 * most clients expect.
 */
export const rejectMalformed = (
  error: ParseError,
  socket: Socket,
  headers: Readonly<Record<string, string>>,
): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const described = failure(describeParseError(error));
  const body = JSON.stringify(openAiEnvelope(described));
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${described.status} ${STATUS_CODES[described.status] ?? ''}\r\n`;
  socket.end(`${status}${lines.join('')}\r\n${body}`);
};
