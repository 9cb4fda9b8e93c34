import { Injectable } from '@nestjs/common';
import { NameIndex } from '../names/name-index.js';
import { IdentityStreams, nameStream, userStream } from '../identity.streams.js';
import { Passwords } from './passwords.js';
import { PersonalData } from '../users/personal-data.js';
import { reject } from '../identity.errors.js';
import { type RegisteredUser, type UserState } from '../users/user.decider.js';

/** No user has this id. It is read for an unknown name, so that both cases do the same reads. */
const UNKNOWN_USER = 0;

/** Checks the password of a user. The check of an unknown user costs the same. */
@Injectable()
export class PasswordCheck {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly names: NameIndex,
    private readonly passwords: Passwords,
    private readonly personalData: PersonalData,
  ) {}

  /**
   * The user with this name and password.
   * @throws DomainError `invalid_credentials`, the same for a wrong password and an unknown name
   */
  async byName(username: string, password: string): Promise<RegisteredUser> {
    const stream = nameStream('username', this.names.hashOf('username', username));
    const { state: name } = await this.streams.names.stateOf(stream);
    return this.byId(name.status === 'assigned' ? name.userId : UNKNOWN_USER, password);
  }

  /** @throws DomainError `invalid_credentials` */
  async byId(userId: number, password: string): Promise<RegisteredUser> {
    const { state } = await this.streams.users.stateOf(userStream(userId));
    const matches = await this.passwords.verify(await this.#hashOf(state), password);
    return matches && state.status === 'registered'
      ? state
      : reject('invalid_credentials', 'the username or password is not correct');
  }

  async #hashOf(user: UserState): Promise<string | null> {
    if (user.status !== 'registered') return null;
    return this.personalData.open(user.userId, 'password-hash', user.sealedPasswordHash);
  }
}
