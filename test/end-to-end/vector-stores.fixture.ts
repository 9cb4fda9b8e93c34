import path from 'node:path';
import { type OpenAI, toFile } from 'openai';
import { scriptedCatalog } from './quipu.harness.js';

const EMBEDDINGS = path.resolve(
  import.meta.dirname,
  '../../models/embeddings/quipu-embed-768/model.safetensors',
);

/** A token and a vector cost a micro-dollar, and so do a thousand bytes. */
export const vectorCatalog = (baseUrl: string): string =>
  `${scriptedCatalog(baseUrl)}
  - { id: quipu-embed-768, kind: embedding, owned_by: quipu, rigs: [built-in], dimensions: 768,
      context: 8192, file: ${EMBEDDINGS}, price: { input_usd_per_mtok: 1 } }
meters:
  - { meter: vault_vectors, usd: 1, per: 1000000 }
  - { meter: vault_bytes, usd: 1, per: 1000000000 }
`.replace('rigs:', 'rigs:\n  - { name: built-in, kind: embedded }');

export const CONTRACT = 'The contract of March is signed by the harbour master.';
export const KNOTS = 'Knots hold a rope to a post. A bowline does not slip.';

export const uploadText = async (openai: OpenAI, name: string, content: string | Buffer) =>
  openai.files.create({ file: await toFile(Buffer.from(content), name), purpose: 'assistants' });
