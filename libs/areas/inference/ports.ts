import { type MediaRule } from '#platform/chats/media/media-rules.js';
import { type TokenRates } from '#platform/chats/token-tariff.js';

/**
 * What inference needs of other areas, beside the ledger. The composition root binds each token to
 * the area that can; inference knows neither.
 */

export const MODEL_CATALOG = Symbol('ModelCatalog');
export const RIGS = Symbol('Rigs');
export const REQUEST_LIMITS = Symbol('RequestLimits');

export interface ServedModel {
  readonly id: string;
  readonly upstreamId: string;
  /** Whether the interface's temperature and a bound are sent where the caller sets none. */
  readonly sendsDefaults: boolean;
  /** Ids of the models that answer, in this order, where no rig of this one can. */
  readonly fallbacks: readonly string[];
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Of the rigs that may be sent images and audio. Default: none has a rule. */
  readonly mediaRules?: readonly MediaRule[];
  /** Whether a caller that leaves a request which its rig has accepted pays for the prompt. */
  readonly chargesCancelled: boolean;
}

/** Lookups on the hot path; neither waits. */
export interface ModelCatalog extends TokenRates {
  /** @param accountId also finds the models that belong to this account */
  model(id: string, accountId?: string): ServedModel | undefined;
}

export interface RequestLimits {
  /** The longest a request may run. */
  readonly requestMsMax: number;
}
