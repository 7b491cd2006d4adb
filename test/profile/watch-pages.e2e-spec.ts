import { NotificationMatcher } from '../../src/notify/watches/notification-matcher.js';
import { importVouched } from '../support/import.js';
import { until } from '../support/processes.js';
import {
  accountsAppOfFile,
  mailedToken,
  mailsTo,
  PASSWORD,
  signedInVisitor,
  type Visitor,
  visitorOf,
} from '../support/visitor.js';

const test = accountsAppOfFile();

const ALL = ['listed', 'dropped', 'gone'];

async function drop(...names: string[]): Promise<void> {
  await importVouched(test.database, `domain\n${names.join('\n')}\n`, { now: new Date() });
  await until('it is matched', async () => {
    await test.app.get(NotificationMatcher).handOver(new Date());
    const [row] = await test.database.query<{ done: boolean }>(
      'SELECT (SELECT last_event FROM watch_outbox) = last_event AS done FROM dataset',
    );
    return row?.done;
  });
}
async function pageOf(visitor: Visitor, path = '/watch'): Promise<string> {
  return (await visitor.open(path).expect(200)).text;
}
/** Without the scheme and host that a client without a proxy cannot reach. */
const pathIn = (text: string, pattern: RegExp) => {
  const url = pattern.exec(text)?.[1];
  if (url === undefined) throw new Error(`no ${pattern.source} in ${text}`);
  const { pathname, search } = new URL(url.replaceAll('&amp;', '&'));
  return pathname + search;
};

describe('/watch', () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await signedInVisitor(test);
  });

  it('takes no form from another site', async () => {
    await visitor.agent
      .post('/watch')
      .set('Sec-Fetch-Site', 'cross-site')
      .type('form')
      .send({ domain: 'paged.au', on: ALL })
      .expect(403);
    await visitor.agent.post('/watch/feed').set('Origin', 'https://evil.example').expect(403);
    expect(await pageOf(visitor)).toContain('You watch no name yet');
  });

  it('says what is watched now, undoes it, and changes what it tells', async () => {
    const member = await signedInVisitor(test);
    const { headers } = await member.send('/watch', { domain: 'undone.com.au', on: ALL }).expect(303);
    const added = await pageOf(member, headers.location);
    expect(added).toContain('We’re now watching undone.com.au.');
    const [, id = ''] = /action="\/watch\/([0-9a-f-]{36})\/remove"/.exec(added) ?? [];
    expect(await pageOf(await signedInVisitor(test), headers.location)).not.toContain('undone.com.au');
    await member.send('/watch', { domain: 'undone.com.au', on: ['dropped'] }).expect(303);
    const edited = await pageOf(member, '/watch?name=undone.com.au');
    expect(edited).toContain('Edit undone.com.au');
    expect(edited.match(/name="on" value="\w+" checked/g)).toEqual(['name="on" value="dropped" checked']);
    expect(edited).toContain('<td data-l="Tell me:">drops</td>');
    await member.send(`/watch/${id}/remove`, {}).expect(303);
    expect(await pageOf(member)).not.toContain('undone.com.au');
  });

  it('lists what is watched, and what happened', async () => {
    await visitor
      .send('/watch', { domain: 'paged.com.au', on: ALL })
      .expect(303)
      .expect('Location', /^\/watch\?done=watching&id=[0-9a-f-]{36}$/);
    await visitor.send('/watch', { question: 'q=paged&max_length=9&sort=length' }).expect(303);
    const stateIn = (page: string) => /<td><span class="chip \w+">([^<]+)/.exec(page)?.[1];
    expect(stateIn(await pageOf(visitor))).toBe('Not checked');
    await drop('paged.com.au', 'paged-x.au');
    const html = await pageOf(visitor);
    expect(stateIn(html)).toBe('Available');
    expect(html).toContain('with “paged”, up to 9 letters');
    expect(html).toContain('1 of 10 names, 1 of 10 searches.');
    expect(html).toMatch(
      /paged-x\.au<\/a><\/b> dropped, and is free according to test; the registry was not asked yet/,
    );
    const id = /\/watch\/([0-9a-f-]{36})\/remove/.exec(html)?.[1] ?? '';
    await (await signedInVisitor(test)).send(`/watch/${id}/remove`, {}).expect(404);
    await visitor.send(`/watch/${id}/remove`, {}).expect(303);
    expect(await pageOf(visitor)).not.toContain(`/watch/${id}/remove`);
  });

  it.each([
    ['what is no name', { domain: 'www.paged.com.au', on: ALL }, 400, 'paged.com.au'],
    ['nothing to be told of', { domain: 'paged.com.au' }, 400, 'at least one alert'],
    ['every name there is', { question: 'sort=length' }, 400, 'Narrow the search'],
    ['names that are not on offer', { question: 'q=abc&state=listed' }, 403, 'names in the state listed'],
    ['a kind that there is not', { domain: 'paged.com.au', on: 'everything' }, 400, 'not complete'],
  ])(
    '%s is refused on a page that leads back',
    async (_, form: Record<string, string | string[]>, status, message) => {
      const { text } = await visitor.send('/watch', form).expect(status);
      expect(text).toContain(message);
      expect(text).toContain('href="/watch"');
    },
  );

  it('is found again behind signing in, with what was to be watched, and so are the keys', async () => {
    const { email } = visitor;
    const stranger = visitorOf(test);
    const signIn = async () =>
      (await stranger.send('/sign-in', { email, password: PASSWORD }).expect(303)).headers.location;
    await stranger
      .send('/watch', { domain: 'later.com.au', on: ALL })
      .expect(303)
      .expect('Location', '/sign-in');
    expect(await signIn()).toBe('/watch?name=later.com.au');
    expect(await pageOf(stranger, '/watch?name=later.com.au')).toContain('Watch later.com.au?');
    await stranger.send('/sign-out', {});
    await stranger.send('/watch', { question: 'q=later&tld=au' }).expect(303);
    expect(await signIn()).toBe('/watch?question=q%3Dlater%26tld%3Dau');
    await stranger.send('/sign-out', {});
    await stranger.open('/profile').expect(303);
    expect(await signIn()).toBe('/profile');
    await stranger.send('/sign-out', {});
    expect(await signIn()).toBe('/profile/api-keys');
  });

  it('is offered on the page of a name and of a search, to everybody', async () => {
    const stranger = visitorOf(test);
    await drop('offered-name.com.au');
    expect(await pageOf(stranger, '/domains/offered-name.com.au')).toContain('action="/watch"');
    const search = (await stranger.open('/?q=offered&sort=length').set('Accept', 'text/html').expect(200))
      .text;
    expect(search).toContain('name="question" value="q=offered&amp;match=words"');
    expect((await stranger.open('/').set('Accept', 'text/html').expect(200)).text).not.toContain(
      'name="question"',
    );
  });
});

describe('mails of what is watched', () => {
  it('end by the button of the mailbox, without a session', async () => {
    const visitor = await signedInVisitor(test);
    await visitor.send('/watch', { question: 'q=mailed' });
    await drop('mailed-1.com.au');
    const mail = await until('the mail', () =>
      mailsTo(test, visitor.email).find(({ subject }) => subject.startsWith('mailed-1')),
    );
    const path = pathIn(mail.head, /^List-Unsubscribe: <([^>]+)>/m);
    const mailbox = visitorOf(test);
    await mailbox
      .open(path)
      .expect(200)
      .expect(/action="\/watch\/unsubscribe\?token=/);
    expect(await pageOf(visitor)).toMatch(/value="at_once" checked/);
    await mailbox.open(path.slice(0, -1)).expect(403);
    await mailbox.agent.post(path.slice(0, -1)).type('form').send('List-Unsubscribe=One-Click').expect(403);
    // A mailbox sends it from wherever it is.
    await mailbox.agent
      .post(path)
      .set('Sec-Fetch-Site', 'cross-site')
      .type('form')
      .send('List-Unsubscribe=One-Click')
      .expect(200, /The emails have stopped/);
    expect(await pageOf(visitor)).toMatch(/value="off" checked/);
    await visitor.send('/watch/mails', { mails: 'daily' }).expect(303);
    expect(await pageOf(visitor)).toMatch(/value="daily" checked/);
  });
});

describe('the feed of what is watched', () => {
  it('tells it at a secret address, which can be made anew', async () => {
    const visitor = await signedInVisitor(test);
    await visitor.send('/watch', { question: 'q=fed' });
    const addressOn = async () => pathIn(await pageOf(visitor), /id="feed" readonly value="([^"]+)"/);
    const address = await addressOn();
    const reader = visitorOf(test);
    const readAgain = (etag = '') => reader.open(address).set('If-None-Match', etag);
    const { headers: empty } = await reader.open(address).expect(200);
    await readAgain(empty.etag).expect(304);
    await drop('fed-1.com.au', 'fed-2.com.au');
    // Events are numbered as they come in, which is not always as they happened.
    await test.database.query(
      `UPDATE watch_notice SET occurred_at = '2026-11-01T01:00:00Z' WHERE domain = 'fed-2.com.au'`,
    );
    const { text, headers } = await readAgain(empty.etag).expect(200);
    await readAgain(headers.etag).expect(304);
    const [updated, ...entries] = [...text.matchAll(/<updated>([^<]+)/g)].map(([, time]) => time);
    expect(entries).toContain('2026-11-01T01:00:00.000Z');
    expect(updated).toBe(entries.toSorted().at(-1));
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8');
    expect(text).toContain(
      '<title>fed-2.com.au dropped, and is free according to test; the registry was not asked yet</title>',
    );
    expect(text.match(/<entry>/g)).toHaveLength(2);
    await visitor.send('/watch/feed', {}).expect(303);
    await reader.open(address).expect(404);
    await reader.open(await addressOn()).expect(200);
    await reader.open(`${address}x`).expect(404);
  });
});

it('somebody who signs up on the way to a watch finds it behind the mail', async () => {
  const visitor = visitorOf(test);
  const { email } = visitor;
  await visitor.send('/watch', { domain: 'fresh.com.au', on: ALL }).expect(303);
  await visitor.send('/sign-up', { email }).expect(200);
  await visitor
    .send('/confirm-email', { token: await mailedToken(test, email), password: PASSWORD })
    .expect(303);
  const { headers } = await visitor.send('/sign-in', { email, password: PASSWORD }).expect(303);
  expect(headers.location).toBe('/watch?name=fresh.com.au');
});
