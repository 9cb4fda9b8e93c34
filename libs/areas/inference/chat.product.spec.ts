import { describe, expect, it } from '@jest/globals';
import { Products } from '#platform/ledger/product.js';
import { NOW, orderOf } from '#platform/chats/chat-order.fixture.js';
import { openInference, usage } from './inference-world.fixture.js';
import { chatProduct } from './chat.product.js';

describe('the product of a chat', () => {
  it('fits what a chat is held and charged with', async () => {
    const products = new Products([chatProduct]);
    const { admission, ledger } = openInference();
    const admitted = await admission.admit(orderOf());
    await admitted.capture({
      usage: usage(20, 300),
      outcome: 'completed',
      routed: { rig: 'local-vllm', attempts: ['answered'] },
      modelAnswered: null,
      replyHash: null,
      bytesOut: 0,
    });
    expect(products.ofHold(ledger.placed)).toBe(chatProduct);
    const promptHash = 'a1'.repeat(32);
    const evidence = { ...ledger.captured.evidence, promptHash };
    expect(products.ofCapture({ ...ledger.captured, evidence })).toBe(chatProduct);
    expect(ledger.captured.capturedAt).toBe(NOW);
  });
});
