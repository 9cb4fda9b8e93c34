import { isDenied, messageOf } from '#platform/event-store/eventstoredb/client-errors.js';
import { type LogUser, provideLogUser } from '#platform/event-store/eventstoredb/log-user.js';
import { systemClock } from '#platform/kernel/clock.js';
import { pino } from 'pino';
import { openEventStore } from '../../composition/engines.js';
import { type Settings, withoutSecrets } from '../../composition/settings.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { settingsOf } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';

/** Before the first start of a process, and again after a change of the password. */
export const provideUser = async (
  _: CommonOptions,
  { environment, parts }: Invocation,
): Promise<Outcome> => {
  const settings = settingsOf(environment, parts?.areas);
  const user = userOf(settings);
  const admin = settings.eventStoreAdmin;
  if (admin === undefined) {
    const message = 'QUIPU_EVENT_STORE_ADMIN: expected the server with an administrator’s password';
    throw new CommandFailure('bad_settings', message, EXIT.usage);
  }
  const { created, granted } = await provideLogUser(admin, user).catch((error: unknown) => {
    throw failureOf('QUIPU_EVENT_STORE_ADMIN', error);
  });
  await tryAs(settings);
  return {
    json: { user: user.name, created, granted },
    text: [
      `The user ${user.name} of the log ${created ? 'was created' : 'has its password'}.`,
      granted ? 'It may read $all now.' : 'It could read $all already.',
    ].join(' '),
  };
};

const userOf = ({ eventStore }: Settings): LogUser => {
  const url = eventStore.kind === 'eventstoredb' ? eventStore.url : '';
  const [, name, password] = /\/\/([^:@/]+):([^@/]+)@/.exec(url) ?? [];
  if (name === undefined || password === undefined) {
    const message = 'QUIPU_EVENT_STORE: expected a server with the name and password of the user';
    throw new CommandFailure('bad_settings', message, EXIT.usage);
  }
  return { name: decodeURIComponent(name), password: decodeURIComponent(password) };
};

const failureOf = (variable: string, error: unknown): CommandFailure => {
  const code = isDenied(error) ? 'log_denied' : 'log_unavailable';
  const message = withoutSecrets(`${variable}: ${messageOf(error)}`);
  return new CommandFailure(code, message, EXIT.failed, { cause: error });
};

/** Opens the log with its new right. */
const tryAs = async (settings: Settings): Promise<void> => {
  const log = await openEventStore(settings, systemClock, pino({ level: 'silent' }));
  try {
    const { writable, reason } = await log.health();
    if (!writable) throw failureOf('QUIPU_EVENT_STORE', new Error(reason ?? 'not writable'));
  } finally {
    await log.close();
  }
};
