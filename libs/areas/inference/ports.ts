/**
 * What inference needs of other areas. The composition root binds each token to the area that can;
 * inference knows neither.
 */
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type CutReason } from './request-cut.js';

export const LEDGER = Symbol('Ledger');
export const MODEL_CATALOG = Symbol('ModelCatalog');
export const RIGS = Symbol('Rigs');
export const PROMPT_HASHER = Symbol('PromptHasher');
export const REQUEST_LIMITS = Symbol('RequestLimits');

/** Token counts that are charged; a bound when they are held. */
export interface TokenQuantities {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface TokenRate {
  readonly version: number;
  readonly inputMicroUsdPerMtok: bigint;
  readonly outputMicroUsdPerMtok: bigint;
}

export interface HoldRequest {
  readonly accountId: string;
  readonly holdId: string;
  readonly modelAsked: string;
  readonly rate: TokenRate;
  readonly bound: TokenQuantities;
  /**
   * The caller set no limit, so the output may be cut to what the balance covers, down to this.
   * Null when it may not be cut.
   */
  readonly outputTokensMin: number | null;
  readonly placedAt: string;
  readonly expiresAt: string;
}

export interface CaptureRequest {
  readonly accountId: string;
  readonly holdId: string;
  readonly rate: TokenRate;
  readonly charged: TokenQuantities;
  /** What the rig claimed above the bound. */
  readonly excess: TokenQuantities;
  readonly usageSource: 'provider' | 'counted';
  readonly outcome: 'completed' | 'upstream_failed' | CutReason;
  readonly models: {
    readonly asked: string;
    readonly sent: string | null;
    readonly answered: string | null;
  };
  readonly rig: string;
  readonly attempts: number;
  readonly promptHash: string;
  readonly replyHash: string | null;
  readonly capturedAt: string;
}

export interface ReleaseRequest {
  readonly accountId: string;
  readonly holdId: string;
  readonly reason: 'upstream_failed' | 'refused' | 'internal_error' | CutReason;
  readonly releasedAt: string;
}

/** A hold that may have been placed, and may have ended: its request has left it. */
export interface LeftHold extends ReleaseRequest {
  /** Nothing that happened to the hold is older. */
  readonly notBefore: string;
}

/** `free`: it was not charged, and will not be. */
export type HoldEnd = 'free' | 'charged';

/** A durable entry in the account. */
export interface LedgerEntry {
  readonly eventId: string;
  readonly chargedMicroUsd: bigint;
  readonly availableMicroUsd: bigint;
}

/** Reserves before work, charges or frees after it. Every promise resolves once durable. */
export interface Ledger {
  /** @throws DomainError `insufficient_balance`, `account_not_found` */
  place(hold: HoldRequest, context: CommandContext): Promise<TokenQuantities>;
  capture(capture: CaptureRequest, context: CommandContext): Promise<LedgerEntry>;
  release(release: ReleaseRequest, context: CommandContext): Promise<void>;
  /** Frees a hold unless it was charged. */
  settle(left: LeftHold, context: CommandContext): Promise<HoldEnd>;
}

export interface ServedModel {
  readonly id: string;
  readonly upstreamId: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
}

/** Lookups on the hot path; neither waits. */
export interface ModelCatalog {
  model(id: string): ServedModel | undefined;
  /** The rate in force at an instant, in milliseconds since the epoch. */
  rateFor(modelId: string, atMs: number): TokenRate | undefined;
}

/** A keyed hash, 256 bits in hex, under a key of this installation. */
export type PromptHasher = (text: string) => string;

export interface RequestLimits {
  /** The longest a request may run. */
  readonly requestMsMax: number;
  /** How long a hold outlives that: time to settle before the sweep may expire it. */
  readonly settleMsMax: number;
}
