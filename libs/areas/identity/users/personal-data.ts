import { Inject, Injectable } from '@nestjs/common';
import { type SubjectKeys } from '#platform/secrets/subject-keys.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';

/** Which field a sealed text belongs to; it opens as no other. */
export type PersonalField =
  | 'username'
  | 'email'
  | 'password-hash'
  | 'two-factor-secret'
  | 'app-name'
  | 'device-info'
  | 'api-key-name';

/** Seals and opens the personal data of users, each with a key of the user's own. */
@Injectable()
export class PersonalData {
  readonly #subjects: SubjectKeys;

  constructor(@Inject(SECRETS) { subjects }: Pick<Secrets, 'subjects'>) {
    this.#subjects = subjects;
  }

  /** @throws SubjectErasedError */
  seal(userId: number, field: PersonalField, text: string): Promise<string> {
    return this.#subjects.seal(subjectOf(userId), field, text);
  }

  async sealIfAny(
    userId: number,
    field: PersonalField,
    text: string | null,
  ): Promise<string | null> {
    return text === null ? null : this.seal(userId, field, text);
  }

  /** Null once the user was erased. */
  open(userId: number, field: PersonalField, sealed: string): Promise<string | null> {
    return this.#subjects.open(subjectOf(userId), field, sealed);
  }

  async openIfAny(
    userId: number,
    field: PersonalField,
    sealed: string | null,
  ): Promise<string | null> {
    return sealed === null ? null : this.open(userId, field, sealed);
  }

  /** For ever, in every copy. */
  erase(userId: number): Promise<void> {
    return this.#subjects.erase(subjectOf(userId));
  }
}

const subjectOf = (userId: number): string => `user:${userId}`;
