import { access, glob, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Where the documents of a folder are in the reference. */
const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^libs\/areas\/([^/]+)\/README\.md$/, 'areas/$1'],
  [/^libs\/areas\/([^/]+)\/([^/]+)\/README\.md$/, 'areas/$1-$2'],
  [/^libs\/areas\/([^/]+)\/(?:.+\/)?decisions\/(.+)\.md$/, 'decisions/areas-$1-$2'],
  [/^libs\/platform\/([^/]+)\/README\.md$/, 'platform/$1'],
  [/^libs\/platform\/([^/]+)\/(?:.+\/)?decisions\/(.+)\.md$/, 'decisions/platform-$1-$2'],
  [/^apps\/([^/]+)\/README\.md$/, 'apps/$1'],
  [/^apps\/([^/]+)\/decisions\/(.+)\.md$/, 'decisions/apps-$1-$2'],
  [/^apps\/gateway\/([^/]+)\/README\.md$/, 'apps/gateway-$1'],
  [/^packages\/([^/]+)\/README\.md$/, 'packages/$1'],
  [/^docker\/README\.md$/, 'operations'],
  [/^SETTINGS\.md$/, 'settings'],
];

const SOURCES = [
  'libs/areas/**/README.md',
  'libs/areas/**/decisions/*.md',
  'libs/platform/*/README.md',
  'libs/platform/**/decisions/*.md',
  'apps/*/README.md',
  'apps/*/decisions/*.md',
  'apps/gateway/*/README.md',
  'packages/*/README.md',
  'docker/README.md',
  'SETTINGS.md',
];

const LINK = /\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/g;

const placeOf = (file: string): string | undefined => {
  const place = PLACES.find(([pattern]) => pattern.test(file));
  return place && file.replace(...place);
};

/**
 * The READMEs and decisions of the repository as pages, by their place in the reference. A link to
 * a document that is a page leads to the page; of another link to a file the text stays.
 */
export const readmePages = async (base: string): Promise<ReadonlyMap<string, string>> => {
  const pages = new Map<string, string>();
  for await (const file of glob([...SOURCES])) {
    const place = placeOf(file);
    if (place === undefined) continue;
    const text = await readFile(file, 'utf8');
    pages.set(place, `${await relinked(text, file, base)}\n\nSource: \`${file}\`.\n`);
  }
  return pages;
};

const relinked = async (text: string, file: string, base: string): Promise<string> => {
  const links = await Promise.all(
    [...text.matchAll(LINK)].map(async ([whole, label = '', target = '']) => {
      if (/^[a-z]+:/.test(target) || target.startsWith('#')) return whole;
      const [aim = '', anchor] = target.split('#', 2);
      const page = await pageOf(path.posix.join(path.posix.dirname(file), aim));
      if (page === undefined) return label;
      return `[${label}](${base}/${page}${anchor === undefined ? '' : `#${anchor}`})`;
    }),
  );
  return text.replaceAll(LINK, () => links.shift() ?? '').replaceAll('{{', '&#123;&#123;');
};

/** Of a document, or of the README of a folder. */
const pageOf = async (target: string): Promise<string | undefined> => {
  const files = target.endsWith('.md') ? [target] : [path.posix.join(target, 'README.md')];
  const [file = ''] = files;
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  return exists ? placeOf(file) : undefined;
};
