import { type AccountContext } from '#areas/identity/accounts/account-context.handler.js';
import { type AccountView } from '#areas/identity/accounts/account-views.js';
import { type NewApiKey } from '#areas/identity/keys/issue-api-key.handler.js';
import { type ApiKeyView } from '#areas/identity/keys/list-api-keys.handler.js';
import { type UsedKeysView } from '#areas/identity/keys/list-used-keys.handler.js';
import { type FleetSettings } from '#areas/fleet/fleet.settings.js';
import { type LogInOutcome } from '#areas/identity/sessions/log-in.handler.js';
import { CHALLENGE_SECONDS } from '#areas/identity/two-factor/challenges.js';
import { type OpenedSession, SESSION_SECONDS } from '#areas/identity/sessions/session-opener.js';
import { toUsd } from '#platform/kernel/money.js';
import { withEntryPoints } from '../fleet/entry-points.dto.js';
import { type ApiKeyDto, type ApiKeysDto, type NewApiKeyDto } from './api-keys.dto.js';
import {
  type AccountContextDto,
  type LoginSuccessDto,
  type TenantDto,
  type TwoFactorChallengeDto,
  type UserDto,
} from './auth.dto.js';

/** `YYYY-MM-DD HH:MM:SS` in UTC, from ISO 8601. */
const spelled = (instant: string): string => instant.slice(0, 19).replace('T', ' ');

const presentUser = ({ user }: AccountView): UserDto => ({
  id: user.id,
  username: user.username,
  email: user.email,
  role: user.role,
  balance_usd: toUsd(user.balanceMicroUsd),
  twofa_enabled: user.twoFactorEnabled,
  theme: user.theme,
  language: user.language,
});

const presentTenant = ({ tenant }: AccountView): TenantDto => ({
  name: tenant.name,
  primary_color: tenant.primaryColor,
  base_url: tenant.baseUrl,
});

export const presentSession = (session: OpenedSession): Readonly<LoginSuccessDto> => ({
  success: true,
  token_type: 'Bearer',
  access_token: session.accessToken,
  api_key: session.apiKey,
  expires_in: SESSION_SECONDS,
  expires_at: spelled(session.expiresAt),
  scopes: session.scopes,
  user: presentUser(session),
  tenant: presentTenant(session),
  ...(session.wrongCodes && {
    wrong_codes: {
      count: session.wrongCodes.count,
      last_at: spelled(session.wrongCodes.lastAt),
    },
  }),
});

export const presentChallenge = (tempToken: string): TwoFactorChallengeDto => ({
  success: false,
  '2fa_required': true,
  temp_token: tempToken,
  message:
    'Two-factor code required: log in again with otp_code, ' +
    'or post temp_token and otp_code to /api/v1/auth/verify_2fa.',
  expires_in: CHALLENGE_SECONDS,
});

/** A session, or the challenge before it, as every log-in answers. */
export const presentOutcome = (
  outcome: LogInOutcome,
  fleet: FleetSettings,
): LoginSuccessDto | TwoFactorChallengeDto =>
  outcome.kind === 'session'
    ? { ...presentSession(outcome.session), ...withEntryPoints(fleet) }
    : presentChallenge(outcome.tempToken);

export const presentContext = ({ session, ...view }: AccountContext): AccountContextDto => ({
  success: true,
  user: presentUser(view),
  tenant: presentTenant(view),
  session: {
    id: session.id,
    app_name: session.appName,
    device_info: session.deviceInfo,
    scopes: session.scopes,
    started_at: spelled(session.startedAt),
    expires_at: spelled(session.expiresAt),
  },
});

export const presentKey = ({
  id,
  kind,
  name,
  policy,
  sessionId,
  ...key
}: ApiKeyView): Readonly<ApiKeyDto> => ({
  id,
  kind,
  name,
  scopes: policy.scopes,
  models: policy.models ?? null,
  routes: policy.routes ?? null,
  ip_ranges: policy.ipRanges ?? null,
  session_id: sessionId,
  created_at: spelled(key.issuedAt),
  expires_at: key.expiresAt === null ? null : spelled(key.expiresAt),
  cache_seconds: key.cacheSeconds ?? null,
});

export const presentKeys = ({ keys, position }: UsedKeysView): ApiKeysDto => ({
  success: true,
  keys: keys.map((key) => ({
    ...presentKey(key),
    last_used_at: key.lastUsedAt,
    charged_usd: toUsd(key.chargedMicroUsd),
  })),
  position: position.toString(),
});

export const presentNewKey = ({ secret, ...key }: NewApiKey): NewApiKeyDto => ({
  success: true,
  api_key: secret,
  key: presentKey(key),
});
