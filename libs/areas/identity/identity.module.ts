import { Module, type Provider } from '@nestjs/common';
import { AccountContextHandler } from './accounts/account-context.handler.js';
import { AccountOfUserHandler } from './accounts/account-of-user.handler.js';
import { AccountViews } from './accounts/account-views.js';
import { UserProfileHandler } from './accounts/user-profile.handler.js';
import { Authenticator } from './authentication/authenticator.js';
import { IdentityStreams } from './identity.streams.js';
import { ApiKeyList } from './keys/api-key-list.js';
import { IssueApiKeyHandler } from './keys/issue-api-key.handler.js';
import { KeyBounds } from './keys/key-bounds.js';
import { KeyRing } from './keys/key-ring.js';
import { ListApiKeysHandler } from './keys/list-api-keys.handler.js';
import { ListUsedKeysHandler } from './keys/list-used-keys.handler.js';
import { RestrictApiKeyHandler } from './keys/restrict-api-key.handler.js';
import { RevokeApiKeyHandler } from './keys/revoke-api-key.handler.js';
import { RotateApiKeyHandler } from './keys/rotate-api-key.handler.js';
import { RotateUserKeysHandler } from './keys/rotate-user-keys.handler.js';
import { TeamMemberships } from './keys/team-memberships.js';
import { NameIndex } from './names/name-index.js';
import { BrowserSignIns } from './openid/browser-sign-ins.js';
import {
  GroupRulesHandler,
  RemoveGroupRuleHandler,
  SetGroupRuleHandler,
} from './openid/group-rules.handlers.js';
import { Machines } from './openid/machines.js';
import { ProviderDiscovery } from './openid/provider-discovery.js';
import { ProviderSubjects } from './openid/provider-subjects.js';
import { ProviderUsers } from './openid/provider-users.js';
import { SignInOpenIdHandler } from './openid/sign-in-openid.handler.js';
import { ChangePasswordHandler } from './passwords/change-password.handler.js';
import { PasswordChanges } from './passwords/password-changes.js';
import { PasswordCheck } from './passwords/password-check.js';
import { OfferPasswordResetHandler } from './passwords/offer-reset.handler.js';
import { RedeemPasswordResetHandler } from './passwords/redeem-reset.handler.js';
import { MailPasswordResetHandler } from './passwords/mail-reset.handler.js';
import { ResetPasswordHandler } from './passwords/reset-password.handler.js';
import { Passwords } from './passwords/passwords.js';
import { AppTokens } from './sessions/app-tokens.js';
import { ConfirmSessionHandler } from './sessions/confirm-session.handler.js';
import { EndSessionsHandler } from './sessions/end-sessions.handler.js';
import { ListSessionsHandler } from './sessions/list-sessions.handler.js';
import { LogInHandler } from './sessions/log-in.handler.js';
import { RevokeSessionHandler } from './sessions/revoke-session.handler.js';
import { SessionOpener } from './sessions/session-opener.js';
import { DefineTenantHandler } from './tenants/define-tenant.handler.js';
import { Challenges } from './two-factor/challenges.js';
import { ConfirmTwoFactorHandler } from './two-factor/confirm-two-factor.handler.js';
import { DisableTwoFactorHandler } from './two-factor/disable-two-factor.handler.js';
import { ReplaceRecoveryCodesHandler } from './two-factor/recovery-codes.handler.js';
import { SecondFactorCheck } from './two-factor/second-factor-check.js';
import { SecondFactors } from './two-factor/second-factors.js';
import { StartTwoFactorHandler } from './two-factor/start-two-factor.handler.js';
import { VerifyTwoFactorHandler } from './two-factor/verify-two-factor.handler.js';
import { ChangeUserHandler } from './users/change-user.handler.js';
import { CreateUserHandler } from './users/create-user.handler.js';
import { EraseUserHandler } from './users/erase-user.handler.js';
import { UsersHandler } from './users/list-users.handler.js';
import { PersonalData } from './users/personal-data.js';
import { UserDirectory } from './users/user-directory.js';
import { UserIds } from './users/user-ids.js';
import { UserRegistration } from './users/user-registration.js';

/** One line for each service; a service is a class and its own injection token. */
const services: readonly Provider[] = [
  AccountViews,
  ApiKeyList,
  AppTokens,
  Authenticator,
  BrowserSignIns,
  Challenges,
  IdentityStreams,
  KeyBounds,
  KeyRing,
  Machines,
  NameIndex,
  PasswordChanges,
  PasswordCheck,
  { provide: Passwords, useFactory: () => new Passwords() },
  PersonalData,
  ProviderDiscovery,
  ProviderSubjects,
  ProviderUsers,
  SecondFactorCheck,
  SecondFactors,
  SessionOpener,
  TeamMemberships,
  UserDirectory,
  UserIds,
  UserRegistration,
];

/** One line for each command and query handler. */
const handlers: readonly Provider[] = [
  AccountContextHandler,
  AccountOfUserHandler,
  ChangePasswordHandler,
  ChangeUserHandler,
  ConfirmTwoFactorHandler,
  CreateUserHandler,
  DefineTenantHandler,
  DisableTwoFactorHandler,
  EndSessionsHandler,
  EraseUserHandler,
  GroupRulesHandler,
  IssueApiKeyHandler,
  ListApiKeysHandler,
  ListUsedKeysHandler,
  ListSessionsHandler,
  LogInHandler,
  ConfirmSessionHandler,
  OfferPasswordResetHandler,
  RedeemPasswordResetHandler,
  RemoveGroupRuleHandler,
  ReplaceRecoveryCodesHandler,
  ResetPasswordHandler,
  MailPasswordResetHandler,
  RestrictApiKeyHandler,
  RevokeApiKeyHandler,
  RevokeSessionHandler,
  RotateApiKeyHandler,
  RotateUserKeysHandler,
  SetGroupRuleHandler,
  SignInOpenIdHandler,
  StartTwoFactorHandler,
  UserProfileHandler,
  UsersHandler,
  VerifyTwoFactorHandler,
];

/**
 * Requires, besides the platform: `SECRETS`, `IDENTITY_SETTINGS`, `OPENID_SETTINGS`,
 * `AccountOpener`, `KeyBudgets`, `KeyUses`, `TeamRules` and `BalanceReader`, which the composition
 * root provides globally.
 */
@Module({
  providers: [...services, ...handlers],
  exports: [AppTokens, Authenticator, BrowserSignIns],
})
export class IdentityModule {}
