import { type MicroUsd } from '#platform/kernel/money.js';

/** What a million tokens cost. */
export interface Price {
  readonly inputMicroUsdPerMtok: MicroUsd;
  readonly outputMicroUsdPerMtok: MicroUsd;
}

interface AnyRig {
  readonly name: string;
  /** Requests at a time; more wait or go elsewhere. */
  readonly maxConcurrency: number;
  /** What an hour of it costs when it is rented whole; null: not for rent. */
  readonly microUsdPerHour: MicroUsd | null;
}

/** An OpenAI-compatible server. */
export interface OpenAiRigEntry extends AnyRig {
  readonly kind: 'openai';
  /** With the version in it and no slash at the end, `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** The environment variable that holds the key; null: the upstream wants none. */
  readonly apiKeyEnv: string | null;
  readonly connectTimeoutMs: number;
  /** From the request to the first byte. */
  readonly answerTimeoutMs: number;
  /** Between two bytes of an answer. */
  readonly idleTimeoutMs: number;
}

/** The engine in this process. */
export interface EmbeddedRigEntry extends AnyRig {
  readonly kind: 'embedded';
}

export type CatalogRig = OpenAiRigEntry | EmbeddedRigEntry;

/** A model as the catalog file states it. */
export interface ModelEntry {
  /** What callers ask for. */
  readonly id: string;
  /** What the rig is asked for. */
  readonly upstreamId: string;
  readonly ownedBy: string;
  /** Names of rigs, at least one. */
  readonly rigs: readonly string[];
  /** Prompt and answer together. */
  readonly contextTokens: number;
  /** The bound of an answer whose caller gave none; never above `contextTokens`. */
  readonly maxOutputTokens: number;
  readonly price: Price;
  /** The GGUF file's absolute path for embedded rigs; null when no rig of the model is embedded. */
  readonly file: string | null;
  /** Seconds since the Unix epoch; null: when it was first priced. */
  readonly createdEpochSeconds: number | null;
}

/** A model that is served. */
export interface CatalogModel extends ModelEntry {
  readonly createdEpochSeconds: number;
}

/** Terms for the GGUF files found in the folder of local models. */
export interface LocalModelTerms {
  readonly ownedBy: string;
  readonly price: Price;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
}

/** One reading of the catalog file. */
export interface CatalogFile {
  readonly rigs: readonly CatalogRig[];
  readonly models: readonly ModelEntry[];
  readonly localModels: LocalModelTerms;
}
