import { Takers } from '../../src/access/network-rules.js';
import { WorkRepository } from '../../src/work/work.repository.js';
import { AccountPurge } from '../../src/accounts/account-purge.js';
import { WebhookPurge } from '../../src/notify/webhooks/webhooks.module.js';
import { WITH_WEBHOOKS } from '../support/accounts.js';
import { addDomains } from '../support/domains.js';
import { dropNames } from '../support/webhook-owner.js';
import { until } from '../support/processes.js';
import {
  accountsAppOfFile,
  fieldOf,
  makeKey,
  PASSWORD,
  signedInVisitor,
  type Visitor,
  visitorOf,
} from '../support/visitor.js';

const test = accountsAppOfFile({ ...WITH_WEBHOOKS, WEBHOOK_WORKER: 'on' });
beforeAll(async () => {
  const seed = { wayback: 1, first_seen: null, available: true, hidden: false };
  await addDomains(
    test.database,
    Array.from({ length: 9 }, (_, place) => ({ ...seed, domain: `paid-${place}.com.au` })),
  );
});

const pageOf = async (visitor: Visitor, path: string) => (await visitor.open(path).expect(200)).text;
const ask = (key: string, path: string) => test.caller().get(path).set('Authorization', `Bearer ${key}`);

describe('/profile/usage', () => {
  it('draws what was charged by day and key, and says what is left', async () => {
    const visitor = await signedInVisitor(test);
    expect(await pageOf(visitor, '/profile/usage')).toContain('No charges yet');
    const { text, id } = await makeKey(visitor, { name: 'A <program>' });
    await ask(text, '/v1/suggest?q=paid&limit=3').expect(200);
    await visitor.send('/domains/paid-1.com.au', {}).expect(303);
    // What was sent is charged a moment later.
    let html = '';
    await until('all is charged', async () => {
      html = await pageOf(visitor, '/profile/usage');
      return html.includes(': 4 in all.');
    });
    expect(html).toContain('A &lt;program&gt;');
    expect(html).toContain('pages and apps');
    expect(html).toMatch(/role="img" aria-label="Records by day and key, .*: 4 in all\./);
    expect(html).toContain('<b>This minute</b><span>4 of 100</span>');
    const csv = await visitor.open('/profile/usage.csv').expect(200);
    expect(csv.headers['content-disposition']).toContain('attachment');
    expect(csv.text).toContain(`,${id},A <program>,3\n`);
    await visitorOf(test).open('/profile/usage').expect(303);
  });
});

describe('/profile/sessions', () => {
  it('lists browsers that are signed in, and ends them', async () => {
    const visitor = await signedInVisitor(test);
    const { email } = visitor;
    const others = [visitorOf(test), visitorOf(test)] as const;
    for (const other of others)
      await other
        .send('/sign-in', { email, password: PASSWORD })
        .set('User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0')
        .expect(303);
    const html = await pageOf(visitor, '/profile/sessions');
    expect(html.match(/Firefox on Linux<\/th>/g)).toHaveLength(2);
    expect(html.match(/this browser/g)).toHaveLength(1);
    const end = /action="(\/profile\/sessions\/[0-9a-f-]{36}\/end)"/.exec(html)?.[1] ?? '';
    await (await signedInVisitor(test)).send(end, {}).expect(404);
    await visitor.send(end, {}).expect(303);
    const statuses = await Promise.all(others.map(async (other) => (await other.open('/profile')).status));
    expect(statuses.sort()).toEqual([200, 303]);
    await visitor.send('/profile/sessions/end-others', {}).expect(303);
    for (const other of others) await other.open('/profile').expect(303);
    expect(await pageOf(visitor, '/profile/sessions')).toContain('No other browser is signed in');
  });
});

describe("one's data", () => {
  /** An account that has something in every table. */
  async function fullAccount(): Promise<{ visitor: Visitor; id: string; secrets: string[] }> {
    const visitor = await signedInVisitor(test);
    const [account] = await test.database.query<{ id: string }>(
      `UPDATE account SET tier = 'pro' WHERE email = $1 RETURNING id`,
      [visitor.email],
    );
    const { text } = await makeKey(visitor);
    await ask(text, '/v1/suggest?q=paid&limit=2').expect(200);
    await visitor.send('/watch', { question: 'q=full' }).expect(303);
    const made = await visitor
      .send('/profile/webhooks', { url: 'https://127.0.0.1:9/hook', events: 'domain.dropped', q: 'full' })
      .expect(201);
    await dropNames(test, `full-${visitor.email.replace(/\W/g, '')}.com.au`);
    const [{ id } = { id: '' }] = [account].flatMap((one) => (one ? [one] : []));
    await until('all of it is told and charged', async () => {
      const [row] = await test.database.query<{ told: boolean }>(
        `SELECT EXISTS (SELECT FROM watch_notice WHERE account_id = $1)
            AND EXISTS (SELECT FROM webhook_delivery JOIN webhook ON webhook.id = webhook_id WHERE account_id = $1)
            AND EXISTS (SELECT FROM usage_day WHERE account_id = $1) AS told`,
        [id],
      );
      return row?.told;
    });
    const secret = /id="secret" readonly value="(whsec_[^"]+)"/.exec(made.text)?.[1] ?? '';
    return { visitor, id, secrets: [text, secret] };
  }

  it('is had as a file, without what proves who somebody is', async () => {
    const { visitor, secrets } = await fullAccount();
    const { text, headers } = await visitor.open('/profile/data.json').expect(200);
    expect(headers['content-disposition']).toBe('attachment; filename="bowerbird-account.json"');
    const data = JSON.parse(text) as Record<string, unknown[]>;
    expect(data).toMatchObject({
      account: [{ email: visitor.email, tier: 'pro' }],
      sessions: [{ user_agent: expect.anything() }],
      api_keys: [{ name: 'My program', kind: 'live' }],
      watches: [{ question: 'q=full', domain: null }],
      watch_settings: [{ mails: 'at_once' }],
      watch_notices: [{ type: 'domain.dropped' }],
      webhooks: [{ url: 'https://127.0.0.1:9/hook' }],
      usage: [{ records: 2 }],
      activity: expect.arrayContaining([expect.objectContaining({ action: 'key.create' })]),
    });
    for (const secret of [...secrets, PASSWORD]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/hash|secret|token/);
    await visitorOf(test).open('/profile/data.json').expect(303);
  });

  it('is gone with the account, after the password was asked again', async () => {
    const { visitor, id } = await fullAccount();
    const webhooks = await test.database.query<{ id: string }>(
      'SELECT id FROM webhook WHERE account_id = $1',
      [id],
    );
    await until('what was taken is written', async () => {
      await test.app.get(Takers).write();
      return (await tablesWith([id])).includes('taken_hour');
    });
    await visitor.send('/profile/delete', { password: 'not the password' }).expect(401);
    await visitor.send('/profile/delete', { password: PASSWORD }).expect(303);
    // The rounds of the hour.
    await test.app.get(AccountPurge).purge(new Date());
    await test.app.get(WebhookPurge).run();
    // A mail or a delivery that was under way keeps its row of work until it ends.
    await until('no work of the account is left', async () => {
      await test.app.get(WorkRepository).deleteIdle(new Date(Date.now() + 3_600_000));
      return !(await tablesWith([id, ...webhooks.map((one) => one.id)])).includes('work');
    });
    expect(await tablesWith([visitor.email, ...webhooks.map((one) => one.id)])).toEqual([]);
    // What was done with it stays on record for a year, and what was taken for two days, under a number that leads to
    // nobody any more.
    expect((await tablesWith([id])).sort()).toEqual(['audit_log', 'taken_hour']);
  });

  /** Every table with a row that holds one of these texts. */
  async function tablesWith(texts: readonly string[]): Promise<string[]> {
    const tables = await test.database.query<{ name: string }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await test.database.query(
        `SELECT FROM ${name} AS one WHERE one::text LIKE ANY (SELECT '%' || text || '%' FROM unnest($1::text[]) AS text) LIMIT 1`,
        [texts],
      );
      if (rows.length > 0) found.push(name);
    }
    return found;
  }
});

it('the key that was made is shown in the field of a key, and the form made it once', async () => {
  const visitor = await signedInVisitor(test);
  const submission = fieldOf(await pageOf(visitor, '/profile/api-keys'), 'submission');
  const form = { submission, name: 'Once', kind: 'live', scopes: ['read'], expires_days: '30' };
  const { text } = await visitor.send('/profile/api-keys', form).expect(201);
  expect(text).toMatch(/<p class="key">\s*<label for="key">Key<\/label>/);
  await visitor.send('/profile/api-keys', form).expect(409);
});
