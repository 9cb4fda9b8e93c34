import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface ProofsSettings {
  /** The command line of snarkjs; null: the installed package. */
  readonly snarkjs: string | null;
  /** Between two beginnings of a snapshot of one process. */
  readonly snapshotEveryMs: number;
}

export const PROOFS_SETTINGS = Symbol('ProofsSettings');

export const proofsSettings = defineSettings({
  token: PROOFS_SETTINGS,
  variables: {
    QUIPU_PROOFS_SNARKJS: variable(
      z.string().min(1).optional(),
      'the file `cli.cjs` of snarkjs, which proves the ledger; default: the installed package',
    ),
    QUIPU_PROOFS_SNAPSHOT_SECONDS: variable(
      wholeNumber(1, 86_400).default(60),
      'the least seconds between two proofs of the ledger that this process begins',
    ),
  },
  read: (values): ProofsSettings => ({
    snarkjs: values.QUIPU_PROOFS_SNARKJS ?? null,
    snapshotEveryMs: values.QUIPU_PROOFS_SNAPSHOT_SECONDS * 1_000,
  }),
});
