import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
};

/** A file for browsers, also compressed. */
export interface ZippedFile {
  readonly type: string;
  readonly content: Buffer;
  readonly zipped: Buffer;
}

/** Of a file whose content its name identifies, so a browser keeps it for good. */
export const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' } as const;

const compress = promisify(gzip);

const typeOf = (file: string): string =>
  TYPES[path.extname(file).slice(1)] ?? 'application/octet-stream';

export const readAndZip = async (file: string): Promise<ZippedFile> => {
  const content = await readFile(file);
  return { type: typeOf(file), content, zipped: await compress(content) };
};

/** Of a file that a build has compressed: it has another one with `.gz` beside it. */
export const readZipped = async (file: string): Promise<ZippedFile> => {
  const [content, zipped] = await Promise.all([readFile(file), readFile(`${file}.gz`)]);
  return { type: typeOf(file), content, zipped };
};

/** Whether a file or folder is not there. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

export const sendZipped = (
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content, zipped }: ZippedFile,
  headers: Readonly<Record<string, string>>,
): void => {
  const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  void reply
    .headers({ ...headers, vary: 'accept-encoding', 'content-type': type })
    .headers(takesGzip ? { 'content-encoding': 'gzip' } : {})
    .send(takesGzip ? zipped : content);
};
