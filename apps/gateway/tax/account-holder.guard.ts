import { Injectable } from '@nestjs/common';
import { type AcceptedCredentials, ApiGuard } from '../identity/api.guard.js';

/** Admits no renter key: such a key rents, and does not say where its owner is taxed. */
@Injectable()
export class AccountHolderGuard extends ApiGuard {
  protected override readonly accepts: AcceptedCredentials = {
    kinds: ['api_key', 'app_token', 'console_session'],
    description: 'an API key (sk-svc-…) or an access token (svc_app_…)',
  };
}
