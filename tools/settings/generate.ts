/**
 * Writes the settings that the platform and the areas declare into SETTINGS.md and
 * docker/example.env, from the root of the repository: `npm run settings`.
 */
import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { areas } from '#apps/composition/areas.js';
import { variablesOf } from '#apps/composition/settings.js';
import { withSettingsList, withSettingsTable } from './settings-docs.js';

const variables = variablesOf(areas);
const rewrite = async (file: string, change: (text: string) => string): Promise<void> =>
  writeFile(file, change(await readFile(file, 'utf8')));

await rewrite('SETTINGS.md', (text) => withSettingsTable(text, variables));
await rewrite('docker/example.env', (text) => withSettingsList(text, variables));
console.log(`${Object.keys(variables).length} settings in SETTINGS.md and docker/example.env`);
