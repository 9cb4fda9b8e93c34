import { describe, expect, it } from '@jest/globals';
import { deploymentOf, readFiles } from './compose.specification.js';
import { nginxFaultsOf } from './nginx-faults.specification.js';

const files = readFiles('compose.yaml', 'nginx.conf');
const deployment = deploymentOf(files, ['compose.yaml'], { MONGODB_PASSWORD: '0a1b2c' });
const text = files['nginx.conf'] ?? '';

describe('nginx before the gateways', () => {
  it('is without fault', () => {
    expect(nginxFaultsOf(text, deployment)).toEqual([]);
  });

  it.each([
    ['an upstream nobody starts', 'server gateway:', 'server gate:', 'gate is no service'],
    ['an upstream out of reach', 'server gateway:', 'server worker:', 'worker is on none of its'],
    ['another port', 'gateway:8080', 'gateway:8088', 'gateway does not listen at 8088'],
    ['addresses of its start', ':8080 resolve', ':8080', 'it never learns of another gateway'],
    ['a short patience', 'read_timeout 660s', 'read_timeout 600s', 'it ends requests before'],
    ['a small limit', 'body_size 8m', 'body_size 4m', 'it refuses bodies before'],
    ['a client unnamed', '$proxy_add_x_forwarded_for', '$host', 'does not learn who the client'],
    ['a buffer', 'proxy_buffering off', 'proxy_buffering on', 'proxy_buffering holds events'],
    ['compression', 'gzip off', 'gzip on', 'gzip holds events'],
    ['a second try', 'error timeout;', 'error timeout non_idempotent;', 'it may send a request'],
    ['an envelope of another route', '~^(/v1$|', '~^(', 'another envelope than /v1'],
  ])('is found out: %s', (_, right, wrong, fault) => {
    expect(text).toContain(right);
    const faults = nginxFaultsOf(
      text.replace(right, () => wrong),
      deployment,
    );
    expect(faults).toContainEqual(expect.stringContaining(fault));
  });
});
