import { describe, expect, it } from '@jest/globals';
import { rejectedFieldOf } from '#platform/batches/rejected-field.fixture.js';
import { ScriptedChatLines } from '../chat-calls.fake.js';
import { ResponseBatchEndpoint } from './response-batch.endpoint.js';

const REQUEST_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const AT = Date.parse('2026-11-21T05:00:00.000Z');
const never = new AbortController().signal;
const line = { model: 'm', input: 'a', instructions: 'Be brief.', max_output_tokens: 5 };

const open = () => {
  const chats = new ScriptedChatLines();
  return { chats, endpoint: new ResponseBatchEndpoint(chats, { now: () => AT }) };
};

describe('a response as a line of a batch', () => {
  it('is a chat behind interactive ones, and a response that is not stored', async () => {
    const { chats, endpoint } = open();
    const run = () =>
      endpoint.run({ requestId: REQUEST_ID, accountId: '7', pricedAtMs: 0, body: line }, never);
    const answer = await run();
    expect(answer).toMatchObject({
      body: {
        id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
        object: 'response',
        created_at: AT / 1e3,
        completed_at: AT / 1e3,
        status: 'completed',
        background: false,
        store: false,
        model: 'm',
        routing_mode: 'auto',
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'Cords.' }] }],
        usage: { input_tokens: 2, output_tokens: 3, total_tokens: 5 },
      },
      used: [
        { meter: 'input_tokens', quantity: 2, rig: 'r' },
        { meter: 'output_tokens', quantity: 3, rig: 'r' },
      ],
    });
    expect(chats.asked).toMatchObject([
      {
        line: {
          body: {
            model: 'm',
            max_tokens: 5,
            messages: [
              { role: 'system', content: 'Be brief.' },
              { role: 'user', content: 'a' },
            ],
          },
        },
        order: { accountId: '7', priority: 'batch' },
      },
    ]);
    expect((await run()).body['id']).toBe(answer.body['id']);
  });

  it.each([
    ['store', { store: true }],
    ['background', { background: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['input', { input: [] }],
    ['input[0].role', { input: [{ role: 'knot', content: 'a' }] }],
  ])('is refused by name: %s', (param, more) => {
    expect(rejectedFieldOf(open().endpoint, { ...line, ...more })).toBe(param);
  });

  it('is refused where it is no object', () => {
    expect(rejectedFieldOf(open().endpoint, 'a')).toBe('the body');
  });
});
