import { Webhook } from 'standardwebhooks';
import { WITH_WEBHOOKS } from '../support/accounts.js';
import { until } from '../support/processes.js';
import { type AccountsApp, signedInVisitor, startAccountsApp, type Visitor } from '../support/visitor.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';
import { dropNames } from '../support/webhook-owner.js';

let test: AccountsApp;
let receiver: Receiver;
let owner: Visitor;
beforeAll(async () => {
  test = await startAccountsApp({
    ...WITH_WEBHOOKS,
    WEBHOOK_RETRY_SECONDS: '0',
    WEBHOOK_TIMEOUT_MS: '5000',
    WEBHOOK_UNPROVEN_PACE_SECONDS: '1',
  });
  receiver = await startReceiver();
  owner = await visitorOfTier('pro');
});
afterAll(async () => {
  await receiver.close();
  await test.close();
});

async function visitorOfTier(tier: string): Promise<Visitor> {
  const visitor = await signedInVisitor(test);
  await test.database.query('UPDATE account SET tier = $2 WHERE email = $1', [visitor.email, tier]);
  return visitor;
}
const secretIn = (html: string) => /id="secret" readonly value="(whsec_[^"]+)"/.exec(html)?.[1] ?? '';

/** Makes a webhook to this path of the receiver. @returns the address of its page */
async function make(path: string, form: Record<string, string | string[]> = {}): Promise<string> {
  const { text } = await owner
    .send('/profile/webhooks', {
      url: receiver.url + path,
      description: `for ${path}`,
      events: 'domain.dropped',
      ...form,
    })
    .expect(201);
  receiver.secrets.set(path, secretIn(text));
  return /href="(\/profile\/webhooks\/[0-9a-f-]{36})"/.exec(text)?.[1] ?? '';
}
const receivedAt = (path: string) => receiver.received.filter((one) => one.path === path);
const pageOf = async (path: string) => (await owner.open(path).expect(200)).text;
/** The page, once it says so: what is delivered is noted a moment later. */
const pageSaying = (path: string, text: string) =>
  until(`the page says ${text}`, async () => {
    const html = await pageOf(path);
    return html.includes(text) ? html : undefined;
  });

describe('/profile/webhooks', () => {
  it('makes a webhook, whose deliveries and answers are on its page', async () => {
    expect(await pageOf('/profile/webhooks')).toContain('You have no webhook yet');
    const page = await make('/made', { q: 'hooked', tld: ['com.au', 'au'], max_length: '12' });
    expect(await pageOf('/profile/webhooks')).toContain(
      'a name is confirmed as free: with “hooked”, .com.au or .au, up to 12 letters',
    );
    await dropNames(test, 'hooked-one.com.au', 'hooked-one.net.au', 'other.com.au');
    const html = await pageSaying(page, 'delivered</span>');
    expect(html).toMatch(/204 in \d+ ms|200 in \d+ ms/);
    expect(receivedAt('/made')).toHaveLength(1);
    expect(receiver.refused).toEqual([]);
  });

  it('says how a host is proven, and is told so', async () => {
    const page = await make('/unproven');
    const html = await pageOf(page);
    const line = /<code>(bowerbird-webhooks=[\w-]{43})<\/code>/.exec(html)?.[1] ?? '';
    expect(html).toContain('one delivery in 1 seconds');
    const { text } = await owner.send(`${page}/prove`, { by: 'challenge' }).expect(409);
    expect(text).toContain('is not proven: the answer to the challenge');
    receiver.files.set('/.well-known/bowerbird-webhooks.txt', `${line}\n`);
    await test.database.query('UPDATE webhook_turn SET next_proof_at = NULL');
    await owner
      .send(`${page}/prove`, { by: 'file' })
      .expect(303)
      .expect('Location', `${page}?done=host-proven`);
    const proven = await pageOf(page);
    expect(proven).toContain('Host confirmed');
    expect(proven).not.toContain('Confirm your host');
  });

  it('tests, delivers again, replays, pauses and removes one', async () => {
    const page = await make('/driven', { q: 'driven' });
    await owner.send(`${page}/test`, {}).expect(303).expect('Location', `${page}?done=under-way`);
    const html = await pageSaying(page, 'delivered</span>');
    const again = /action="([^"]+\/redeliver)"/.exec(html)?.[1] ?? '';
    await owner.send(again, {}).expect(303);
    await until('it came twice', () => receivedAt('/driven').length === 2);
    await dropNames(test, 'driven.com.au');
    await until('the drop', () => receivedAt('/driven').length === 3);
    await owner.send(`${page}/replay`, { days: '1' }).expect(303);
    await until('the replay', () => receivedAt('/driven').length === 4);
    await owner.send(`${page}/pause`, {}).expect(303);
    expect(await pageOf(page)).toContain('paused</span>');
    await owner.send(`${page}/test`, {}).expect(409);
    await owner.send(`${page}/resume`, {}).expect(303);
    expect(await pageOf(`${page}?status=failed`)).toContain('No deliveries yet');
    await owner.send(`${page}/delete`, {}).expect(303);
    await owner.open(page).expect(404);
  });

  it('makes a new secret, shown once, and the old one signs no longer where it leaked', async () => {
    const page = await make('/rotated');
    const before = receiver.secrets.get('/rotated') ?? '';
    const { text } = await owner.send(`${page}/rotate`, { overlap_seconds: '0' }).expect(201);
    const secret = secretIn(text);
    receiver.secrets.set('/rotated', secret);
    await owner.send(`${page}/test`, {}).expect(303);
    const [one] = await until('the test', () =>
      receivedAt('/rotated').length > 0 ? receivedAt('/rotated') : undefined,
    );
    expect(receiver.refused).toEqual([]);
    expect(one).toBeDefined();
    expect(secret).not.toBe(before);
    expect(() => new Webhook(secret)).not.toThrow();
    expect(await pageOf(page)).not.toContain(secret);
  });

  it.each([
    ['no address', { url: '', events: 'domain.dropped' }, 'url'],
    ['an address inside', { url: 'https://10.0.0.1/hook', events: 'domain.dropped' }, 'url'],
    ['no event', { url: 'https://example.com/hook' }, 'one event at least'],
    [
      'what is no number',
      { url: 'https://example.com/', events: 'domain.dropped', min_length: 'x' },
      'min_length',
    ],
  ])('%s is refused with the reason', async (_, form: Record<string, string>, message) => {
    const { text } = await owner.send('/profile/webhooks', form).expect(400);
    expect(text).toContain(message);
    expect(text).toContain('href="/profile/webhooks"');
  });

  it("is for nobody else's webhooks, and for tiers that have them", async () => {
    const page = await make('/mine');
    const other = await visitorOfTier('firehose');
    await other.open(page).expect(404);
    await other.send(`${page}/delete`, {}).expect(404);
    const member = await signedInVisitor(test);
    expect((await member.open('/profile/webhooks').expect(200)).text).toContain('Your tier has none');
    await member
      .send('/profile/webhooks', { url: `${receiver.url}/x`, events: 'domain.dropped' })
      .expect(403);
    await owner.agent.post(`${page}/delete`).set('Sec-Fetch-Site', 'cross-site').expect(403);
    await owner.open(page).expect(200);
  });
});
