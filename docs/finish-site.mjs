/**
 * Compresses every file of the built site, so that a gateway does not. Fails for a link to a
 * heading that its page does not have.
 */
import { copyFileSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const SITE = 'dist';
const BASE = '/docs/guide/';

const pages = new Map(
  globSync('**/*.html', { cwd: SITE }).map((file) => [
    file.replace(/(^|\/)index\.html$|\.html$/, ''),
    readFileSync(path.join(SITE, file), 'utf8'),
  ]),
);
const anchors = new Map(
  [...pages].map(([page, html]) => [
    page,
    new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)),
  ]),
);

const faults = new Set();
let links = 0;
for (const [page, html] of pages) {
  for (const [, target] of html.matchAll(/ href="([^"]*#[^"]+)"/g)) {
    const { pathname, hash, host } = new URL(target, `http://site${BASE}${page}`);
    if (host !== 'site') continue;
    links += 1;
    const aim = pathname.slice(BASE.length);
    const id = decodeURIComponent(hash.slice(1));
    if (anchors.get(aim)?.has(id) !== true) faults.add(`${page}: ${target}`);
  }
}
if (faults.size > 0) {
  console.error(`links to headings that are missing:\n${[...faults].join('\n')}`);
  process.exitCode = 1;
} else {
  console.log(`${pages.size} pages, ${links} links to headings`);
}

copyFileSync('../apps/console/icon.svg', path.join(SITE, 'icon.svg'));
for (const file of globSync('**/*', { cwd: SITE })) {
  const place = path.join(SITE, file);
  if (statSync(place).isFile()) writeFileSync(`${place}.gz`, gzipSync(readFileSync(place)));
}
