import { type TokenTariff } from '#platform/chats/token-tariff.js';

/** A chat model of the catalog. */
export interface EnclaveModel {
  readonly id: string;
  /** The absolute path of its GGUF file; null: it has none here. */
  readonly file: string | null;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
}

/** The models of the catalog. The composition root binds it. Neither look-up waits. */
export abstract class EnclaveModels {
  abstract find(id: string): EnclaveModel | undefined;
  /** In force at an instant, in milliseconds since the epoch. */
  abstract tariffOf(id: string, atMs: number): TokenTariff | undefined;
}
