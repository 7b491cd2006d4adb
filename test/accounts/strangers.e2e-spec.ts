import { until } from '../support/processes.js';
import { accountsAppOfFile, PASSWORD, signedInVisitor } from '../support/visitor.js';

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

  it('cause 60 mails an hour to one domain, and others are sent', async () => {
    const signUp = (email: string, place: number) =>
      test
        .caller()
        .post('/sign-up')
        .set('X-Forwarded-For', `2001:db8:${place.toString(16)}::1`)
        .type('form')
        .send({ email })
        .expect(200);
    for (let place = 0; place < 70; place += 1) await signUp(`box${place}@victim.example`, place);
    await signUp('somebody@elsewhere.example', 100);
    await until('the mail to another domain', () =>
      test.mail.mails.some(({ to }) => to === 'somebody@elsewhere.example'),
    );
    await until('a warning', () => test.log.join('').includes('of its domain or of all is reached'));
    expect(test.mail.mails.filter(({ to }) => to.endsWith('@victim.example')).length).toBeLessThanOrEqual(60);
  });
});
