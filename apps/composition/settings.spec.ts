import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { listeningUrl, readSettings, SettingsError } from './settings.js';

const messageOf = (environment: NodeJS.ProcessEnv): string => {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('accepted');
};

describe('settings', () => {
  it('have a default each', () => {
    const home = path.resolve('.quipu');
    expect(readSettings({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      home,
      catalogFile: undefined,
      eventsFile: path.join(home, 'events.db'),
      viewsFile: path.join(home, 'views.db'),
      trustProxy: 0,
      webUrl: undefined,
      logLevel: 'info',
      drainSeconds: 30,
      requestSeconds: 600,
      settleSeconds: 60,
      keepAliveSeconds: 15,
      bodyLimitBytes: 4_194_304,
    });
  });

  it('take an empty variable for one that is not set', () => {
    expect(readSettings({ PORT: '', QUIPU_CATALOG: '' })).toEqual(readSettings({}));
  });

  it.each([
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['HOST', '::', { host: '::' }],
    ['HOST', 'Quipu.example', { host: 'Quipu.example' }],
    ['QUIPU_HOME', '/srv/quipu', { home: '/srv/quipu', eventsFile: '/srv/quipu/events.db' }],
    ['QUIPU_HOME', '~/q', { home: path.join(homedir(), 'q') }],
    ['QUIPU_CATALOG', '/etc/catalog.yaml', { catalogFile: '/etc/catalog.yaml' }],
    ['QUIPU_EVENT_STORE', 'sqlite:/data/log.db', { eventsFile: '/data/log.db' }],
    [
      'QUIPU_READ_STORE',
      'sqlite:~/views.db',
      { viewsFile: path.join(homedir(), 'views.db'), home: path.resolve('.quipu') },
    ],
    ['QUIPU_BUS', 'memory:', {}],
    ['QUIPU_TRUST_PROXY', '2', { trustProxy: 2 }],
    ['QUIPU_TRUST_PROXY', '10.0.0.0/8, ::1', { trustProxy: ['10.0.0.0/8', '::1'] }],
    ['QUIPU_WEB_URL', 'https://quipu.example', { webUrl: 'https://quipu.example' }],
    ['QUIPU_LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['QUIPU_DRAIN_SECONDS', '5', { drainSeconds: 5 }],
    ['QUIPU_REQUEST_SECONDS', '5', { requestSeconds: 5 }],
    ['QUIPU_SETTLE_SECONDS', '5', { settleSeconds: 5 }],
    ['QUIPU_KEEP_ALIVE_SECONDS', '5', { keepAliveSeconds: 5 }],
    ['QUIPU_BODY_LIMIT_BYTES', '1024', { bodyLimitBytes: 1_024 }],
  ])('%s=%s', (name, value, settings) => {
    expect(readSettings({ [name]: value })).toMatchObject(settings);
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', 'http'],
    ['PORT', '80.5'],
    ['HOST', '999.1.1.1'],
    ['HOST', 'a/b'],
    ['HOST', 'a:80'],
    ['QUIPU_TRUST_PROXY', 'nginx'],
    ['QUIPU_TRUST_PROXY', '-1'],
    ['QUIPU_TRUST_PROXY', '10.0.0.0/33'],
    ['QUIPU_TRUST_PROXY', '10.0.0.0/8,'],
    ['QUIPU_EVENT_STORE', 'esdb://localhost:2113'],
    ['QUIPU_EVENT_STORE', 'sqlite:'],
    ['QUIPU_READ_STORE', 'mongodb://localhost'],
    ['QUIPU_BUS', 'kafka://localhost:9092'],
    ['QUIPU_WEB_URL', 'quipu'],
    ['QUIPU_WEB_URL', 'ftp://quipu.example'],
    ['QUIPU_LOG_LEVEL', 'loud'],
    ['QUIPU_DRAIN_SECONDS', '0'],
    ['QUIPU_REQUEST_SECONDS', 'forever'],
    ['QUIPU_SETTLE_SECONDS', '0'],
    ['QUIPU_KEEP_ALIVE_SECONDS', '86401'],
    ['QUIPU_BODY_LIMIT_BYTES', '1'],
  ])('name the variable that is wrong: %s=%s', (name, value) => {
    expect(messageOf({ [name]: value })).toMatch(new RegExp(`^bad settings\\n  ${name}: .+$`));
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8080'],
    ['::1', 'http://[::1]:8080'],
    ['fe80::1%eth0', 'http://[fe80::1]:8080'],
    ['localhost', 'http://localhost:8080'],
  ])('make a URL of the host %s', (host, url) => {
    expect(listeningUrl({ host, port: 8080 })).toBe(url);
  });

  it('name every variable that is wrong', () => {
    const message = messageOf({ PORT: 'x', QUIPU_BUS: 'x', QUIPU_HOME: '/srv' });
    expect(message).toContain('\n  PORT: ');
    expect(message).toContain('\n  QUIPU_BUS: ');
    expect(message).not.toContain('QUIPU_HOME');
  });
});
