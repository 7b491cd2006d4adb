export const ops = {
  titleBowerbirdOperators: '{title} · Bowerbird for operators',
  skip: 'Skip to the content',
  operator: 'Operator',
  api: 'API of operators',
  passkeys: 'Passkeys',
  signOut: 'Sign out',
  places: 'Operations',
  operatorKey: 'Operator key',
  keyHint: 'Made with <code>bowerbird operator-key</code>. You stay signed in for 8 hours.',
  signIn: 'Sign in',
  withPasskey: 'Sign in with a passkey',
  act: 'Act',
  file: 'File',
  optional: '(optional)',
  addPasskey: 'Add a passkey of this device',
  passkeyNeeds:
    'Passkeys need JavaScript, an https address with a host name, and a browser that supports them.',
} as const;
