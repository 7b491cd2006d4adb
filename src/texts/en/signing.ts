export const signing = {
  signIn: 'Sign in',
  withPasskey: 'Sign in with a passkey',
  passkeyNeeds: 'Passkeys need JavaScript and a browser that supports them.',
  otherWays:
    '<forgottenpassword>I forgot my password</forgottenpassword> · <signup>I have no account</signup>',
  code: 'Code',
  codeHint: 'Six digits of your authenticator app, or one of your recovery codes.',
  startAgain: 'Start again',
  aboutSignUp:
    'An account and its API keys are free. We need only your email address; you choose a password when ' +
    'you have the mail.',
  sendLink: 'Send me a link',
  haveAccount: 'I have an account',
  confirming: 'This confirms your address and makes the account.',
  makeMyAccount: 'Make my account',
  whyConfirm: 'You signed in a while ago, and what you asked for takes a fresh proof that it is you.',
  confirmHint:
    'If your account has a second factor: six digits of your authenticator app, or a recovery code.',
  confirm: 'Confirm',
  usePasskey: 'Use a passkey',
  savePassword: 'Save the password',
  sessionsEnd: 'Every session of the account ends. Your API keys go on working.',
  back: 'Back to signing in',
  mailSent: 'We have sent an email to <strong>{email}</strong>. The link in it works for an hour.',
  noMail:
    'Nothing there? Look in the spam folder, then try again: <signup>sign up</signup>, or ' +
    '<forgottenpassword>choose a new password</forgottenpassword>.',
} as const;
