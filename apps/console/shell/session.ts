import { signal } from '@preact/signals';
import { ApiError, call } from './api.js';

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
}

interface Challenge {
  readonly success: false;
}

/** Null until the gateway has answered. */
export const session = signal<Session | null>(null);

const SIGNED_OUT: Session = {
  success: true,
  user: null,
  csrf_token: null,
  sign_in_rejected: null,
};

let renewedAtMs = 0;

const keep = (found: Session): void => {
  renewedAtMs = performance.now();
  session.value = found;
};

/** Asks whether the browser is signed in. @throws ApiError */
export const findSession = async (): Promise<void> => keep(await call<Session>(ROUTE));

/**
 * Signs in with a password and, where the user has one, a second factor.
 * @returns whether a code is needed and missing
 * @throws ApiError
 */
export const signIn = async (
  username: string,
  password: string,
  code: string,
): Promise<'signed-in' | 'code-needed'> => {
  const body = { username, password, ...(code !== '' && { otp_code: code }) };
  const answer = await call<Session | Challenge>(ROUTE, { method: 'POST', body });
  if (!answer.success) return 'code-needed';
  keep(answer);
  return 'signed-in';
};

/** Ends the session with its cookie and its key. @throws ApiError */
export const signOut = async (): Promise<void> => {
  const csrfToken = session.value?.csrf_token;
  if (csrfToken != null) await call(ROUTE, { method: 'DELETE', csrfToken });
  session.value = SIGNED_OUT;
};

/**
 * Reads a route for the signed-in user. A session that has ended shows the form to sign in.
 * @throws ApiError
 */
export const read = async <Answer>(route: string, signal: AbortSignal): Promise<Answer> => {
  if (performance.now() - renewedAtMs > RENEWED_EVERY_MS) await findSession();
  try {
    return await call<Answer>(route, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) session.value = SIGNED_OUT;
    throw error;
  }
};
