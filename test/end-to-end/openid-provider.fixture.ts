import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** The audience of the tokens of machines. */
export const AUDIENCE = 'https://quipu.example.org';
export const SECRET = 'a secret that the gateway and the provider know';
/** The address that browsers have for the gateway; the test asks the gateway itself. */
export const CALLBACK_URL = 'http://localhost:9/api/v1/auth/oidc/callback';
export const MACHINE = { client_id: 'nightly', client_secret: 'the secret of the machine' };

export interface ProviderUser {
  readonly groups: readonly string[];
  readonly preferred_username?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

/**
 * A certified OpenID provider in this process. Its pages take any password. `users` and
 * `groupsOfMachine` may change.
 */
export const openProvider = async () => {
  const users: Record<string, ProviderUser> = {};
  const machine = { groups: [] as string[] };
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      { client_id: 'quipu', client_secret: SECRET, redirect_uris: [CALLBACK_URL] },
      {
        ...MACHINE,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['groups', 'preferred_username'],
    },
    pkce: { required: () => true },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...users[id], groups: [...(users[id]?.groups ?? [])] }),
    }),
    extraTokenClaims: () => ({ groups: machine.groups }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          scope: '',
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 60,
        }),
      },
    },
    ttl: {
      ...{ AccessToken: 60, ClientCredentials: 60, IdToken: 60 },
      ...{ Grant: 600, Interaction: 600, Session: 600 },
    },
    cookies: { keys: ['the key of the cookies'] },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));

  /** A token of the machine, from the token endpoint. */
  const tokenOfMachine = async (resource = AUDIENCE): Promise<string> => {
    const pair = [MACHINE.client_id, MACHINE.client_secret].map(encodeURIComponent).join(':');
    const answer = await fetch(`${url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(pair)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
    });
    return ((await answer.json()) as { readonly access_token: string }).access_token;
  };

  return {
    url,
    users,
    machine,
    tokenOfMachine,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
};

export type RunningProvider = Awaited<ReturnType<typeof openProvider>>;

/** Follows redirects and fills in the forms of the provider, with the cookies of each origin. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** @param urlOf where an address of the outside is here */
  constructor(private readonly urlOf: (url: string) => string = (url) => url) {}

  /** One request; redirects are not followed. */
  async send(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.urlOf(url), {
      redirect: 'manual',
      headers: { cookie, accept: 'text/html' },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const [name = '', value = ''] = pair.split(/=(.*)/, 2);
      jar.set(name, value);
    }
    return response;
  }

  /**
   * Begins a sign-in and lets the user go through the pages of the provider.
   * @returns the address that the provider sends the browser back to
   */
  async signIn(startUrl: string, login: string): Promise<string> {
    let url = startUrl;
    let response = await this.send(url);
    for (let step = 0; step < 12; step += 1) {
      const next = response.headers.get('location');
      if (next !== null) {
        url = new URL(next, url).href;
        if (url.startsWith(CALLBACK_URL)) return url;
        response = await this.send(url);
        continue;
      }
      const page = await response.text();
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined) throw new Error(`${url} answered ${response.status}: ${page}`);
      url = new URL(action, url).href;
      const prompt = page.includes('value="login"') ? 'login' : 'consent';
      response = await this.send(url, { prompt, login, password: 'any' });
    }
    throw new Error('the provider redirects too often');
  }
}
