import path from 'node:path';
import { scriptedCatalog } from './quipu.harness.js';

const DRAFT = path.resolve(import.meta.dirname, '../../models/mini-draft.gguf');

/** Two models of one vocabulary, and one of an upstream; a millisecond costs a micro-dollar. */
export const trainingCatalogOf =
  (folder: string) =>
  (baseUrl: string): string =>
    `${scriptedCatalog(baseUrl).replace(
      'models:',
      `  - { name: built-in, kind: embedded }
models:
  - { id: quipu/draft, owned_by: quipu, rigs: [built-in], file: ${DRAFT},
      context: 128, max_output: 16, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: acme/teacher, owned_by: acme, rigs: [built-in], file: ${folder}/teacher.gguf,
      context: 128, max_output: 16, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: acme/student, owned_by: acme, rigs: [built-in], file: ${folder}/student.gguf,
      context: 128, max_output: 16, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }`,
    )}
meters:
  - { meter: training_ms, usd: 1, per: 1000000 }
`;
