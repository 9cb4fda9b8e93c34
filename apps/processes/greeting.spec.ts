import { describe, expect, it } from '@jest/globals';
import { greetingOf } from './greeting.js';

const started = { url: 'http://127.0.0.1:8080', bootstrapFile: '/srv/quipu/bootstrap.json' };
const bootstrap = {
  username: 'demo',
  password: 'knots-and-cords',
  api_key: 'sk-svc-1',
  renter_key: 'sk-rnt-1',
  api_key_scopes: ['inference'],
};
const SECRETS = [bootstrap.password, bootstrap.api_key, bootstrap.renter_key];

describe('the greeting of a first start', () => {
  it('shows the credentials on a terminal, and a command that works unchanged', () => {
    const greeting = greetingOf({ ...started, bootstrap }, 'acme/large', true);
    expect(greeting).toMatch(/password {2}knots-and-cords\n {2}API key {3}sk-svc-1\n/);
    expect(greeting).toContain('-H "Authorization: Bearer sk-svc-1"');
  });

  it('asks a model of the running catalog, or lists the models where none answers chats', () => {
    const greeting = greetingOf({ ...started, bootstrap }, 'acme/large', true);
    expect(greeting).toContain('/v1/chat/completions');
    expect(greeting).toContain('-d \'{"model":"acme/large",');
    const without = greetingOf({ ...started, bootstrap }, null, true);
    expect(without).toContain('http://127.0.0.1:8080/v1/models');
    expect(without).not.toContain('/v1/chat/completions');
  });

  it('names only their file elsewhere', () => {
    const greeting = greetingOf({ ...started, bootstrap }, 'acme/large', false);
    for (const secret of SECRETS) expect(greeting).not.toContain(secret);
    expect(greeting).toContain('Its credentials are in\n/srv/quipu/bootstrap.json\n');
    expect(greeting).toContain('-H "Authorization: Bearer $KEY"');
  });

  it('is one line afterwards', () => {
    expect(greetingOf({ ...started, bootstrap: undefined }, 'acme/large', true)).toBe(
      'Quipu is ready at http://127.0.0.1:8080\n',
    );
  });
});
