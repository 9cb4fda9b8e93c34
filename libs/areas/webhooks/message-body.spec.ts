import { describe, expect, it } from '@jest/globals';
import { BODY_OF } from './message-body.js';

const message = {
  notification: 'alert.raised',
  occurredAt: '2026-11-26T10:00:00.000Z',
  accountId: '7',
  body: { kind: 'balance_low', available_usd: 0.02, usual_usd: null, note: '<!channel> & more' },
};

describe('the body of a message', () => {
  it('names the account', () => {
    expect(JSON.parse(BODY_OF.standard(message))).toEqual({
      type: 'alert.raised',
      timestamp: message.occurredAt,
      account_id: '7',
      data: message.body,
    });
  });

  it('is a text for Slack, with its markup escaped and without facts that are null', () => {
    expect(JSON.parse(BODY_OF.slack(message))).toEqual({
      text:
        '*alert.raised* of account 7\nkind: balance_low\navailable_usd: 0.02\n' +
        'note: &lt;!channel&gt; &amp; more',
    });
  });

  it('is a text of a mail, whose first line is its subject', () => {
    expect(BODY_OF.mail(message)).toBe(
      'alert.raised of account 7\n2026-11-26T10:00:00.000Z\n\n' +
        'kind: balance_low\navailable_usd: 0.02\nnote: <!channel> & more',
    );
  });

  it('is a short text for Slack', () => {
    const long = { ...message, body: { note: 'x'.repeat(9_000) } };
    expect((JSON.parse(BODY_OF.slack(long)) as { text: string }).text).toHaveLength(2_000);
  });
});
