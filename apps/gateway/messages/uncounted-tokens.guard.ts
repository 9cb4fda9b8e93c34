import { type CanActivate, Injectable } from '@nestjs/common';
import { type InferenceErrorCode } from '#areas/inference/inference.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** Rejects every request to count tokens, before its body is read. */
@Injectable()
export class UncountedTokensGuard implements CanActivate {
  canActivate(): never {
    const detail = 'tokens are not counted here: only the rigs of a model know its tokenizer';
    throw new DomainError<InferenceErrorCode>('token_count_unavailable', detail);
  }
}
