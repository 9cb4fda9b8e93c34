/**
 * Writes the settings that the platform and the areas declare into SETTINGS.md, docker/example.env
 * and the schemas of quipu.yaml and of the Helm chart, from the root of the repository:
 * `npm run settings`.
 */
import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { areas } from '#apps/composition/areas.js';
import { variablesOf } from '#apps/composition/settings.js';
import {
  configSchema,
  withChartSettings,
  withSettingsList,
  withSettingsTable,
} from './settings-docs.js';

const SCHEMA = 'schemas/quipu.yaml.schema.json';
const CHART = 'helm/quipu/values.schema.json';

const variables = variablesOf(areas);
const rewrite = async (file: string, change: (text: string) => string): Promise<void> =>
  writeFile(file, change(await readFile(file, 'utf8')));

await rewrite('SETTINGS.md', (text) => withSettingsTable(text, variables));
await rewrite('docker/example.env', (text) => withSettingsList(text, variables));
const style = await resolveConfig(SCHEMA);
const write = async (file: string, schema: object): Promise<void> =>
  writeFile(file, await format(JSON.stringify(schema), { ...style, filepath: file }));
await write(SCHEMA, configSchema(variables));
const chart = JSON.parse(await readFile(CHART, 'utf8')) as Parameters<typeof withChartSettings>[0];
await write(CHART, withChartSettings(chart, variables));
const documents = 'SETTINGS.md, docker/example.env, the schemas of quipu.yaml and of the chart';
console.log(`${Object.keys(variables).length} settings in ${documents}`);
