import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { type ServerFeature } from '#platform/chats/server-features.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { type RigModelEntry } from './rig-model.schema.js';

/** The price of `perUnits` units of a meter. */
export interface MeterPriceEntry {
  readonly meter: string;
  readonly perUnits: number;
  readonly price: MicroUsd;
}

interface AnyRig {
  readonly name: string;
  /** Concurrent requests; more wait or go to another rig. */
  readonly maxConcurrency: number;
  /** The price of an hour of the whole rig; null: not for rent. */
  readonly microUsdPerHour: MicroUsd | null;
  /** Null: in no region, near to every gateway. */
  readonly region: string | null;
  /** Its models with terms of their own on this rig. */
  readonly models: readonly RigModelEntry[];
}

/** Servers whose operator's fields are known. */
export const SERVER_KINDS = ['vllm', 'sglang', 'llama.cpp', 'ollama', 'openai'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

/** An OpenAI-compatible server. */
export interface OpenAiRigEntry extends AnyRig {
  readonly kind: 'openai';
  /** With the version in it and no slash at the end, `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** What the server is; null: any server that speaks the protocol. */
  readonly server: ServerKind | null;
  /** Fields of requests that belong to the operator and that this rig leaves to callers. */
  readonly allowedFields: readonly string[];
  /** What the server does beyond text; null: everything. */
  readonly features: readonly ServerFeature[] | null;
  /** Whether the server may be given URLs of hosts that are not public. */
  readonly allowsPrivateUrls: boolean;
  /** The environment variable that holds the key; null: the upstream needs none. */
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

/** `chat`: answers messages. `embedding`: turns texts into vectors. */
export const MODEL_KINDS = ['chat', 'embedding'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** A model as the catalog file states it. */
export interface ModelEntry {
  /** The id in a caller's request. */
  readonly id: string;
  /** The id in the request to the rig. */
  readonly upstreamId: string;
  readonly ownedBy: string;
  readonly kind: ModelKind;
  /** Of the vectors of an embedding model; null for others, and where only the rig knows. */
  readonly dimensions: number | null;
  /** Names of rigs, at least one. */
  readonly rigs: readonly string[];
  /** Prompt and answer together. */
  readonly contextTokens: number;
  /** Used when the caller gives no bound; never above `contextTokens`; 0 for embeddings. */
  readonly maxOutputTokens: number;
  readonly price: TokenPrice;
  /** Absolute path of the model's file for embedded rigs; null when none of its rigs is one. */
  readonly file: string | null;
  /** The id of the model that drafts for it in speculative decoding; null: none does. */
  readonly draft: string | null;
  /** Whether a caller that leaves a request which its rig has accepted pays for the prompt. */
  readonly chargesCancelled: boolean;
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
  readonly price: TokenPrice;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly chargesCancelled: boolean;
}

/** One reading of the catalog file. */
export interface CatalogFile {
  readonly rigs: readonly CatalogRig[];
  readonly models: readonly ModelEntry[];
  readonly localModels: LocalModelTerms;
  readonly meters: readonly MeterPriceEntry[];
  /** 0 to 100: how much less a line of a batch costs. */
  readonly batchDiscountPercent: number;
}
