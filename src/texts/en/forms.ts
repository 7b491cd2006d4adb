/** Messages about mistakes in a form. */
export const forms = {
  stale: 'This form is not complete. Load the page again.',
  staleRequest: 'This form is not complete. Start again at the app.',
  staleLink: 'This link is not complete. Open it again from the mail.',
  foreign: 'This form was sent from another site. Open the page here and send it again.',
  tooMany: 'This form has more than {max} fields.',
  encoding: 'Send the form in UTF-8, and not compressed in an unknown way.',
  unknown: 'There is no such {what}.',
  noSession: 'There is no such session, or it has ended.',
  email: 'Enter an email address such as you@example.com, of plain letters, digits and . _ - + only.',
  newPassword: 'The password must have {min} to {max} characters.',
  password: 'Enter your password.',
  code: 'Enter the six digits of the app, or a recovery code.',
  networks: 'Enter at most {max} networks, such as 203.0.113.0/24 or 2001:db8::/48.',
  noPasskey: 'This needs JavaScript and a browser that supports passkeys (WebAuthn).',
} as const;
