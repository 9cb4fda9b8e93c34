/**
 * Writes the reference of the guide to `docs/reference`, from the root of the repository: routes
 * from the OpenAPI document, events from their schemas, the help of commands, and the READMEs.
 */
import 'reflect-metadata';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { servedDocument } from '../openapi/served-document.js';
import { commandPage } from './command-page.js';
import { eventPages } from './event-pages.js';
import { readmePages } from './readme-pages.js';
import { routePages } from './route-pages.js';

const FOLDER = 'docs/reference';

const within = (folder: string, pages: ReadonlyMap<string, string>) =>
  [...pages].map(([name, text]) => [`${folder}/${name}`, text] as const);

const pages = [
  ...within('routes', routePages(await servedDocument())),
  ...within('events', await eventPages()),
  ...(await readmePages('/reference')),
  ['command-line', await commandPage()] as const,
];
await rm(FOLDER, { recursive: true, force: true });
for (const [place, text] of pages) {
  const file = path.join(FOLDER, `${place}.md`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
console.log(`${pages.length} pages in ${FOLDER}`);
