import { createHash, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';

/** Who may see the reports of a process: its paths, rigs and charges. */
export interface OperationsSettings {
  /** A further port with all reports; undefined: none. */
  readonly port?: number | undefined;
  /** The address of that port. */
  readonly host: string;
  /** Opens all reports on either port; undefined: none does. */
  readonly token?: string | undefined;
}

export const OPERATIONS_SETTINGS = Symbol('OperationsSettings');

/** The access of a request. */
export type Access = 'granted' | 'token-required' | 'not-here';

const BEARER = /^Bearer +([^\s]+) *$/i;

/**
 * - With the token, a request sees everything, on either port.
 * - Without a token in the settings, it sees everything on the operations port, and on the port for
 *   callers only whether the process is live and ready.
 */
export class OperationsAccess {
  readonly #digest: Buffer | undefined;

  constructor({ token }: Pick<OperationsSettings, 'token'>) {
    this.#digest = token === undefined ? undefined : digestOf(token);
  }

  of({ authorization = '' }: IncomingHttpHeaders, isOperationsPort: boolean): Access {
    if (this.#digest === undefined) return isOperationsPort ? 'granted' : 'not-here';
    const presented = BEARER.exec(authorization)?.[1] ?? '';
    return timingSafeEqual(digestOf(presented), this.#digest) ? 'granted' : 'token-required';
  }
}

/** Of one length, so that the comparison takes the same time for every token. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
