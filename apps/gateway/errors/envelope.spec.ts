import { describe, expect, it } from '@jest/globals';
import { errorType } from '#platform/runtime/areas/failure.js';
import { envelope, errorShapeOf } from './envelope.js';
import { failure } from './failure-of.js';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

const notFound = failure({ status: 404, code: 'model_not_found', message: 'no', param: 'model' });

describe('the envelope of a failure', () => {
  it('is OpenAI’s where the route declares it', () => {
    const routeOptions = { config: { errorShape: 'openai' } } as const;
    expect(errorShapeOf({ url: '/api/v1/chat/completions?x=1', routeOptions })).toBe('openai');
  });

  it.each(['/v1', '/v1/nowhere?x=1'])('is OpenAI’s at %s, which has no route', (url) => {
    expect(errorShapeOf({ url })).toBe('openai');
    expect(envelope({ id: ID, url }, notFound)).toEqual({
      error: { message: 'no', type: 'not_found_error', param: 'model', code: 'model_not_found' },
    });
  });

  it.each(['/', '/v10/x', '/api/v1/billing/overview.php', '/x?y=/v1/'])(
    'is the application’s at %s',
    (url) => {
      expect(errorShapeOf({ url })).toBe('application');
      expect(envelope({ id: ID, url }, notFound)).toEqual({
        success: false,
        message: 'no',
        code: 'model_not_found',
        param: 'model',
      });
    },
  );

  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [409, 'conflict_error'],
    [413, 'request_too_large'],
    [415, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [501, 'api_error'],
    [502, 'api_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
  ])('is Anthropic’s under its path: %i is %s', (status, type) => {
    for (const url of ['/v1/messages', '/v1/messages/x?y=1']) {
      expect(envelope({ id: ID, url }, failure({ status, code: 'x', message: 'no' }))).toEqual({
        type: 'error',
        error: { type, message: 'no', code: 'x' },
        request_id: ID,
      });
    }
    expect(errorShapeOf({ url: '/v1/messages2' })).toBe('openai');
  });

  it('has the fields that OpenAI’s clients read, even when empty', () => {
    const bare = failure({ status: 500, code: 'x', message: 'no' });
    expect(envelope({ id: ID, url: '/v1' }, bare)).toEqual({
      error: { message: 'no', type: 'server_error', param: null, code: 'x' },
    });
    expect(envelope({ id: ID, url: '/' }, bare)).toEqual({
      success: false,
      message: 'no',
      code: 'x',
    });
  });

  it('has the metadata of the failure', () => {
    const metadata = { reason: 'insufficient_balance' };
    const poor = failure({ status: 402, code: 'insufficient_balance', message: 'no', metadata });
    expect(envelope({ id: ID, url: '/v1' }, poor)).toMatchObject({ error: { metadata } });
    expect(envelope({ id: ID, url: '/' }, poor)).toMatchObject({ metadata });
  });

  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'insufficient_quota'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [409, 'conflict_error'],
    [413, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('has the OpenAI type of status %d', (status, type) => {
    expect(errorType(status)).toBe(type);
  });
});
