import { mailboxOf } from './account-mails.js';

it.each([
  ['jane.doe@example.com', 'janedoe@example.com'],
  ['Jane.Doe+news+more@Example.com', 'janedoe@example.com'],
  ['+@example.com', '@example.com'],
  ['a@b.c.example.com', 'a@b.c.example.com'],
])('%s leads to %s', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
});
