import { z } from 'zod';
import { defineSettings, variable } from '#platform/runtime/areas/settings.js';

export interface IdentitySettings {
  /** The tenant that every user belongs to. */
  readonly tenant: {
    readonly name: string;
    /** `#rrggbb` in lower case. */
    readonly primaryColor: string;
    /** The URL of the web host that users see. */
    readonly baseUrl: string;
  };
  /**
   * How old the cached state of a credential may be, in milliseconds: a revocation by another
   * process takes effect within this time. Default: as often as a log in this process may be asked.
   */
  readonly credentialsFreshMs?: number;
}

export const IDENTITY_SETTINGS = Symbol('IdentitySettings');

const TENANT = { name: 'Quipu', primaryColor: '#7a3e1d' } as const;
/**
 * Each look at a log on another machine costs a round trip; a revoked key works for this time
 * there.
 */
const REMOTE_FRESH_MS = 250;

export const identitySettings = defineSettings({
  token: IDENTITY_SETTINGS,
  variables: {
    QUIPU_WEB_URL: variable(
      z.url({ protocol: /^https?$/ }).optional(),
      'the web host as login replies show it',
      '`http://HOST:PORT`',
    ),
  },
  read: ({ QUIPU_WEB_URL: webUrl }, { listeningUrl, isLogRemote }): IdentitySettings => ({
    tenant: { ...TENANT, baseUrl: webUrl ?? listeningUrl },
    ...(isLogRemote && { credentialsFreshMs: REMOTE_FRESH_MS }),
  }),
});
