import { DomainError } from '#platform/kernel/domain-error.js';
import { publicAddressRules } from '#platform/network/public-address-rules.js';
import { PRIVATE_SETTING } from './webhooks.settings.js';
import { type WebhooksErrorCode } from './webhooks.errors.js';

/** @throws DomainError `webhook_url_not_allowed` for a fault that needs no name server */
export const { demandPublicUrl, publicLookup } = publicAddressRules({
  noun: 'a webhook',
  setting: PRIVATE_SETTING,
  rejection: (detail) => new DomainError<WebhooksErrorCode>('webhook_url_not_allowed', detail),
});
