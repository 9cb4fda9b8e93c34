import { signal } from '@preact/signals';
import { ApiError, type Call, exchange, type Reply, send } from './api.js';

const ROUTE = '/api/v1/auth/console_session';
/** The cookie is renewed while the page is used; unused, it ends after half an hour. */
const RENEWED_EVERY_MS = 300_000;

export interface User {
  readonly username: string;
  readonly role: string;
}

interface Session {
  readonly success: true;
  readonly user: User | null;
  readonly csrf_token: string | null;
  readonly sign_in_rejected: string | null;
  /** Whether the installation has an OpenID provider. */
  readonly has_provider: boolean;
}

interface Challenge {
  readonly success: false;
}

/** Null until the gateway has answered. */
export const session = signal<Session | null>(null);

/** How many writes of this page have succeeded: reads that show their effect follow it. */
export const writes = signal(0);

let renewedAtMs = 0;

const keep = (found: Session): void => {
  renewedAtMs = performance.now();
  session.value = found;
};

const signedOut = (): void => {
  if (session.value) session.value = { ...session.value, user: null, csrf_token: null };
};

/** Asks whether the browser is signed in. @throws ApiError */
export const findSession = async (): Promise<void> => keep((await exchange<Session>(ROUTE)).answer);

export type SignInOutcome = 'signed-in' | 'code-needed';

const enter = async (route: string, call: Call): Promise<SignInOutcome> => {
  const { answer } = await exchange<Session | Challenge>(route, { method: 'POST', ...call });
  if (!answer.success) return 'code-needed';
  keep(answer);
  return 'signed-in';
};

const withCode = (code: string): object => (code === '' ? {} : { otp_code: code });

/**
 * Signs in with a password and, where the user has one, a second factor.
 * @throws ApiError
 */
export const signIn = (username: string, password: string, code: string): Promise<SignInOutcome> =>
  enter(ROUTE, { body: { username, password, ...withCode(code) } });

/** Ends a sign-in by the OpenID provider whose user has a second factor here. @throws ApiError */
export const answerChallenge = (challenge: string, code: string): Promise<SignInOutcome> =>
  enter(`${ROUTE}/challenge`, { body: { temp_token: challenge, otp_code: code } });

const csrf = (): Readonly<Record<string, string>> => ({
  'x-csrf-token': session.value?.csrf_token ?? '',
});

/** Enters the password again, for writes of money, keys and operators. @throws ApiError */
export const confirmIdentity = (password: string, code: string): Promise<SignInOutcome> =>
  enter(`${ROUTE}/confirmation`, {
    body: { password, ...withCode(code) },
    headers: csrf(),
  });

/** Ends the session with its cookie and its key. @throws ApiError */
export const signOut = async (): Promise<void> => {
  await exchange(ROUTE, { method: 'DELETE', headers: csrf() });
  signedOut();
};

/** Runs a call of the signed-in user. A session that has ended shows the form to sign in. */
const asUser = async <Outcome>(run: () => Promise<Outcome>): Promise<Outcome> => {
  if (performance.now() - renewedAtMs > RENEWED_EVERY_MS) await findSession();
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) signedOut();
    throw error;
  }
};

/** Reads a route for the signed-in user. @throws ApiError */
export const read = <Answer>(route: string, signal: AbortSignal): Promise<Answer> =>
  asUser(async () => (await exchange<Answer>(route, { signal })).answer);

export type Write = Call & {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The same for a repetition of the same write, which has no further effect. */
  readonly idempotencyKey: string;
};

const writing = ({ idempotencyKey, headers, ...call }: Write): Call => ({
  ...call,
  headers: { ...headers, ...csrf(), 'idempotency-key': idempotencyKey },
});

/** Writes for the signed-in user; reads of the page are then repeated. @throws ApiError */
export const write = async <Answer>(route: string, call: Write): Promise<Reply<Answer>> => {
  const reply = await asUser(() => exchange<Answer>(route, writing(call)));
  writes.value += 1;
  return reply;
};

/** As `write`, for an answer that is a stream. The caller reads its body. @throws ApiError */
export const writeForStream = (route: string, call: Write): Promise<Response> =>
  asUser(() => send(route, writing(call)));
