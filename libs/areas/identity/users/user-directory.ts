import { type IdentityStreams, nameStream } from '../identity.streams.js';
import { type NameIndex } from '../names/name-index.js';
import { refuse } from '../refuse.js';

/** Finds users by name in the log itself, for commands. */
export class UserDirectory {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly names: NameIndex,
  ) {}

  /** @throws DomainError `user_not_found` */
  async idOf(username: string): Promise<number> {
    const stream = nameStream('username', this.names.hashOf('username', username));
    const { state } = await this.streams.names.stateOf(stream);
    return state.status === 'assigned'
      ? state.userId
      : refuse('user_not_found', `there is no user ${username}`);
  }
}
