import { hash } from 'node:crypto';
import { NoteSigner } from '#platform/audit/signed-note.js';
import { type Secrets } from '#platform/secrets/secrets.js';

const PURPOSE = 'audit-checkpoints';
const DIGITS = 16;

/** The name of a log whose settings give it none: of its key, so that no two logs share it. */
const nameOf = (seed: Buffer): string => {
  const { publicKey } = new NoteSigner('quipu.local', seed).key;
  const key = publicKey.export({ format: 'der', type: 'spki' });
  return `quipu.local/${hash('sha256', key).slice(0, DIGITS)}`;
};

/** Signs the checkpoints of this installation. Its key is derived from the master key. */
export const logSignerOf = (secrets: Pick<Secrets, 'key'>, origin: string | null): NoteSigner => {
  const seed = secrets.key(PURPOSE);
  return new NoteSigner(origin ?? nameOf(seed), seed);
};
