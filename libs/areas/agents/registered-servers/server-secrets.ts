import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type McpServerRegistered } from '#events/agents/mcp-server.events.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';

type Registered = McpServerRegistered['data'];

/** How this gateway proves to a server who asks. */
export const ServerCredentials = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('bearer'), token: z.string() }),
  /** The client credentials grant of OAuth, at this authorization server and no other. */
  z.strictObject({
    kind: z.literal('oauth'),
    issuer: z.string(),
    clientId: z.string(),
    clientSecret: z.string(),
  }),
]);
export type ServerCredentials = z.infer<typeof ServerCredentials>;

/** Where a server is, and how this gateway signs in there. */
export interface ServerAccess {
  readonly url: string;
  /** Null for a server that needs none. */
  readonly credentials: ServerCredentials | null;
}

const URL_FIELD = 'mcp-server-url';
const CREDENTIALS_FIELD = 'mcp-server-credentials';
const subjectOf = (userId: number): string => `user:${userId}`;

/**
 * Seals the address and the credentials of a server with the key of its user: an address may have a
 * secret, too. After the user was erased, neither can be read.
 */
@Injectable()
export class ServerSecrets {
  constructor(@Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>) {}

  async seal(
    userId: number,
    { url, credentials }: ServerAccess,
  ): Promise<Pick<Registered, 'sealedUrl' | 'sealedCredentials'>> {
    const { subjects } = this.secrets;
    const subject = subjectOf(userId);
    const sealedUrl = await subjects.seal(subject, URL_FIELD, url);
    if (credentials === null) return { sealedUrl, sealedCredentials: null };
    const text = JSON.stringify(credentials);
    return { sealedUrl, sealedCredentials: await subjects.seal(subject, CREDENTIALS_FIELD, text) };
  }

  /** Null after the user was erased. */
  urlOf({ userId, sealedUrl }: Registered): Promise<string | null> {
    return this.secrets.subjects.open(subjectOf(userId), URL_FIELD, sealedUrl);
  }

  /** Null after the user was erased. */
  async accessOf(registered: Registered): Promise<ServerAccess | null> {
    const { userId, sealedCredentials } = registered;
    const url = await this.urlOf(registered);
    if (url === null) return null;
    if (sealedCredentials === null) return { url, credentials: null };
    const subject = subjectOf(userId);
    const text = await this.secrets.subjects.open(subject, CREDENTIALS_FIELD, sealedCredentials);
    return text === null ? null : { url, credentials: ServerCredentials.parse(JSON.parse(text)) };
  }
}
