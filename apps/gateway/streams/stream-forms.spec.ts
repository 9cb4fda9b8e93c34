import { describe, expect, it } from '@jest/globals';
import { type Failure } from '../errors/envelope.js';
import { interruptedEvent } from './stream-forms.js';

const failure: Failure = {
  status: 503,
  code: 'stream_lost',
  message: 'the gateway has stopped',
  param: null,
  type: 'server_error',
  retryAfterSeconds: null,
  metadata: null,
  rig: null,
};
const { code, message, type } = failure;

/** The name and the data of the event in a form. */
const written = (form: string): readonly [string | undefined, unknown] => {
  const text = interruptedEvent(form, { failure, streamId: 'one', events: 4 });
  const [, name, data = ''] = /^(?:event: (.*)\n)?data: (.*)\n\n$/.exec(text) ?? [];
  return [name, JSON.parse(data)];
};

describe('the event that ends a resumed stream without its end', () => {
  it('is what the clients of each interface take for an error', () => {
    const error = { message, type, param: null, code };
    const choice = { index: 0, finish_reason: 'error' };
    const chat = [undefined, { error, choices: [{ ...choice, delta: {} }] }];
    expect(written('chat')).toEqual(chat);
    expect(written('completion')).toEqual([
      undefined,
      { error, choices: [{ ...choice, text: '' }] },
    ]);
    expect(written('message')).toEqual([
      'error',
      { type: 'error', error: { type: 'overloaded_error', message, code }, request_id: 'one' },
    ]);
    expect(written('response')).toEqual([
      'error',
      { type: 'error', code, message, param: null, sequence_number: 4 },
    ]);
    expect(written('of a later version')).toEqual(chat);
  });
});
