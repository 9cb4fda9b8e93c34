/** The messages between a gateway and its enclave process, which come in lists. Types only. */

/** One measurement of the process, as the attestation has it. */
export interface Measurement {
  readonly subject: 'build' | 'policy' | 'configuration';
  readonly name: string;
  readonly sha256: string;
}

export type EnclaveTask =
  /** The first task: the process measures itself, and derives its key. */
  | {
      readonly kind: 'start';
      /** 32 bytes of this installation. */
      readonly seed: Uint8Array;
      /** Absolute path of the GGUF file that it serves; null: it serves none. */
      readonly modelFile: string | null;
      readonly contextTokensMax: number;
    }
  /** Opens a message for the gateway, such as rows for a room. */
  | {
      readonly kind: 'open';
      readonly info: string;
      readonly aad: string;
      readonly message: Uint8Array;
    }
  /** Opens a prompt and seals the reply; the gateway sees neither. */
  | {
      readonly kind: 'infer';
      readonly info: string;
      readonly aad: string;
      readonly message: Uint8Array;
      readonly maxTokens: number;
      readonly promptTokensMax: number;
    };

export type EnclaveResult =
  | { readonly kind: 'start'; readonly spki: Uint8Array; readonly log: readonly Measurement[] }
  | { readonly kind: 'open'; readonly plaintext: Uint8Array }
  | {
      readonly kind: 'infer';
      readonly reply: Uint8Array;
      readonly promptTokens: number;
      readonly completionTokens: number;
      readonly finishReason: 'stop' | 'length';
    };

export const ENCLAVE_FAILURES = [
  'unsealable',
  'prompt_invalid',
  'prompt_too_long',
  'model_missing',
  'model_failed',
] as const;
export type EnclaveFailure = (typeof ENCLAVE_FAILURES)[number];

export type FromEnclave =
  | { readonly type: 'done'; readonly id: number; readonly result: EnclaveResult }
  /** The message names fields and limits, never content. */
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly code: EnclaveFailure;
      readonly message: string;
    };

export interface EnclaveSettings {
  readonly unreadDeltasMax: number;
}
