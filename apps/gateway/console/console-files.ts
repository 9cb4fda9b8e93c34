import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The build writes them beside the programs. */
const FOLDER = path.resolve(import.meta.dirname, '../../../../bundle/console');
const PAGE = 'index.html';
/** With the hash of the content, so nothing else is served. */
const ASSET = /^[A-Za-z][\w.-]*-[\w-]{8}\.(css|js|svg)$/;

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

export interface ConsoleFile {
  readonly type: string;
  readonly content: Buffer;
  readonly zipped: Buffer;
}

const compress = promisify(gzip);

const assets = new Map<string, ConsoleFile>();

const read = async (name: string): Promise<ConsoleFile> => {
  const content = await readFile(path.join(FOLDER, name));
  const type = TYPES[path.extname(name).slice(1)] ?? 'application/octet-stream';
  return { type, content, zipped: await compress(content) };
};

/** The page, as the last build wrote it: its assets may have other names than at the start. */
export const consolePage = (): Promise<ConsoleFile> => read(PAGE);

/** An asset, which is kept in memory; undefined for a name that the build did not write. */
export const consoleAsset = async (name: string): Promise<ConsoleFile | undefined> => {
  const known = assets.get(name);
  if (known || !ASSET.test(name)) return known;
  const found = await read(path.join('assets', name)).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found) assets.set(name, found);
  return found;
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
