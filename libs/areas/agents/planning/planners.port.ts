import { type Usage } from '#platform/chats/chat-usage.js';
import { type TokenTariff } from '#platform/chats/token-tariff.js';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * How a model says which tool it calls. `functions`: by the calls of the chat API. `schema`: by an
 * answer that is held to a JSON Schema, for models without calls.
 */
export type PlannerStyle = 'functions' | 'schema';

/** A model that can plan, at the prices of one instant. */
export interface PlannerModel {
  readonly id: string;
  readonly style: PlannerStyle;
  readonly contextTokens: number;
  /** Tokens that one answer may have. */
  readonly outputTokensMax: number;
  readonly tariff: TokenTariff;
}

/** An answer of a planner; the tokens are never above the bounds of the question. */
export interface PlannerAnswer {
  /** A `chat.completion` object. */
  readonly completion: JsonObject;
  readonly usage: Usage;
  readonly rig: string;
  /** The model that the rig says answered. */
  readonly modelAnswered: string | null;
}

/** The language models of this gateway, asked without a hold of their own. */
export abstract class Planners {
  /** Undefined for a model that is not in the catalog, or had no price then. */
  abstract find(model: string, atMs: number): PlannerModel | undefined;

  /**
   * An upper bound of the tokens of the prompt.
   * @param body a chat request
   */
  abstract promptTokensBound(body: JsonObject): number;

  /**
   * @param promptTokensMax more is not charged
   * @throws DomainError and technical failures of the area that serves the model
   */
  abstract ask(
    body: JsonObject,
    promptTokensMax: number,
    signal: AbortSignal,
  ): Promise<PlannerAnswer>;
}
