import { Module, type Provider, type Type } from '@nestjs/common';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { type Projections } from '#platform/runtime/projections.js';
import { CLOCK, CODEC, EVENT_STORE, PROJECTIONS } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { AccountContextHandler } from './accounts/account-context.handler.js';
import { BALANCE_READER, type BalanceReader } from './accounts/balance-reader.port.js';
import { ConfirmTwoFactorHandler } from './two-factor/confirm-two-factor.handler.js';
import { CreateUserHandler } from './users/create-user.handler.js';
import { DefineTenantHandler } from './tenants/define-tenant.handler.js';
import { DisableTwoFactorHandler } from './two-factor/disable-two-factor.handler.js';
import { EraseUserHandler } from './users/erase-user.handler.js';
import { FindUserByNameHandler } from './users/find-user-by-name.handler.js';
import { buildIdentity, type IdentityServices } from './identity.services.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from './identity.settings.js';
import { IDENTITY_STREAMS } from './identity.streams.js';
import {
  ACCOUNT_VIEWS,
  API_KEY_LIST,
  AUTHENTICATOR,
  KEY_RING,
  NAME_INDEX,
  PASSWORD_CHECK,
  PASSWORDS,
  PERSONAL_DATA,
  SECOND_FACTOR_CHECK,
  SECOND_FACTORS,
  SESSION_OPENER,
  USER_DIRECTORY,
  USER_IDS,
} from './identity.tokens.js';
import { IssueApiKeyHandler } from './keys/issue-api-key.handler.js';
import { ListApiKeysHandler } from './keys/list-api-keys.handler.js';
import { LogInHandler } from './sessions/log-in.handler.js';
import { Passwords } from './passwords/passwords.js';
import { ReplaceRecoveryCodesHandler } from './two-factor/replace-recovery-codes.handler.js';
import { RevokeApiKeyHandler } from './keys/revoke-api-key.handler.js';
import { RevokeSessionHandler } from './sessions/revoke-session.handler.js';
import { RotateApiKeyHandler } from './keys/rotate-api-key.handler.js';
import { RotateUserKeysHandler } from './keys/rotate-user-keys.handler.js';
import { StartTwoFactorHandler } from './two-factor/start-two-factor.handler.js';
import { VerifyTwoFactorHandler } from './two-factor/verify-two-factor.handler.js';

const SERVICES = Symbol('IdentityServices');

const services: Provider = {
  provide: SERVICES,
  inject: [EVENT_STORE, CODEC, PROJECTIONS, SECRETS, BALANCE_READER, CLOCK, IDENTITY_SETTINGS],
  useFactory: (
    eventStore: EventStore,
    codec: EventCodec,
    projections: Projections,
    secrets: Secrets,
    balances: BalanceReader,
    clock: Clock,
    { credentialsFreshMs }: IdentitySettings,
  ) => {
    const passwords = new Passwords();
    const platform = { eventStore, codec, projections, secrets, clock };
    return buildIdentity({ ...platform, balances, passwords, credentialsFreshMs });
  },
};

const TOKENS: Readonly<Record<keyof IdentityServices, symbol | null>> = {
  streams: IDENTITY_STREAMS,
  accountViews: ACCOUNT_VIEWS,
  apiKeyList: API_KEY_LIST,
  appTokens: null,
  authenticator: AUTHENTICATOR,
  keyRing: KEY_RING,
  names: NAME_INDEX,
  passwordCheck: PASSWORD_CHECK,
  passwords: PASSWORDS,
  personalData: PERSONAL_DATA,
  secondFactorCheck: SECOND_FACTOR_CHECK,
  secondFactors: SECOND_FACTORS,
  sessionOpener: SESSION_OPENER,
  userDirectory: USER_DIRECTORY,
  userIds: USER_IDS,
};

const handedOut: readonly Provider[] = Object.entries(TOKENS).flatMap(([name, provide]) =>
  provide === null
    ? []
    : [
        {
          provide,
          inject: [SERVICES],
          useFactory: (built: IdentityServices) => built[name as keyof IdentityServices],
        },
      ],
);

const handlers: readonly Type[] = [
  AccountContextHandler,
  ConfirmTwoFactorHandler,
  CreateUserHandler,
  DefineTenantHandler,
  DisableTwoFactorHandler,
  EraseUserHandler,
  FindUserByNameHandler,
  IssueApiKeyHandler,
  ListApiKeysHandler,
  LogInHandler,
  ReplaceRecoveryCodesHandler,
  RevokeApiKeyHandler,
  RevokeSessionHandler,
  RotateApiKeyHandler,
  RotateUserKeysHandler,
  StartTwoFactorHandler,
  VerifyTwoFactorHandler,
];

/**
 * Needs, besides the platform: `SECRETS`, `IDENTITY_SETTINGS`, `ACCOUNT_OPENER` and `BALANCE_READER`,
 * which the composition root provides globally.
 */
@Module({
  providers: [services, ...handedOut, ...handlers],
  exports: [AUTHENTICATOR],
})
export class IdentityModule {}
