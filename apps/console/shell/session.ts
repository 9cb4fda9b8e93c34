import { signal } from '@preact/signals';
import { ApiError, type Call, exchange, type Reply, send } from './api.js';
import { type Address, type AnswerOf, type Method } from './routes.js';

/** Of the console alone: the OpenAPI document does not have it. */
const ROUTE = '/api/v1/auth/console_session' as Address;
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
export const findSession = async (): Promise<void> =>
  keep((await exchange(ROUTE)).answer as Session);

export type SignInOutcome = 'signed-in' | 'code-needed';

const enter = async (route: string, call: Omit<Call, 'method'>): Promise<SignInOutcome> => {
  const reply = await exchange(route as Address, { method: 'POST', ...call });
  const answer = reply.answer as Session | Challenge;
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
export const read = <Of extends string>(
  route: Address<Of>,
  signal: AbortSignal,
): Promise<AnswerOf<Of>> =>
  asUser(async () => (await exchange(route, { method: 'GET', signal })).answer);

export type WriteMethod = Exclude<Method, 'GET'>;

export type Write<By extends WriteMethod = WriteMethod> = Call<By> & {
  readonly method: By;
  /** The same for a repetition of the same write, which has no further effect. */
  readonly idempotencyKey: string;
};

const writing = <By extends WriteMethod>({
  idempotencyKey,
  headers,
  ...call
}: Write<By>): Call<By> => ({
  ...(call as Call<By>),
  headers: { ...headers, ...csrf(), 'idempotency-key': idempotencyKey },
});

/** Writes for the signed-in user; reads of the page are then repeated. @throws ApiError */
export const write = async <Of extends string, By extends WriteMethod>(
  route: Address<Of>,
  call: Write<By>,
): Promise<Reply<AnswerOf<Of, By>>> => {
  const reply = await asUser(() => exchange<Of, By>(route, writing(call)));
  writes.value += 1;
  return reply;
};

/** As `write`, for an answer that is a stream. The caller reads its body. @throws ApiError */
export const writeForStream = (route: Address, call: Write): Promise<Response> =>
  asUser(() => send(route, writing(call)));
