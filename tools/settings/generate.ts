/**
 * Writes the settings that the platform and the areas declare into SETTINGS.md, docker/example.env
 * and the schema of quipu.yaml, from the root of the repository: `npm run settings`.
 */
import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { areas } from '#apps/composition/areas.js';
import { variablesOf } from '#apps/composition/settings.js';
import { configSchema, withSettingsList, withSettingsTable } from './settings-docs.js';

const SCHEMA = 'schemas/quipu.yaml.schema.json';

const variables = variablesOf(areas);
const rewrite = async (file: string, change: (text: string) => string): Promise<void> =>
  writeFile(file, change(await readFile(file, 'utf8')));

await rewrite('SETTINGS.md', (text) => withSettingsTable(text, variables));
await rewrite('docker/example.env', (text) => withSettingsList(text, variables));
const style = await resolveConfig(SCHEMA);
const schema = JSON.stringify(configSchema(variables));
await writeFile(SCHEMA, await format(schema, { ...style, filepath: SCHEMA }));
console.log(
  `${Object.keys(variables).length} settings in SETTINGS.md, docker/example.env and the schema`,
);
