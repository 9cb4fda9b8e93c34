import { Injectable } from '@nestjs/common';
import { type AcceptedCredentials, ApiGuard } from './api.guard.js';

/** Admits only the secret API keys of users, and their console sessions. */
@Injectable()
export class ApiKeyGuard extends ApiGuard {
  protected override readonly accepts: AcceptedCredentials = {
    kinds: ['api_key', 'console_session'],
    description: 'the secret API key of a user (sk-svc-…)',
  };
}
