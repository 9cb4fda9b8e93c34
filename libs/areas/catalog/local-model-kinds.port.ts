import { type FileKind } from './catalog-entry.js';

/** The kind of a model file; `unserved`: no area asks such a model. */
export type LocalModelKind =
  | { readonly kind: FileKind; readonly dimensions: number | null }
  | { readonly kind: 'unserved'; readonly reason: string };

/**
 * Reads the kind of a model file of this machine from its header. The class is the injection token;
 * without a provider every file is a chat model.
 */
export abstract class LocalModelKinds {
  /** A file that cannot be read is a chat model, whose first request then reports the error. */
  abstract kindOf(modelFile: string): Promise<LocalModelKind>;
}

export const CHAT_KIND: LocalModelKind = { kind: 'chat', dimensions: null };
