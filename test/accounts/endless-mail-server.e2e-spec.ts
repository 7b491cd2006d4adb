import { createTransport } from 'nodemailer';
import { isRejection, SmtpMailer } from '../../src/accounts/mailer.js';
import { type Manner, startEndlessServer } from '../support/endless-server.js';
import { until } from '../support/processes.js';

const MAIL = { to: 'someone@example.com', subject: 'A name', text: 'It is free.' };
const MANNERS: readonly Manner[] = [
  'silence',
  'an endless greeting',
  'a greeting of a byte a second',
  'an endless reply',
];

it.each(MANNERS)(
  'a mail to a server with %s fails at its limit, and its connection is closed',
  async (manner) => {
    const server = await startEndlessServer(manner);
    const mailer = new SmtpMailer(
      createTransport,
      `smtp://127.0.0.1:${server.port}`,
      'from@example.com',
      300,
    );
    // More than there are connections: none of them waits for one that is lost.
    const sent = await Promise.allSettled([1, 2, 3].map(() => mailer.send(MAIL)));
    for (const result of sent) {
      expect(result.status).toBe('rejected');
      if (result.status === 'fulfilled') continue;
      expect(String(result.reason)).toContain('The mail server did not take the mail within 300 ms');
      expect(isRejection(result.reason)).toBe(false);
    }
    await until('the connections are closed', async () => (await server.countOpen()) === 0);
    mailer.onApplicationShutdown();
    await server.close();
  },
);

it.each(['a flood of a greeting', 'a flood of a reply', 'a flood of empty lines'] as const)(
  'a mail to a server with %s fails once more was read than the replies to some mails have',
  async (manner) => {
    const server = await startEndlessServer(manner);
    const mailer = new SmtpMailer(createTransport, `smtp://127.0.0.1:${server.port}`, 'from@example.com');
    const problem: unknown = await mailer.send(MAIL).catch((error: unknown) => error);
    expect(String(problem)).toContain('The mail server sent more than 65536 bytes');
    expect(isRejection(problem)).toBe(false);
    await until('the connection is closed', async () => (await server.countOpen()) === 0);
    mailer.onApplicationShutdown();
    await server.close();
  },
);

it('a mail to a server that breaks off its reply fails, and may be sent again', async () => {
  const server = await startEndlessServer('a reply that is cut off');
  const mailer = new SmtpMailer(createTransport, `smtp://127.0.0.1:${server.port}`, 'from@example.com');
  const problem: unknown = await mailer.send(MAIL).catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Error);
  expect(isRejection(problem)).toBe(false);
  await until('the connection is closed', async () => (await server.countOpen()) === 0);
  mailer.onApplicationShutdown();
  await server.close();
});
