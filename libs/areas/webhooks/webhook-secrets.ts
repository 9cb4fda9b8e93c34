import { Inject, Injectable } from '@nestjs/common';
import { type WebhookEndpointCreated } from '#events/webhooks/webhook.events.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';

type Endpoint = WebhookEndpointCreated['data'];

const URL_FIELD = 'webhook-url';
const SECRET_FIELD = 'webhook-secret';
const subjectOf = (userId: number): string => `user:${userId}`;

/** Begins the address of an endpoint of the format `mail`. */
export const MAIL_SCHEME = 'mailto:';

/**
 * Seals the address and the secret of an endpoint with the key of its user: an address may contain
 * a secret, too. After the user was erased, neither can be read.
 */
@Injectable()
export class WebhookSecrets {
  constructor(@Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>) {}

  async seal(
    userId: number,
    url: string,
    secret: string,
  ): Promise<Pick<Endpoint, 'sealedUrl' | 'sealedSecret'>> {
    const { subjects } = this.secrets;
    const subject = subjectOf(userId);
    const sealedUrl = await subjects.seal(subject, URL_FIELD, url);
    return { sealedUrl, sealedSecret: await subjects.seal(subject, SECRET_FIELD, secret) };
  }

  /** Null after the user was erased. */
  urlOf({ userId, sealedUrl }: Endpoint): Promise<string | null> {
    return this.secrets.subjects.open(subjectOf(userId), URL_FIELD, sealedUrl);
  }

  /** Null after the user was erased. */
  secretOf({ userId, sealedSecret }: Endpoint): Promise<string | null> {
    return this.secrets.subjects.open(subjectOf(userId), SECRET_FIELD, sealedSecret);
  }
}
