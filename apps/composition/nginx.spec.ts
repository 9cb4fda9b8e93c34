import { describe, expect, it } from '@jest/globals';
import { deploymentOf, readFiles } from './compose.fixture.js';
import { nginxFaultsOf } from './nginx-faults.fixture.js';

const files = readFiles('compose.yaml', 'nginx.conf');
const deployment = deploymentOf(files, ['compose.yaml'], { MONGODB_PASSWORD: '0a1b2c' });
const text = files['nginx.conf'] ?? '';

describe('nginx before the gateways', () => {
  it('has no fault', () => {
    expect(nginxFaultsOf(text, deployment)).toEqual([]);
  });

  it.each([
    ['an upstream that is no service', 'server gateway:', 'server gate:', 'gate is no service'],
    ['an upstream out of reach', 'server gateway:', 'server worker:', 'worker is on none of its'],
    ['another port', 'gateway:8080', 'gateway:8088', 'gateway does not listen at 8088'],
    ['addresses resolved once', ':8080 resolve', ':8080', 'it does not resolve gateway again'],
    ['a short time-out', 'read_timeout 660s', 'read_timeout 600s', 'it ends requests before'],
    ['another limit', 'body_size 4m', 'body_size 8m', 'its limit of bodies is not'],
    ['a message with another limit', 'than 4194304', 'than 8388608', 'it names another limit'],
    ['a page in HTML', 'error_page 413', 'error_page 414', 'its 413 has no envelope'],
    ['a limit of files', 'body_size 0', 'body_size 512m', 'it rejects files by itself'],
    ['a buffer of files', 'request_buffering off', 'request_buffering on', 'it buffers uploads'],
    [
      'no address of the client',
      '$proxy_add_x_forwarded_for',
      '$host',
      'not get the address of the client',
    ],
    ['a buffer', 'proxy_buffering off', 'proxy_buffering on', 'proxy_buffering delays events'],
    ['compression', 'gzip off', 'gzip on', 'gzip delays events'],
    ['a retry', 'error timeout;', 'error timeout non_idempotent;', 'it may repeat a request'],
    [
      'the envelope of another route',
      '~^(/v1$|',
      '~^(',
      'it answers /v1 in the wrong error envelope',
    ],
    [
      'no envelope of Anthropic',
      '~^/v1/messages(',
      '~^/v1/message(',
      'it answers /v1/messages in the wrong error envelope',
    ],
  ])('has the fault that is planted: %s', (_, right, wrong, fault) => {
    expect(text).toContain(right);
    const faults = nginxFaultsOf(
      text.replace(right, () => wrong),
      deployment,
    );
    expect(faults).toContainEqual(expect.stringContaining(fault));
  });
});
