/**
 * Writes the JSON Schemas of all events to `schemas/`, from the root of the repository:
 * `npm run schemas`. Files of older versions are left as they are.
 */
import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { publishers } from '#apps/composition/areas.js';
import { eventSchemas } from '#platform/runtime/areas/event-schemas.js';

const schemas = eventSchemas(publishers);
for (const { file, schema } of schemas) {
  const target = path.resolve('schemas', file);
  const style = await resolveConfig(target);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, await format(JSON.stringify(schema), { ...style, filepath: target }));
}
console.log(`${schemas.length} schemas in ${path.resolve('schemas')}`);
