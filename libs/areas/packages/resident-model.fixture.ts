import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type ResidentModel } from './resident-models.port.js';

const NANO = path.resolve(import.meta.dirname, '../../../models/nano.gguf');

/** The smallest model that ships. */
export const NANO_MODEL: ResidentModel = {
  modelId: 'quipu/nano',
  kind: 'chat',
  file: NANO,
  fileName: 'model.gguf',
  bytes: statSync(NANO).size,
  sha256: createHash('sha256').update(readFileSync(NANO)).digest('hex'),
  architecture: 'llama',
  contextTokens: 1_024,
  maxOutputTokens: 256,
  dimensions: null,
  card: '# Nano\n',
  licence: { spdxId: 'Apache-2.0', text: 'Apache License\n' },
  isOwned: false,
};

export const VERIFIERS = { module: 'verify();\n', script: 'verify\n' };
