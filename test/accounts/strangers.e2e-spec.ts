import { until } from '../support/processes.js';
import { accountsAppOfFile, mailsTo, PASSWORD, signedInVisitor, untilTold } from '../support/visitor.js';

const test = accountsAppOfFile();

const signIn = (email: string, password: string, address: string) =>
  test.caller().post('/sign-in').set('X-Forwarded-For', address).type('form').send({ email, password });

describe('strangers from many networks', () => {
  it('who guess the password of an account do not lock its owner out', async () => {
    const { email } = await signedInVisitor(test);
    await signIn(email, PASSWORD, '203.0.113.7').expect(303);
    for (let place = 0; place < 101; place += 1)
      await signIn(email, 'not the password', `2001:db8:${place.toString(16)}::1`);
    await signIn(email, PASSWORD, '198.51.100.7').expect(429);
    await signIn(email, PASSWORD, '203.0.113.99').expect(303);
  });

  const ask = (path: '/sign-up' | '/forgotten-password', to: string, address: string) =>
    test.caller().post(path).set('X-Forwarded-For', address).type('form').send({ email: to });
  /** An address in a /48 of its own. */
  const elsewhere = (place: number) => `2001:db8:${place.toString(16)}::1`;
  const passwordLinks = (email: string) =>
    mailsTo(test, email).filter(({ text }) => text.includes('/new-password?token='));

  it('cause 60 mails an hour to one domain, are told so, and account holders there get theirs', async () => {
    const { email } = await signedInVisitor(test);
    const [, domain = ''] = email.split('@');
    for (let place = 0; place < 60; place += 1)
      await ask('/sign-up', `box${place}@${domain}`, elsewhere(place)).expect(200);
    const told = await ask('/sign-up', `another@${domain}`, elsewhere(100)).expect(429);
    expect(told.text).toContain('Too many people are signing up just now. Try again in');
    expect(Number(told.headers['retry-after'])).toBeGreaterThan(3_000);
    // The same with an account, whose owner is told by mail.
    const alike = await ask('/sign-up', email, elsewhere(101)).expect(429);
    expect(alike.text).toContain('Too many people are signing up just now. Try again in');
    await untilTold(test, email, 'You already have a Bowerbird account');
    await ask('/forgotten-password', email, elsewhere(102)).expect(200);
    await untilTold(test, email, '/new-password?token=');
    await ask('/sign-up', 'somebody@elsewhere.example', elsewhere(103)).expect(200);
    await untilTold(test, 'somebody@elsewhere.example', 'Confirm your address');
    expect(mailsTo(test, `another@${domain}`)).toEqual([]);
  });

  it('do not keep others at a large provider from signing up with 60 mails', async () => {
    for (let place = 0; place < 61; place += 1)
      await ask('/sign-up', `box${place}@gmail.com`, elsewhere(place + 1_000)).expect(200);
  });

  it.each([
    ['victim.com.au', '7000'],
    ['abc.au', '7010'],
  ])('from one /48 ask for 60 mails an hour to %s and the domains below it', async (domain, network) => {
    const { email } = await signedInVisitor(test);
    const address = (place: number) => `2001:db8:${network}:${(place * 256).toString(16)}::1`;
    let asked = 0;
    for (let place = 0; place < 4; place += 1)
      for (let time = 0; time < 20; time += 1) {
        const path = time % 2 === 0 ? '/sign-up' : '/forgotten-password';
        const { status } = await ask(path, `box@mail${time}.${domain}`, address(place));
        asked += Number(status === 200);
      }
    expect(asked).toBe(60);
    for (const path of ['/sign-up', '/forgotten-password'] as const)
      await ask(path, `last@${domain}`, address(5)).expect(429);
    await ask('/forgotten-password', email, address(5)).expect(200);
    await ask('/sign-up', `first@${domain}`, elsewhere(0x7001)).expect(200);
  });

  it('cause 60 mails an hour to the account holders of one domain, whose own mails go on', async () => {
    const owners = await Promise.all(Array.from({ length: 13 }, () => signedInVisitor(test)));
    const emails = owners.map((_, place) => `owner${place}@holders.example`);
    for (const [place, { email }] of owners.entries())
      await test.database.query('UPDATE account SET email = $2 WHERE email = $1', [email, emails[place]]);
    for (const [place, email] of emails.entries())
      for (let time = 0; time < 5; time += 1)
        await ask('/forgotten-password', email, elsewhere(2_000 + place * 5 + time)).expect(200);
    const [owner] = owners;
    const [first = ''] = emails;
    await owner
      ?.send('/profile/password', { current_password: PASSWORD, new_password: 'a whole new horse' })
      .expect(303);
    await untilTold(test, first, 'Your Bowerbird password was changed');
    await until('60 links', () => emails.flatMap(passwordLinks).length >= 60);
    expect(emails.flatMap(passwordLinks)).toHaveLength(60);
  });
});
