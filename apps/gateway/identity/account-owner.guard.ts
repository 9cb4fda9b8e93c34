import { Injectable } from '@nestjs/common';
import { type AcceptedCredentials, ApiGuard } from './api.guard.js';

/** Admits the owner of an account: a renter key may spend, but not decide how much. */
@Injectable()
export class AccountOwnerGuard extends ApiGuard {
  protected override readonly accepts: AcceptedCredentials = {
    kinds: ['api_key', 'app_token', 'console_session', 'provider_token'],
    description: 'an API key (sk-svc-…), an access token (svc_app_…) or a token of the provider',
  };
}
