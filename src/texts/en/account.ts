export const account = {
  account: 'Account',
  lead: '{email}, {plan} plan',
  signOut: 'Sign out',
  email: 'Email address',
  tier: 'Tier',
  connectedApps: 'Connected apps',
  passkeysSecondFactor: 'Passkeys and the second factor',
  accountActivity: 'Account activity',
  changePassword: 'Change the password',
  currentPassword: 'Current password',
  newPassword: 'New password',
  passwordRule: 'At least {min} characters. You stay signed in here and are signed out elsewhere.',
  yourData: 'Your data',
  download: '<datajson>Download your data</datajson> (JSON).',
  deleteAccount: 'Delete the account',
  deleting:
    'Its API keys stop working at once, and what you watch, your webhooks and your usage are gone. This ' +
    'cannot be undone.',
  deletingOrders:
    'Registered names stay yours at their registrar. Tax law makes us keep the figures of orders and payments, ' +
    'without your details.',
  openOrders:
    'Open orders: {count}. Cancel them, or wait until they have ended, and delete the account then.',
  openDebt: '{amount} is owed after a disputed payment. Pay it first, and delete the account then.',
  openTopUp:
    'A page of a card payment is open. Wait an hour, or pay and have it refunded, and delete the account then.',
  openBalance:
    'The balance is {amount}. Have it refunded at /profile/refund, spend it, or write to us about what no card paid. ' +
    'Delete the account then.',
  password: 'Password',
  deleteMyAccount: 'Delete my account',
  passkeys: 'Passkeys',
  aboutPasskeys:
    'A passkey signs you in with your device’s PIN, finger or face, instead of password and code. No ' +
    'other site can ask for it, and we store nothing that can be stolen.',
  yourPasskeys: 'Your passkeys',
  name: 'Name',
  added: 'Added',
  on: 'On',
  change: 'Change',
  remove: 'Remove',
  thePasskey: 'the passkey {name}',
  removeIt: 'Remove it',
  addingNeeds:
    'Adding a passkey needs JavaScript and a browser that supports passkeys (WebAuthn). Everything else ' +
    'works without.',
  deviceName: 'Such as the name of the device.',
  code: 'Code',
  codeHint: 'From your authenticator app, or a recovery code.',
  addPasskey: 'Add a passkey',
  needHttps: 'Passkeys need an https address with a host name, which this service does not have.',
  secondFactor: 'Second factor',
  factorOn: 'Signing in with the password also takes a code from your authenticator app.',
  factorOff: 'The password alone opens your account.',
  changeFactor: 'Change that',
  more: 'More',
  morePlaces:
    '<profile>Change the password</profile> · <sessions>Where you are signed in</sessions> · ' +
    '<activity>Account activity</activity>',
  factorNow: 'Signing in takes your password and a code from your authenticator app.',
  removeFactor: 'Remove the second factor',
  aboutFactor:
    'With a second factor, a guessed or stolen password does not open your account: signing in also ' +
    'needs a code from an app on your phone.',
  setUpFactor: 'Set it up',
  backToSecurity: 'Back to security',
  showToApp: 'Show this to an authenticator app, or type the key (time-based, six digits).',
  openApp: 'Open it in an app on this device',
  keepCodes:
    'Keep these recovery codes where you can find them without your phone. Each works once, instead of a code:',
  enterCode: 'Enter the code that the app shows. Before that, nothing is asked for.',
  sixDigits: 'Six digits.',
  turnOn: 'Turn it on',
  aboutSessions:
    'Browsers that are signed in to your account. If you do not recognise one, end it and ' +
    '<profile>change your password</profile>.',
  sessions: 'Sessions',
  browser: 'Browser',
  signedIn: 'Signed in',
  lastUsed: 'Last used',
  ends: 'Ends',
  thisBrowser: 'this browser',
  end: 'End',
  theSession: 'the session of {device}, {began}',
  endAllOthers: 'End all others',
  noOtherBrowser: 'No other browser is signed in.',
  aboutActivity:
    'Actions on your account in the last year, newest first; at most 20 an hour for each kind of watch ' +
    'and webhook. We store only the network of an address. Something you did not do? <profile>Change the ' +
    'password</profile>, which ends every other session, and look at <apikeys>your keys</apikeys> and ' +
    '<security>your passkeys</security>: a new password removes none, so revoke and remove those that ' +
    'are not yours.',
  activity: 'Activity',
  when: 'When',
  what: 'What',
  from: 'From',
  older: 'Older',
  nothingYet: 'Nothing yet.',
  newPasswordRule:
    'At least {min} characters. Not your address, and no common password. A few words are better than ' +
    'special characters.',
} as const;
