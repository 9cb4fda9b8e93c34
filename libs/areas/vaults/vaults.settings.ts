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
  /** Vectors that no search has used for so long leave the memory. */
  readonly idleMs: number;
  /** The longest a search or an ingest may take. */
  readonly requestMsMax: number;
}

export const VAULT_SETTINGS = Symbol('VaultSettings');

const LEVELS = 'UNCLASSIFIED,CONFIDENTIAL,SECRET,TOP_SECRET';
const WORDS_MAX = 64;

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
    QUIPU_VAULT_MODEL: variable(
      z.string().min(1).max(256).default('quipu-embed-768'),
      'the embedding model of a vault that names none',
    ),
    QUIPU_VAULTS: variable(wholeNumber(1, 10_000).default(100), 'vaults of an account'),
    QUIPU_VAULT_DOCUMENTS: variable(
      wholeNumber(1, 100_000).default(10_000),
      'documents of a vault, among those that the caller may see',
    ),
    QUIPU_VAULT_CHUNKS: variable(
      wholeNumber(1, 1_000_000).default(100_000),
      'chunks of a vault, among those that the caller may see',
    ),
    QUIPU_VAULT_EXACT_CHUNKS: variable(
      wholeNumber(1_000, 1_000_000).default(50_000),
      'chunks of one marking in a vault above which a graph is built',
    ),
    QUIPU_VAULT_MEMORY_MB: variable(
      wholeNumber(16, 1_048_576).default(1_024),
      'vectors of vaults in the memory of a process, in MiB',
    ),
    QUIPU_VAULT_IDLE_SECONDS: variable(
      wholeNumber(1, 86_400).default(600),
      'how long vectors that no search uses stay in memory',
    ),
    QUIPU_VAULT_REQUEST_SECONDS: variable(
      wholeNumber(1, 3_600).default(120),
      'the longest a search or an ingest may take',
    ),
  },
  read: (values): VaultSettings => ({
    words: { levels: values.QUIPU_VAULT_LEVELS, compartments: values.QUIPU_VAULT_COMPARTMENTS },
    model: values.QUIPU_VAULT_MODEL,
    vaultsMax: values.QUIPU_VAULTS,
    documentsMax: values.QUIPU_VAULT_DOCUMENTS,
    chunksMax: values.QUIPU_VAULT_CHUNKS,
    exactRowsMax: values.QUIPU_VAULT_EXACT_CHUNKS,
    memoryBytesMax: values.QUIPU_VAULT_MEMORY_MB * 1_048_576,
    idleMs: values.QUIPU_VAULT_IDLE_SECONDS * 1_000,
    requestMsMax: values.QUIPU_VAULT_REQUEST_SECONDS * 1_000,
  }),
});
