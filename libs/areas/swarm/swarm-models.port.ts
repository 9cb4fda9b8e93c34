import { type TokenQuantities, type Usage } from '#platform/chats/chat-usage.js';
import { type TariffTerms, type TokenTariff } from '#platform/chats/token-tariff.js';
import { type RigKind } from '#events/rig-kinds.js';

/** A rig of the catalog that serves a model. */
export interface SwarmRig {
  readonly name: string;
  readonly kind: RigKind;
  /** False while its breaker is open. */
  readonly isUp: boolean;
}

/** A model of the catalog. */
export interface SwarmModel {
  readonly id: string;
  readonly rigs: readonly SwarmRig[];
  /** The absolute path of its GGUF file, where an embedded rig serves it. */
  readonly file: string | null;
  /** The id of the model that drafts for it. */
  readonly draft: string | null;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Whether a caller that leaves pays for the prompt that a rig has accepted. */
  readonly chargesCancelled: boolean;
}

/** The most that a chat may use. */
export interface BoundChat extends TokenQuantities {
  readonly terms: TariffTerms;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** An answer of a rig, as a stream of chunks in OpenAI's shape whose first page has come. */
export interface ModelStream {
  readonly rig: string;
  readonly attempts: number;
  readonly pages: AsyncGenerator<readonly JsonObject[], Usage, void>;
}

/** A whole answer of a rig. */
export interface ModelAnswer {
  readonly rig: string;
  readonly text: string;
  readonly usage: Usage;
}

/** The part of an answer that its rig had accepted when the caller left. */
export interface AcceptedPart {
  readonly rig: string;
  readonly usage: Usage;
}

/** A rig that gave no answer. The message names the rig, and no address. */
export class MemberFailedError extends Error {
  override readonly name = 'MemberFailedError';
}

/** Counters of an upstream that decodes speculatively, summed over its engines. */
export interface SpeculationCounters {
  readonly drafts: number;
  readonly draftTokens: number;
  readonly acceptedTokens: number;
}

/**
 * The models of the catalog and the rigs that serve them, by the rules of interactive chats and
 * without a hold. The composition root binds it to inference and the catalog.
 */
export abstract class SwarmModels {
  /** In the order of the catalog. */
  abstract list(): readonly SwarmModel[];
  abstract find(id: string): SwarmModel | undefined;
  /** In force at an instant, in milliseconds since the epoch. */
  abstract tariffOf(id: string, atMs: number): TokenTariff | undefined;
  /**
   * The upper bound of the cost of a body, in OpenAI's shape, and the terms of its prices.
   * @throws DomainError for a body that no rig could answer
   */
  abstract boundOf(body: JsonObject): BoundChat;
  /** @throws MemberFailedError; other errors are defects */
  abstract ask(body: JsonObject, rig: string, signal: AbortSignal): Promise<ModelAnswer>;
  /** @throws the errors of inference, which have a meaning in HTTP */
  abstract stream(body: JsonObject, signal: AbortSignal): Promise<ModelStream>;
  /** By the error of `ask` or `stream`; null where no rig had accepted the request. */
  abstract acceptedOf(error: unknown): AcceptedPart | null;
  /** Null where the rig is no vLLM, or its counters cannot be read soon. */
  abstract speculationOf(rig: string): Promise<SpeculationCounters | null>;
}
