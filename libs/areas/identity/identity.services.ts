import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { type Projections } from '#platform/runtime/projections.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { AccountViews } from './accounts/account-views.js';
import { ApiKeyList } from './keys/api-key-list.js';
import { AppTokens } from './sessions/app-tokens.js';
import { Authenticator } from './authentication/authenticator.js';
import { type BalanceReader } from './accounts/balance-reader.port.js';
import { openIdentityStreams } from './identity.streams.js';
import { KeyRing } from './keys/key-ring.js';
import { NameIndex } from './names/name-index.js';
import { PasswordCheck } from './passwords/password-check.js';
import { type Passwords } from './passwords/passwords.js';
import { PersonalData } from './users/personal-data.js';
import { SecondFactorCheck } from './two-factor/second-factor-check.js';
import { SecondFactors } from './two-factor/second-factors.js';
import { SessionOpener } from './sessions/session-opener.js';
import { UserDirectory } from './users/user-directory.js';
import { UserIds } from './users/user-ids.js';

/** What the area's services stand on. */
export interface IdentityFoundation {
  readonly eventStore: EventStore;
  readonly codec: EventCodec;
  readonly projections: Projections;
  readonly secrets: Secrets;
  readonly balances: BalanceReader;
  readonly clock: Clock;
  readonly passwords: Passwords;
  /** As in `IdentitySettings`. */
  readonly credentialsFreshMs?: number | undefined;
}

/** Builds the area's services, one of each for a process; the module hands them out by token. */
export const buildIdentity = ({
  eventStore,
  codec,
  projections,
  secrets,
  balances,
  clock,
  passwords,
  credentialsFreshMs,
}: IdentityFoundation) => {
  const streams = openIdentityStreams(eventStore, codec);
  const personalData = new PersonalData(secrets.subjects);
  const names = new NameIndex({
    username: secrets.key('username-index'),
    email: secrets.key('email-index'),
  });
  const appTokens = new AppTokens(secrets.key('app-tokens'), clock);
  const authenticator = new Authenticator(
    eventStore,
    codec,
    appTokens,
    clock,
    undefined,
    credentialsFreshMs,
  );
  const keyRing = new KeyRing(streams, personalData, authenticator, clock);
  const accountViews = new AccountViews(streams, personalData, balances);
  const secondFactors = new SecondFactors(personalData, secrets.key('recovery-codes'), clock);
  return {
    streams,
    personalData,
    names,
    passwords,
    appTokens,
    authenticator,
    keyRing,
    accountViews,
    secondFactors,
    secondFactorCheck: new SecondFactorCheck(streams, secondFactors, clock),
    passwordCheck: new PasswordCheck(streams, names, passwords, personalData),
    sessionOpener: new SessionOpener(
      streams,
      personalData,
      keyRing,
      appTokens,
      accountViews,
      clock,
    ),
    apiKeyList: new ApiKeyList(projections, streams, clock),
    userDirectory: new UserDirectory(streams, names),
    userIds: new UserIds(eventStore),
  };
};

export type IdentityServices = ReturnType<typeof buildIdentity>;
