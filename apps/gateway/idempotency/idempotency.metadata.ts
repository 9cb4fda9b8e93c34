import { type Type } from '@nestjs/common';
import { type RequestSettler } from './request-settler.js';

/** The key of the metadata that `@Idempotent()` sets on a method. */
export const IDEMPOTENT = 'quipu:idempotent';

export interface IdempotentMetadata {
  readonly settle: Type<RequestSettler> | undefined;
  readonly reply: 'value' | 'written';
  readonly resumes: boolean;
}

export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** The header of a replayed answer. */
export const REPLAY_HEADER = 'x-quipu-idempotent-replay';
