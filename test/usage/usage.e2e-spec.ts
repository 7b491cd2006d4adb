import { addKey, WITH_KEYS, WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp } from '../support/app.js';

describe('GET /api/v1/usage', () => {
  it.each([
    { flag: 'on', environment: WITH_WEBHOOKS, hasWebhooks: true, status: 200 },
    { flag: 'off', environment: WITH_KEYS, hasWebhooks: false, status: 404 },
  ])('with WEBHOOKS=$flag includes what there is', async ({ environment, hasWebhooks, status }) => {
    const test = await startTestApp({ ...environment, TIERS: '{"starter":{"webhooks":true}}' });
    for (const tier of ['starter', 'firehose'] as const) {
      const { bearer } = await addKey(test.database, { tier, scopes: ['read', 'webhooks'] });
      const ask = (path: string) => test.caller().get(path).set('Authorization', bearer);
      const { body } = await ask('/api/v1/usage').expect(200);
      expect(body).toMatchObject({ tier, includes: { feed: true, webhooks: hasWebhooks } });
      await ask('/api/v1/webhooks').expect(status);
    }
    await test.close();
  });
});
