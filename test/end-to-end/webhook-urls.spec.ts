import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startWorld, type World } from './quipu.harness.js';

describe('webhooks without permission for private addresses', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([]);
  });

  afterAll(() => world.close());

  it.each(['http://shop.example/hooks', 'https://127.0.0.1/', 'https://localhost/'])(
    'do not lead to %s',
    async (url) => {
      const { body } = await request(world.quipu.url)
        .post('/api/v1/webhooks')
        .set({ authorization: `Bearer ${world.credentials.api_key}` })
        .send({ url })
        .expect(400);
      expect(body).toMatchObject({
        code: 'webhook_url_not_allowed',
        param: 'url',
        message: expect.stringContaining('QUIPU_WEBHOOK_PRIVATE=allow'),
      });
    },
  );
});
