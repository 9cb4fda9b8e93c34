import { z } from 'zod';
import { MarkingWord } from '#events/vaults/vault.events.js';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';
import { type MarkingWords } from './marking.js';

export interface VaultSettings {
  readonly words: MarkingWords;
  /** The embedding model of a vault that names none. */
  readonly model: string;
  readonly vaultsMax: number;
  /** Of a vault, among the documents that the caller may see. */
  readonly documentsMax: number;
  readonly chunksMax: number;
  /** The largest part of a vault that gets no graph. */
  readonly exactRowsMax: number;
  /** Of the vectors that this process has in memory. */
  readonly memoryBytesMax: number;
  /** Vectors that no search has used for this time leave the memory. */
  readonly idleMs: number;
  /** The longest a search or an ingest may take. */
  readonly requestMsMax: number;
}

export const VAULT_SETTINGS = Symbol('VaultSettings');

const LEVELS = 'UNCLASSIFIED,CONFIDENTIAL,SECRET,TOP_SECRET';
const WORDS_MAX = 64;
const MODEL = 'quipu-embed-768';
const DOCUMENTS_MAX = 10_000;
const EXACT_ROWS_MAX = 50_000;
const IDLE_MS = 600_000;
const REQUEST_MS_MAX = 120_000;

const wordsOf = (text: string): readonly string[] =>
  text === '' ? [] : text.split(',').map((word) => word.trim());

const Words = (least: number) =>
  z
    .string()
    .transform(wordsOf)
    .refine(
      (words) =>
        words.length >= least &&
        words.length <= WORDS_MAX &&
        new Set(words).size === words.length &&
        words.every((word) => MarkingWord.safeParse(word).success),
      `expected ${least} to ${WORDS_MAX} different words of A-Z 0-9 _ -, with commas between them`,
    );

export const vaultSettings = defineSettings({
  token: VAULT_SETTINGS,
  variables: {
    QUIPU_VAULT_LEVELS: variable(
      Words(1).prefault(LEVELS),
      'the levels of markings, the lowest first',
      `\`${LEVELS}\``,
    ),
    QUIPU_VAULT_COMPARTMENTS: variable(
      Words(0).prefault(''),
      'the compartments of markings, with commas between them',
      'none',
    ),
    QUIPU_VAULTS: variable(wholeNumber(1, 10_000).default(100), 'vaults of an account'),
    QUIPU_VAULT_CHUNKS: variable(
      wholeNumber(1, 1_000_000).default(100_000),
      'chunks of a vault that one caller may see',
    ),
    QUIPU_VAULT_MEMORY_MB: variable(
      wholeNumber(16, 1_048_576).default(1_024),
      'vectors of vaults in the memory of a process, in MiB',
    ),
  },
  read: (values): VaultSettings => ({
    words: { levels: values.QUIPU_VAULT_LEVELS, compartments: values.QUIPU_VAULT_COMPARTMENTS },
    model: MODEL,
    vaultsMax: values.QUIPU_VAULTS,
    documentsMax: DOCUMENTS_MAX,
    chunksMax: values.QUIPU_VAULT_CHUNKS,
    exactRowsMax: EXACT_ROWS_MAX,
    memoryBytesMax: values.QUIPU_VAULT_MEMORY_MB * 1_048_576,
    idleMs: IDLE_MS,
    requestMsMax: REQUEST_MS_MAX,
  }),
});
