import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { type MediaRule } from '#platform/chats/media/media-rules.js';
import { type ServerFeature } from '#platform/chats/server-features.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { type CostField } from './rig-model-cost.schema.js';

/** The price of `perUnits` units of a meter. */
export interface MeterPriceEntry {
  readonly meter: string;
  readonly perUnits: number;
  readonly price: MicroUsd;
}

/** Formats of weights, as callers name them in `provider.quantizations`. */
export const QUANTIZATIONS = [
  'int4',
  'int8',
  'fp4',
  'fp6',
  'fp8',
  'fp16',
  'bf16',
  'fp32',
  'unknown',
] as const;
export type Quantization = (typeof QUANTIZATIONS)[number];

/** When a rig that fails is left alone, and for how long; an absent value is the router's. */
export interface BreakerTerms {
  readonly failuresToOpen?: number;
  readonly openMs?: number;
  readonly openMsMax?: number;
}

/** How often one request asks a rig, and how long it waits; an absent value is the router's. */
export interface RetryTerms {
  readonly attemptsMax?: number;
  readonly backOffMs?: number;
  readonly backOffMsMax?: number;
  readonly retryAfterMsMax?: number;
}

/** The fields of every rig. */
export interface AnyRigEntry {
  readonly name: string;
  /** The name by which callers prefer or avoid it, beside its own; null: its own only. */
  readonly provider: string | null;
  /** Whether it may keep what callers send. */
  readonly collectsData: boolean;
  readonly breaker: BreakerTerms;
  readonly retries: RetryTerms;
  /** Concurrent requests; more wait or go to another rig. */
  readonly maxConcurrency: number;
  /** The price of an hour of the whole rig; null: not for rent. */
  readonly microUsdPerHour: MicroUsd | null;
  /** Null: in no region, near to every gateway. */
  readonly region: string | null;
}

/** Servers whose operator's fields are known. */
export const SERVER_KINDS = ['vllm', 'sglang', 'llama.cpp', 'ollama', 'openai'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

/** Where a secret is: in an environment variable, or in a file with nothing else. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** A model as one rig has it. */
export interface RigModelEntry {
  readonly id: string;
  /** The rig's name for the model. */
  readonly upstreamId: string;
  /** The share of the model's requests that this rig is to have, beside the other rigs. */
  readonly weight: number;
  /** Whether the interface's temperature and a bound are sent where the caller sets none. */
  readonly sendsDefaults: boolean;
  readonly quantization: Quantization;
}

/** A server of a provider, in any protocol. */
export interface AnyServerEntry extends AnyRigEntry {
  /** With the version in it and no slash at the end, `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** In the order of preference; empty: the server needs none. */
  readonly keys: readonly SecretSource[];
  /** Sent with every request, and never logged; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of requests that belong to the operator and that this rig leaves to callers. */
  readonly allowedFields: readonly string[];
  /** The server's features beyond text; null: all. */
  readonly features: readonly ServerFeature[] | null;
  /** Whether the server may be given URLs of hosts that are not public. */
  readonly allowsPrivateUrls: boolean;
  readonly connectTimeoutMs: number;
  /** From the request to the first byte. */
  readonly answerTimeoutMs: number;
  /** Between two bytes of an answer. */
  readonly idleTimeoutMs: number;
  /** Where the rig's terms for a model differ from the model's own. */
  readonly models: readonly RigModelTerms[];
}

/** As written. A null `upstreamId`, `sendsDefaults` or `quantization`: the model's own value. */
export interface RigModelTerms {
  readonly id: string;
  readonly upstreamId: string | null;
  readonly weight: number;
  readonly sendsDefaults: boolean | null;
  readonly quantization: Quantization | null;
  /** The purchase price; null: unknown. */
  readonly cost: TokenPrice | null;
  /** The field in which the rig states its cost; null: it states none. */
  readonly costField: CostField | null;
}

/** An OpenAI-compatible server. */
export interface OpenAiRigEntry extends AnyServerEntry {
  readonly kind: 'openai';
  /** The software of the server; null: any server that speaks the protocol. */
  readonly server: ServerKind | null;
  /** Whether it takes requests of the Responses API. */
  readonly hasResponses: boolean;
}

/** Anthropic's Messages, of Anthropic or of a server that speaks them. */
export interface AnthropicRigEntry extends AnyServerEntry {
  readonly kind: 'anthropic';
}

/** A token of Microsoft Entra by client credentials. */
export interface EntraEntry {
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: SecretSource;
  readonly scope: string;
  /** Of the service that issues tokens. */
  readonly authority: string;
}

/** Deployments of Azure OpenAI: the deployment of a model is its upstream id. */
export interface AzureOpenAiRigEntry extends AnyServerEntry {
  readonly kind: 'azure-openai';
  readonly apiVersion: string;
  /** Null: the keys authorize. */
  readonly entra: EntraEntry | null;
}

/** The Gemini API. */
export interface GeminiRigEntry extends AnyServerEntry {
  readonly kind: 'gemini';
}

/** Gemini on Vertex AI. Each key is the JSON of a service account's key. */
export interface VertexRigEntry extends AnyServerEntry {
  readonly kind: 'vertex';
  readonly project: string;
  readonly location: string;
}

/** The keys of one identity of AWS. */
export interface AwsIdentityEntry {
  readonly accessKeyId: SecretSource;
  readonly secretAccessKey: SecretSource;
  /** Null: the identity is no temporary one. */
  readonly sessionToken: SecretSource | null;
}

/** Converse of Amazon Bedrock. */
export interface BedrockRigEntry extends AnyServerEntry {
  readonly kind: 'bedrock';
  readonly awsRegion: string;
  /** In the order of preference; empty: the keys authorize. */
  readonly identities: readonly AwsIdentityEntry[];
}

/** The engine in this process. */
export interface EmbeddedRigEntry extends AnyRigEntry {
  readonly kind: 'embedded';
}

export type ServerRigEntry =
  | OpenAiRigEntry
  | AnthropicRigEntry
  | AzureOpenAiRigEntry
  | GeminiRigEntry
  | VertexRigEntry
  | BedrockRigEntry;

export type CatalogRig = ServerRigEntry | EmbeddedRigEntry;

/** The terms of a rig for a model that it serves. */
export const rigModelOf = (rig: CatalogRig, model: ModelEntry): RigModelEntry => {
  const terms = rig.kind === 'embedded' ? [] : rig.models;
  const own = terms.find(({ id }) => id === model.id);
  return {
    id: model.id,
    upstreamId: own?.upstreamId ?? model.upstreamId,
    weight: own?.weight ?? 1,
    sendsDefaults: own?.sendsDefaults ?? model.sendsDefaults,
    quantization: own?.quantization ?? model.quantization,
  };
};

/**
 * `chat`: answers messages. `embedding`: turns texts into vectors. `rerank`: orders documents by
 * their nearness to a query. `moderation`: finds harmful content. Servers do the last two only.
 */
export const MODEL_KINDS = ['chat', 'embedding', 'rerank', 'moderation'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];
/** The kinds of models that embedded rigs serve from files. */
export type FileKind = Extract<ModelKind, 'chat' | 'embedding'>;

/** A model as the catalog file states it. */
export interface ModelEntry {
  /** The id in a caller's request. */
  readonly id: string;
  /** The id in the request to a rig that has no other name for it. */
  readonly upstreamId: string;
  readonly ownedBy: string;
  readonly kind: ModelKind;
  /** Of the vectors of an embedding model; null for others, and where only the rig knows. */
  readonly dimensions: number | null;
  /** Whether the interface's temperature and a bound are sent where the caller sets none. */
  readonly sendsDefaults: boolean;
  readonly quantization: Quantization;
  /** Ids of the models that answer, in this order, where no rig of this one can. */
  readonly fallbacks: readonly string[];
  /** Names of rigs, at least one. */
  readonly rigs: readonly string[];
  /** Prompt and answer together. */
  readonly contextTokens: number;
  /** Used when the caller gives no bound; never above `contextTokens`; 0 without output. */
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
  /** How its rigs count images and audio; absent where one of them has no published rule. */
  readonly mediaRules?: readonly MediaRule[];
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
