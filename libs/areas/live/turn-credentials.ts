import { createHmac } from 'node:crypto';

export interface IceServer {
  readonly urls: string;
  readonly username?: string;
  readonly credential?: string;
}

/**
 * The credentials of the TURN REST scheme (draft-uberti-behave-turn-rest), which coturn checks with
 * `use-auth-secret`: a name with the end of its validity, and the HMAC of the name.
 * @param expiresAtMs a whole second
 */
export const turnServers = (
  { urls, secret }: { readonly urls: readonly string[]; readonly secret: string },
  name: string,
  expiresAtMs: number,
): readonly IceServer[] => {
  const username = `${Math.floor(expiresAtMs / 1_000)}:${name}`;
  const credential = createHmac('sha1', secret).update(username).digest('base64');
  return urls.map((url) => ({ urls: url, username, credential }));
};
