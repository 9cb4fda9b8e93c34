import { Injectable } from '@nestjs/common';
import { HttpFailure } from '../errors/http-failure.js';

/** Forms of one account that may arrive at the same time, in this process. */
export const UPLOADS_MAX = 32;

/** Bounds the forms that arrive for each account: an open one takes memory and a file. */
@Injectable()
export class OpenUploads {
  readonly #open = new Map<string, number>();

  /**
   * Counts a form until its end.
   * @returns to be called once, when the form has arrived or failed
   * @throws HttpFailure 429
   */
  begin(accountId: string): () => void {
    const before = this.#open.get(accountId) ?? 0;
    if (before >= UPLOADS_MAX) throw tooManyUploads();
    this.#open.set(accountId, before + 1);
    return () => {
      const left = (this.#open.get(accountId) ?? 0) - 1;
      if (left > 0) this.#open.set(accountId, left);
      else this.#open.delete(accountId);
    };
  }

  /** @throws HttpFailure 429; the error of the work */
  async during<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const end = this.begin(accountId);
    try {
      return await work();
    } finally {
      end();
    }
  }
}

const tooManyUploads = (): HttpFailure =>
  new HttpFailure({
    status: 429,
    code: 'too_many_uploads',
    message: `this account sends ${UPLOADS_MAX} forms at the same time; wait for one to end`,
    retryAfterSeconds: 1,
  });
