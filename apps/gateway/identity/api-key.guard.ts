import { Injectable } from '@nestjs/common';
import { type Acceptance, ApiGuard } from './api.guard.js';

/** Lets in the secret API key of a user and nothing else. */
@Injectable()
export class ApiKeyGuard extends ApiGuard {
  protected override readonly accepts: Acceptance = {
    kinds: ['api_key'],
    inWords: 'the secret API key of a user (sk-svc-…)',
  };
}
