import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fieldTable, type Schema } from './field-table.js';

const SCHEMAS = 'schemas';
const EVENT = /^(\w+)\.v(\d+)\.json$/;

/** Event schemas refer to nothing. */
const asItIs = (schema: Schema): Schema => schema;

/** A page for each area, with the events that it writes, by its name. */
export const eventPages = async (): Promise<ReadonlyMap<string, string>> => {
  const entries = await readdir(SCHEMAS, { withFileTypes: true });
  const pages = new Map<string, string>();
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const sections = await sectionsOf(path.join(SCHEMAS, name));
    if (sections.length > 0) pages.set(name, `# Events: ${name}\n\n${sections.join('\n\n')}\n`);
  }
  return pages;
};

const sectionsOf = async (folder: string): Promise<readonly string[]> => {
  const files = (await readdir(folder)).filter((file) => EVENT.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const [, type = '', version = ''] = EVENT.exec(file) ?? [];
      const schema = JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Schema;
      const place = `Version ${version}. JSON Schema: \`${path.join(folder, file)}\`.`;
      return [`## ${type}, version ${version}`, place, fieldTable(schema, asItIs)].join('\n\n');
    }),
  );
};
