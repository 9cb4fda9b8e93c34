import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { IMMUTABLE, isMissing, readZipped, sendZipped, type ZippedFile } from '../zipped-file.js';

const BASE = '/docs/guide';
/** `npm run docs` writes it. */
const FOLDER = path.resolve(import.meta.dirname, '../../../../docs/dist');
const NOT_BUILT =
  'The guide is not built. Build it in the folder of Quipu: npm --prefix docs ci && npm run docs\n';
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g;

/** The rule that stops transitions while VitePress changes the theme. */
const THEME_STYLE = "'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='";

/** Inline scripts by their hashes; styles of single elements, which colour the code. */
const policyOf = (html: string): string => {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(([, script = '']) => {
    const digest = createHash('sha256').update(script).digest('base64');
    return `'sha256-${digest}'`;
  });
  return [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(hashes)].join(' '),
    `style-src 'self' ${THEME_STYLE}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
};

/** The files of the last build; only they are served. */
class BuiltGuide {
  #builtAtMs = 0;
  #files: ReadonlySet<string> = new Set();
  readonly #policies = new Map<string, string>();

  constructor(private readonly folder: string) {}

  /** False: the guide is not built. */
  async isBuilt(): Promise<boolean> {
    try {
      const { mtimeMs } = await stat(path.join(this.folder, 'index.html.gz'));
      if (mtimeMs === this.#builtAtMs) return true;
      const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.gz'));
      this.#files = new Set(files.map(({ parentPath, name }) => path.join(parentPath, name)));
      this.#policies.clear();
      this.#builtAtMs = mtimeMs;
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Of a page, also without its extension, or of an asset. */
  find(name: string): string | undefined {
    const file = path.join(this.folder, name === '' ? 'index.html' : name);
    return [file, `${file}.html`].find((one) => this.#files.has(one));
  }

  policyOf(file: string, { content }: ZippedFile): string {
    const policy = this.#policies.get(file) ?? policyOf(content.toString());
    this.#policies.set(file, policy);
    return policy;
  }
}

/** Serves the guide: its pages without `.html`, and their assets. */
export const serveGuide = (fastify: FastifyInstance, folder = FOLDER): void => {
  const guide = new BuiltGuide(folder);
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!(await guide.isBuilt())) {
      return reply.status(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
    }
    const { '*': name = '' } = request.params as { readonly '*'?: string };
    const file = guide.find(name);
    if (file === undefined) {
      reply.callNotFound();
      return reply;
    }
    const zipped = await readZipped(file);
    const headers = file.endsWith('.html')
      ? { 'cache-control': 'no-cache', 'content-security-policy': guide.policyOf(file, zipped) }
      : name.startsWith('assets/')
        ? IMMUTABLE
        : { 'cache-control': 'no-cache' };
    sendZipped(request, reply, zipped, headers);
    return reply;
  };
  fastify.get(BASE, serve);
  fastify.get(`${BASE}/*`, serve);
};
