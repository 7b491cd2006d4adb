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

  it('cause 60 mails an hour to one domain, are told so, and account holders there get theirs', async () => {
    const { email } = await signedInVisitor(test);
    const [, domain = ''] = email.split('@');
    const send = (path: string, to: string, place: number) =>
      test
        .caller()
        .post(path)
        .set('X-Forwarded-For', `2001:db8:${place.toString(16)}::1`)
        .type('form')
        .send({ email: to });
    for (let place = 0; place < 60; place += 1)
      await send('/sign-up', `box${place}@${domain}`, place).expect(200);
    const told = await send('/sign-up', `another@${domain}`, 100).expect(429);
    expect(told.text).toContain('Too many people are signing up just now. Try again in');
    expect(Number(told.headers['retry-after'])).toBeGreaterThan(3_000);
    // The same with an account, whose owner is told by mail.
    const alike = await send('/sign-up', email, 101).expect(429);
    expect(alike.text).toContain('Too many people are signing up just now. Try again in');
    await untilTold(test, email, 'You already have a Bowerbird account');
    await send('/forgotten-password', email, 102).expect(200);
    await untilTold(test, email, '/new-password?token=');
    await send('/sign-up', 'somebody@elsewhere.example', 103).expect(200);
    await untilTold(test, 'somebody@elsewhere.example', 'Confirm your address');
    expect(mailsTo(test, `another@${domain}`)).toEqual([]);
  });
});
