import { Inject, Injectable } from '@nestjs/common';
import { type SubjectKeys } from '#platform/secrets/subject-keys.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';

/** The field of a sealed text. The encryption binds the text to its field. */
export type PersonalField =
  | 'username'
  | 'email'
  | 'password-hash'
  | 'two-factor-secret'
  | 'app-name'
  | 'device-info'
  | 'api-key-name';

/** Encrypts and decrypts the personal data of users. Each user has an own key. */
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

  /** Null after the user was erased. */
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

  /** Destroys the user's key: no copy of the data can be decrypted again. */
  erase(userId: number): Promise<void> {
    return this.#subjects.erase(subjectOf(userId));
  }
}

const subjectOf = (userId: number): string => `user:${userId}`;
