import { type ModelKind } from './catalog-entry.js';

/** What a model file is for; `unserved`: nothing here asks such a model. */
export type LocalModelKind =
  | { readonly kind: ModelKind; readonly dimensions: number | null }
  | { readonly kind: 'unserved'; readonly reason: string };

/**
 * Reads what a model file of this machine is for, from its header. The class is the injection
 * token; without a provider every file is a chat model.
 */
export abstract class LocalModelKinds {
  /** A file that cannot be read is a chat model, whose first request then says what is wrong. */
  abstract kindOf(modelFile: string): Promise<LocalModelKind>;
}

export const CHAT_KIND: LocalModelKind = { kind: 'chat', dimensions: null };
