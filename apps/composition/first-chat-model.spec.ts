import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { CATALOG_SETTINGS } from '#areas/catalog/catalog.settings.js';
import { firstChatModel } from './first-chat-model.js';

const embedding = `
  - { id: quipu-embed-768, kind: embedding, owned_by: quipu, rigs: [built-in], file: e.safetensors,
      dimensions: 768, context: 8192, price: { input_usd_per_mtok: 0.01 } }`;
const chat = `
  - { id: acme/large, owned_by: acme, rigs: [built-in], file: large.gguf, context: 1024,
      max_output: 256, price: { input_usd_per_mtok: 0.05, output_usd_per_mtok: 0.1 } }`;

it.each([
  [`${embedding}${chat}`, 'acme/large'],
  [embedding, null],
])('the first model of a catalog that answers chats (%#)', async (models, expected) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-catalog-'));
  const catalogFile = path.join(folder, 'catalog.yaml');
  await writeFile(catalogFile, `rigs:\n  - { name: built-in, kind: embedded }\nmodels:${models}\n`);
  const ofAreas = new Map([[CATALOG_SETTINGS, { catalogFile }]]);
  expect(await firstChatModel({ ofAreas })).toBe(expected);
  await rm(folder, { recursive: true });
});
