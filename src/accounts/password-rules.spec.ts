import { judgePassword } from './password-rules.js';

const EMAIL = 'jane.doe-of-perth@example.com';

describe('judgePassword', () => {
  it.each([
    ['qwertyuiop', 'tried first'],
    ['1234567890', 'tried first'],
    ['PASSWORD1234', 'tried first'],
    ['passwordpassword', 'tried first'],
    ['aaaaaaaaaaaa', 'tried first'],
    ['abcabcabcabc', 'tried first'],
    [EMAIL, 'your address'],
    [EMAIL.toUpperCase(), 'your address'],
    ['jane.doe-of-perth', 'your address'],
    ['jane.doe-of-perth1!', 'your address'],
  ])('refuses %s', async (password, message) => {
    await expect(judgePassword(password, EMAIL)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['abcdefgh12', 'weak'],
    ['correct horse battery', 'strong'],
    ['blau 7 Regenschirm wandert', 'strong'],
  ])('takes %s, which is %s', async (password, strength) => {
    expect(await judgePassword(password, EMAIL)).toBe(strength);
  });
});
