import { AccountRepository } from '../../src/accounts/account.repository.js';
import { callerIdOfAccount } from '../../src/access/caller.js';
import { TIERS, type TierName } from '../../src/config/tiers.js';
import { NotificationMatcher } from '../../src/notify/watches/notification-matcher.js';
import { NoticeRepository } from '../../src/notify/watches/notice.repository.js';
import { MailDispatcher, noticeInWords } from '../../src/notify/watches/mail-dispatcher.js';
import { MailboxRepository, MAX_MAILS_A_DAY } from '../../src/notify/watches/mailbox.repository.js';
import { type WatchingCaller, WatchesService } from '../../src/notify/watches/watches.service.js';
import { WorkLoop } from '../../src/work/work-loop.js';
import { addAccount } from '../support/accounts.js';
import { HandedClock } from '../support/clock.js';
import { countWaiting } from '../support/database.js';
import { addDomain, addInState, settle, VOUCHED_AT } from '../support/domains.js';
import { importText, importVouched } from '../support/import.js';
import { listOf } from '../support/lists.js';
import { lifecycleOn } from '../support/lifecycle.js';
import { until } from '../support/processes.js';
import { type AccountsApp, mailsTo, startAccountsApp } from '../support/visitor.js';
import { WATCHED_KINDS } from '../../src/domains/schema/events.js';

const clock = new HandedClock();
let test: AccountsApp;
let service: WatchesService;
beforeAll(async () => {
  test = await startAccountsApp({}, clock);
  service = test.app.get(WatchesService);
});
afterAll(() => test.close());

interface Owner extends WatchingCaller {
  readonly email: string;
}

async function owner(tier: TierName = 'pro'): Promise<Owner> {
  const accountId = await addAccount(test.database, tier);
  const [row] = await test.database.query<{ email: string }>('SELECT email FROM account WHERE id = $1', [
    accountId,
  ]);
  return { accountId, id: callerIdOfAccount(accountId), tier: TIERS[tier], email: row?.email ?? '' };
}

const drop = (...names: string[]) =>
  importVouched(test.database, `domain,wayback\n${names.map((name) => `${name},5\n`).join('')}`, {
    now: new Date(),
  });
const told = async ({ accountId }: Owner) =>
  (await service.readWatching(accountId, 1_000)).notices
    .map(({ type, domain }) => `${type} ${domain}`)
    .sort();
const mails = ({ email }: Owner) => mailsTo(test, email);
/** All events are matched, and what is due then is mailed. */
async function pass(at: string): Promise<void> {
  clock.set(new Date(at));
  await matched();
  await until('the mails are written', async () => {
    await test.app.get(MailDispatcher).enqueueDue(new Date(at));
    test.app.get(WorkLoop).wake();
    const [row] = await test.database.query<{ due: number }>(
      `SELECT count(*)::int AS due FROM watcher JOIN account ON account.id = account_id
        WHERE mail_due_at <= $1 AND disabled_at IS NULL`,
      [new Date(at)],
    );
    return row?.due === 0;
  });
}
async function matched(): Promise<void> {
  await until('all events are matched', async () => {
    await test.app.get(NotificationMatcher).handOver(await clock.now());
    const [row] = await test.database.query<{ done: boolean }>(
      'SELECT (SELECT last_event FROM watch_outbox) = last_event AS done FROM dataset',
    );
    return row?.done;
  });
}

describe('a watched name', () => {
  it('is told of only what happens after the watch was set', async () => {
    const somebody = await owner();
    await service.watchName('opens-the-outbox.com.au', WATCHED_KINDS, somebody);
    await test.database.transaction(async (lock) => {
      // The event is not matched before the watch is there.
      await lock.query('SELECT FROM watch_outbox FOR UPDATE');
      await drop('just-before.com.au');
      await service.watchName('just-before.com.au', WATCHED_KINDS, somebody);
    });
    await matched();
    expect(await told(somebody)).toEqual([]);
  });

  it('is told of by mail as soon as something happens, with a button to end it', async () => {
    const somebody = await owner('member');
    await service.watchName(' Watched-One.COM.AU. ', WATCHED_KINDS, somebody);
    await drop('watched-one.com.au', 'not-watched.com.au');
    await pass('2026-11-20T03:00:00Z');
    const [mail, ...more] = await until('the mail', () =>
      mails(somebody).length > 0 ? mails(somebody) : undefined,
    );
    expect(more).toEqual([]);
    expect(mail?.subject).toBe(
      'watched-one.com.au dropped, and is free according to test; the registry was not asked yet',
    );
    expect(mail?.text).toContain('http://bowerbird.test/domains/watched-one.com.au');
    expect(mail?.head).toMatch(
      /^List-Unsubscribe: <http:\/\/bowerbird\.test\/watch\/unsubscribe\?token=[^>]+>$/m,
    );
    expect(mail?.head).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
    expect(await told(somebody)).toEqual(['domain.dropped watched-one.com.au']);
  });

  it('is said to be made up where a sandbox confirmed it, in the mail, its subject and the feed', async () => {
    const somebody = await owner('member');
    await service.watchName('made-up-drop.com.au', WATCHED_KINDS, somebody);
    const { feedUrl } = await service.readWatching(somebody.accountId, 1);
    await importVouched(test.database, 'domain,wayback\nmade-up-drop.com.au,5\n', {
      now: new Date(),
      vouch: { by: 'sandbox', at: VOUCHED_AT },
    });
    await pass('2026-11-20T03:10:00Z');
    const [mail] = await until('the mail', () => (mails(somebody).length > 0 ? mails(somebody) : undefined));
    const words = / \(made up: the registry is a sandbox\)/;
    expect(mail?.subject).toMatch(words);
    expect(mail?.text).toMatch(words);
    const { pathname, search } = new URL(feedUrl);
    const feed = await test.caller().get(`${pathname}${search}`).expect(200);
    expect(feed.text).toMatch(words);
  });

  it('is told of as far as its owner wants to know, and from then on', async () => {
    const domain = await addDomain(test.database);
    const early = await owner();
    const [gone, about] = [await owner(), await owner()];
    await service.watchName(domain, ['dropped'], early);
    await service.watchName(domain, ['gone'], gone);
    await service.watchName(domain, ['listed'], about);
    await settle(test.database, domain, false);
    await matched();
    const late = await owner();
    await service.watchName(domain, WATCHED_KINDS, late);
    await settle(test.database, domain, true, new Date(Date.now() + 60_000));
    await matched();
    expect(await told(early)).toEqual([`domain.dropped ${domain}`]);
    expect(await told(gone)).toEqual([`domain.taken ${domain}`]);
    expect(await told(about)).toEqual([]);
    expect(await told(late)).toEqual([`domain.dropped ${domain}`]);
  });

  it('that drops is told of once, whenever it was watched and whatever the operator did between', async () => {
    const [early, late] = [await owner(), await owner()];
    const domain = 'purged-then-hidden.com.au';
    await addInState(test.database, [{ domain, state: 'listed' }]);
    await test.database.query(`UPDATE domain SET news_until = '2100-01-01' WHERE domain = $1`, [domain]);
    await service.watchName(domain, ['dropped'], early);
    expect(await lifecycleOn(test.database).observePurges(new Date('2026-11-20T04:00:00Z'), 10)).toBe(1);
    await matched();
    // Nobody told them of the purge.
    await service.watchName(domain, ['dropped'], late);
    for (const hidden of [true, false])
      await lifecycleOn(test.database).observeHidden(domain, hidden, new Date(), () => Promise.resolve());
    const between = await test.database.query<{ type: string }>(
      'SELECT type FROM domain_event WHERE domain = $1 ORDER BY number DESC LIMIT 2',
      [domain],
    );
    expect(between.map(({ type }) => type)).toEqual(['domain.restored', 'domain.removed']);
    await settle(test.database, domain, true);
    await matched();
    expect(await told(early)).toEqual([`domain.purged ${domain}`]);
    expect(await told(late)).toEqual([`domain.dropped ${domain}`]);
  });

  it('that drops, by the list, is told apart from one that the registry calls free', async () => {
    const [drops, confirmed, both] = [await owner(), await owner(), await owner()];
    await addInState(test.database, [{ domain: 'list-says.com.au', state: 'listed' }]);
    await test.database.query(
      `UPDATE domain SET news_until = '2100-01-01' WHERE domain = 'list-says.com.au'`,
    );
    const unlisted = await addDomain(test.database);
    await settle(test.database, unlisted, false);
    for (const domain of ['list-says.com.au', unlisted]) {
      await service.watchName(domain, ['dropped'], drops);
      await service.watchName(domain, ['confirmed'], confirmed);
      await service.watchName(domain, ['dropped', 'confirmed'], both);
    }
    const purged = new Date('2026-11-20T04:00:00Z');
    expect(await lifecycleOn(test.database).observePurges(purged, 10)).toBe(1);
    await matched();
    expect([await told(drops), await told(confirmed)]).toEqual([['domain.purged list-says.com.au'], []]);
    const [notice] = (await service.readWatching(drops.accountId, 1)).notices;
    expect(notice && noticeInWords(notice)).toBe(
      'list-says.com.au dropped, according to the official list; the registry has not confirmed it yet',
    );
    await settle(test.database, 'list-says.com.au', true);
    await settle(test.database, unlisted, true, new Date(Date.now() + 60_000));
    await matched();
    // Told of the purge, and of what came on offer without one.
    expect(await told(drops)).toEqual([`domain.dropped ${unlisted}`, 'domain.purged list-says.com.au']);
    const free = [`domain.dropped ${unlisted}`, 'domain.dropped list-says.com.au'].sort();
    expect(await told(confirmed)).toEqual(free);
    expect(await told(both)).toEqual([...free, 'domain.purged list-says.com.au']);
  });

  it('is told of in the words of who said so: the registry, where it was asked', async () => {
    const somebody = await owner();
    const domain = await addDomain(test.database, { available: false });
    await service.watchName(domain, ['dropped'], somebody);
    await settle(test.database, domain, true);
    await pass('2026-11-20T05:00:00Z');
    const [mail] = await until('the mail', () => (mails(somebody).length > 0 ? mails(somebody) : undefined));
    expect(mail?.subject).toBe(`${domain} dropped, and the registry confirmed that it is free`);
  });

  it('of an account that the operator has disabled is told to nobody', async () => {
    const somebody = await owner();
    await service.watchName('silenced.au', WATCHED_KINDS, somebody);
    await service.watchSearch('q=silenced', somebody);
    const { feedUrl } = await service.readWatching(somebody.accountId, 1);
    const token = new URL(feedUrl).searchParams.get('token') ?? '';
    await service.readFeed(token, 1);
    await test.database.query('UPDATE account SET disabled_at = now() WHERE id = $1', [somebody.accountId]);
    await drop('silenced.au');
    await pass('2026-11-20T06:00:00Z');
    expect(await told(somebody)).toEqual([]);
    expect(mails(somebody)).toEqual([]);
    await expect(service.readFeed(token, 1)).rejects.toThrow('no such feed');
  });

  it('is told of when it comes on the drop list, and when a revised list no longer has it', async () => {
    const somebody = await owner();
    await service.watchName('off-the-list.au', ['listed'], somebody);
    const load = (names: string[]) =>
      importText(test.database, listOf('2026-11-21', names), {
        now: new Date('2026-11-20T06:15:00Z'),
        listKind: 'deleted',
        revision: { of: 'files', ifImplausible: 'keep' },
      });
    await load(['off-the-list.au', 'stays-on-the-list.au']);
    await load(['stays-on-the-list.au']);
    await pass('2026-11-20T06:30:00Z');
    const [mail] = await until('the mail', () => (mails(somebody).length > 0 ? mails(somebody) : undefined));
    expect(mail?.text).toContain('off-the-list.au is no longer on the drop list');
    expect(await told(somebody)).toEqual([
      'domain.delisted off-the-list.au',
      'domain.listed off-the-list.au',
    ]);
  });

  it('that is withheld meanwhile is not counted among what is told', async () => {
    const somebody = await owner();
    await service.watchSearch('q=withheld', somebody);
    await drop('withheld-1.au', 'withheld-2.au');
    await matched();
    await test.database.query(`UPDATE domain SET hidden = true WHERE domain = 'withheld-2.au'`);
    await pass('2026-11-20T07:00:00Z');
    const [mail] = await until('the mail', () => (mails(somebody).length > 0 ? mails(somebody) : undefined));
    expect(mail?.subject).toContain('withheld-1.au dropped');
    expect(mail?.text).not.toMatch(/withheld-2|more:/);
  });

  it('watched twice is watched once, and names that nobody can have are refused', async () => {
    const somebody = await owner();
    await service.watchName('twice.au', ['dropped'], somebody);
    await service.watchName('twice.au', ['listed'], somebody);
    const { watches } = await service.readWatching(somebody.accountId, 1);
    expect(watches.map(({ domain, eventTypes }) => [domain, eventTypes])).toEqual([
      ['twice.au', ['domain.listed', 'domain.delisted']],
    ]);
    await expect(service.watchName('www.au', WATCHED_KINDS, somebody)).rejects.toThrow('it is reserved');
    await expect(service.watchName('twice.au', [], somebody)).rejects.toThrow('at least one');
  });
});

describe('a saved search', () => {
  it('by words keeps the reading that it was made with', async () => {
    const somebody = await owner();
    await service.watchSearch('q=tulip nursary&match=words', somebody);
    await drop('nurserytulips.com.au', 'tulipshop.com.au', 'tulip-growers.com.au');
    await matched();
    expect(await told(somebody)).toEqual(['domain.dropped nurserytulips.com.au']);
    await test.database.query(
      `UPDATE watch SET reading = jsonb_set(reading, '{terms,1,words}', '["growers"]') WHERE account_id = $1`,
      [somebody.accountId],
    );
    await drop('tulipgrowers.com.au', 'nursery-of-tulips.com.au');
    await matched();
    expect(await told(somebody)).toContain('domain.dropped tulipgrowers.com.au');
    expect(await told(somebody)).not.toContain('domain.dropped nursery-of-tulips.com.au');
  });

  it('is told of every name that comes into it, once for all that an account watches', async () => {
    const somebody = await owner();
    await service.watchSearch('q=orchid&max_length=12&numbers=exclude', somebody);
    await service.watchSearch('tld=id.au&q=orchid', somebody);
    await service.watchName('orchid-bed.id.au', ['dropped'], somebody);
    await drop(
      'my-orchid.com.au',
      'orchid-bed.id.au',
      'orchid7.com.au',
      'a-far-too-long-orchid.com.au',
      'tulip.com.au',
    );
    await matched();
    expect(await told(somebody)).toEqual([
      'domain.dropped my-orchid.com.au',
      'domain.dropped orchid-bed.id.au',
    ]);
  });

  it('for names that are not on offer is for tiers with full fields', async () => {
    await expect(service.watchSearch('q=xyz&state=listed', await owner('member'))).rejects.toThrow(
      'names in the state listed',
    );
    const lowered = await owner('starter');
    await service.watchSearch('q=xyz&state=purged', lowered);
    await service.watchSearch('q=xyz', lowered);
    await test.database.query(`UPDATE account SET tier = 'member' WHERE id = $1`, [lowered.accountId]);
    const kept = await owner('starter');
    await service.watchSearch('q=xyz&state=purged', kept);
    const { watches } = await service.readWatching(lowered.accountId, 1);
    expect(watches.filter(({ isBeyondTier }) => isBeyondTier).map(({ question }) => question)).toEqual([
      'q=xyz&state=purged',
    ]);
    await addInState(test.database, [{ domain: 'find-xyz.com.au', state: 'listed' }]);
    await test.database.query(`UPDATE domain SET news_until = '2100-01-01' WHERE domain = 'find-xyz.com.au'`);
    await lifecycleOn(test.database).observePurges(new Date('2026-11-20T04:00:00Z'), 10);
    await matched();
    expect([await told(lowered), await told(kept)]).toEqual([[], ['domain.purged find-xyz.com.au']]);
  });
});

describe('how much is watched', () => {
  it('is bounded by the tier, and what is beyond it after a change is kept and not told', async () => {
    const somebody = await owner('starter');
    for (let count = 1; count <= 11; count += 1)
      await service.watchName(`many-${count}.au`, WATCHED_KINDS, somebody);
    await test.database.query(`UPDATE account SET tier = 'member' WHERE id = $1`, [somebody.accountId]);
    const member = { ...somebody, tier: TIERS.member };
    await expect(service.watchName('many-12.au', WATCHED_KINDS, member)).rejects.toThrow('10 names at most');
    await service.watchName('many-3.au', ['dropped'], member);
    const { watches } = await service.readWatching(somebody.accountId, 1);
    expect(watches.filter(({ isBeyondTier }) => isBeyondTier).map(({ domain }) => domain)).toEqual([
      'many-11.au',
    ]);
    await drop('many-3.au', 'many-11.au');
    await matched();
    expect(await told(somebody)).toEqual(['domain.dropped many-3.au']);
  });
});

describe('mails', () => {
  it('once a day come at 07:00 AEST, all in one', async () => {
    const somebody = await owner();
    await service.watchSearch('q=daily', somebody);
    await service.setMails('daily', { accountId: somebody.accountId });
    await drop('daily-1.au', 'daily-2.au');
    await pass('2026-11-20T20:59:00Z');
    expect(mails(somebody)).toEqual([]);
    await pass('2026-11-20T21:00:00Z');
    expect(mails(somebody).map(({ subject }) => subject)).toEqual(['2 changes to names you watch']);
    await pass('2026-11-21T21:00:00Z');
    expect(mails(somebody)).toHaveLength(1);
  });

  it(`are no more than one in ten minutes, and ${MAX_MAILS_A_DAY} a day; the next has what came meanwhile`, async () => {
    const somebody = await owner();
    await service.watchSearch('q=often', somebody);
    await drop('often-1.au');
    await pass('2026-11-22T00:00:00Z');
    await drop('often-2.au');
    await pass('2026-11-22T00:09:00Z');
    expect(mails(somebody)).toHaveLength(1);
    await drop('often-3.au');
    await pass('2026-11-22T00:10:00Z');
    expect(mails(somebody).map(({ text }) => text.match(/- often-\d/g))).toEqual([
      ['- often-1'],
      ['- often-3', '- often-2'],
    ]);
    await test.database.query('UPDATE watcher SET mails_of_day = $2 WHERE account_id = $1', [
      somebody.accountId,
      MAX_MAILS_A_DAY,
    ]);
    await drop('often-4.au');
    await pass('2026-11-22T23:59:00Z');
    expect(mails(somebody)).toHaveLength(2);
    await pass('2026-11-23T00:00:00Z');
    expect(mails(somebody)).toHaveLength(3);
  });

  it('that fail are tried again later, and told once', async () => {
    const somebody = await owner();
    await service.watchSearch('q=retried', somebody);
    test.mail.refusal = '451 not now';
    await drop('retried-1.au');
    await pass('2026-11-24T00:00:00Z');
    await drop('retried-2.au');
    test.mail.refusal = null;
    await pass('2026-11-24T00:00:59Z');
    expect(mails(somebody)).toEqual([]);
    await pass('2026-11-24T00:01:00Z');
    expect(mails(somebody).map(({ subject }) => subject)).toEqual(['2 changes to names you watch']);
  });

  it('to an address that takes none end after five attempts, and the page says why', async () => {
    const somebody = await owner();
    await service.watchSearch('q=bounced', somebody);
    test.mail.refusal = '550 no such mailbox';
    await drop('bounced-1.au');
    for (const hour of ['00', '02', '04', '06', '08']) await pass(`2026-11-25T${hour}:00:00Z`);
    test.mail.refusal = null;
    expect(await service.readWatching(somebody.accountId, 10)).toMatchObject({
      mails: 'off',
      problem: expect.stringContaining('refused'),
      notices: [{ domain: 'bounced-1.au' }],
    });
    await service.setMails('at_once', { accountId: somebody.accountId });
    await pass('2026-11-25T12:00:00Z');
    expect(mails(somebody)).toEqual([]);
  });
});

describe('what was told', () => {
  it('is kept for 30 days, and goes with its account', async () => {
    const somebody = await owner();
    await service.watchSearch('q=kept', somebody);
    await drop('kept-1.au');
    await matched();
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    await test.app.get(NoticeRepository).purge(inDays(29));
    expect(await told(somebody)).toHaveLength(1);
    // What somebody is at is not waited for.
    await test.database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM watch_notice WHERE account_id = $1 FOR UPDATE', [
        somebody.accountId,
      ]);
      await test.app.get(NoticeRepository).purge(inDays(31));
    });
    expect(await told(somebody)).toHaveLength(1);
    await test.app.get(NoticeRepository).purge(inDays(31));
    expect(await told(somebody)).toEqual([]);
    await test.database.query('DELETE FROM account WHERE id = $1', [somebody.accountId]);
    expect(await watchersOf(somebody)).toEqual([]);
  });

  it.each([
    [
      'a mail is noted',
      (accountId: string) => test.app.get(MailboxRepository).noteMailed(accountId, 1, new Date()),
    ],
    [
      'a mailbox is given up',
      (accountId: string) => test.app.get(MailboxRepository).switchOff(accountId, 'none'),
    ],
    ['its mails are switched off', (accountId: string) => service.setMails('off', { accountId })],
  ])('goes with an account that is removed while %s', async (_, write) => {
    const { accountId } = await owner();
    await test.database.query(`INSERT INTO watcher (account_id) VALUES ($1)`, [accountId]);
    await test.database.query(
      `INSERT INTO watch_notice (account_id, event, type, domain, occurred_at, watches, mail)
       VALUES ($1, 1, 'domain.dropped', 'gone.au', now(), '{}', 'waiting')`,
      [accountId],
    );
    const both = await test.database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM watcher WHERE account_id = $1 FOR UPDATE', [accountId]);
      const written = write(accountId);
      await until('it waits for the mailbox', async () => (await countWaiting(test.database)) === 1);
      const removed = new AccountRepository(test.database).deleteAccount(accountId);
      await until('the removal waits', async () => (await countWaiting(test.database)) === 2);
      return { ends: Promise.all([written, removed]) };
    });
    await both.ends;
    expect(await watchersOf({ accountId })).toEqual([]);
  });
});

const watchersOf = ({ accountId }: { accountId: string }) =>
  test.database.query('SELECT FROM watcher WHERE account_id = $1', [accountId]);
