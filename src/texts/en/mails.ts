const IGNORE = 'If this was not you, ignore this email. Nothing will happen.';

/** Plain text: a subject and its paragraphs. */
export const mails = {
  confirmSubject: 'Confirm your address for Bowerbird',
  confirm: `This address was used to sign up at Bowerbird. Choose a password within an hour: {link}\n\n${IGNORE}`,
  existsSubject: 'You already have a Bowerbird account',
  exists:
    'This address was used to sign up at Bowerbird, but it already has an account. Sign in: {signIn}\n\n' +
    `If you forgot your password, choose a new one: {password}\n\n${IGNORE}`,
  passwordSubject: 'A new password for Bowerbird',
  password: `Choose a new password within an hour: {link}\n\n${IGNORE}`,
  networkSubject: 'A sign-in to Bowerbird from a new network',
  network:
    'Someone signed in to your account from the network {network}, for the first time. End sessions: ' +
    '{sessions}\n\nIf this was not you, choose a new password at once: {password}',
  passwordChangedSubject: 'Your Bowerbird password was changed',
  passwordChanged:
    'The password of your account was changed just now, and every other session was ended. ' +
    'If this was not you, choose a new one: {password}\n\n' +
    'These still have access to your account. Remove what is not yours:\n\n' +
    'Passkeys: {passkeys}\nAPI keys: {keys}\nApps: {apps}',
  endedApps: 'These apps were disconnected: {names}. Connect the ones that you use again.',
  named: '{names} ({link})',
  none: 'none',
  keyChangedSubject: 'A key of your Bowerbird account was changed',
  keyChanged:
    '{what}. If this was not you, change your password and revoke the key. Recent activity: {activity}',
  keyRefusedSubject: 'A key of yours was used outside its networks',
  keyRefused:
    'An API key of your Bowerbird account was used from {network}, which is not one of its networks. It was ' +
    'refused. If the program was yours, create a key for that network; if not, revoke the key: {link}',
  appConnectedSubject: 'An app was connected to your Bowerbird account',
  appConnected: 'The app "{name}" can use the tool server for your account. Disconnect it here: {apps}',
  appDisconnectedSubject: 'An app was disconnected from your Bowerbird account',
  appDisconnected: 'The app "{name}" can no longer use your account. Recent activity: {activity}',
  factorSubject: 'How you sign in to Bowerbird was changed',
  factor:
    '{what}. If this was not you, choose a new password at once: {password}\n\n' +
    'Then check your passkeys, which a new password does not remove: {security}',
  approveOrderSubject: 'An order of a program waits for you',
  approveOrder:
    'A program of your account placed an order that only you can approve. {what}: {domain}, term in years: {years}, ' +
    'A$ {price} with GST. Look at it and decide, within a day: {link}\n\n' +
    'The link approves this order alone, and once. If you did not expect it, do nothing: no money is set aside.',
  watchLead: 'What happened to the names and searches that you watch:',
  notice: '- {notice}, {when}\n  {link}',
  more: 'And {count} more: {link}',
  watchHint: 'We can’t reserve a name for you: check it with the registry on its page before you act.',
  atOnce: 'You get these emails as soon as something happens. Change that, or what you watch: {link}',
  daily: 'You get these emails once a day. Change that, or what you watch: {link}',
  end: 'Stop these emails: {link}',
  sandbox: '{notice} (made up: the registry is a sandbox)',
  vouched: '{domain} dropped, and is free according to {voucher}; the registry was not asked yet',
  noticeOn: '{notice} on {when}',
  mailboxRefused: 'Your mailbox refused our emails. Turn them on again when it accepts them.',
} as const;
