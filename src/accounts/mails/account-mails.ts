import type { Mail } from '../../mail/mailer.js';

/** How long a mailed link works. */
export const LINK_SECONDS = 3600;

const IGNORE = 'If this was not you, ignore this mail: nothing happens then.';

export function confirmationMail(to: string, link: string): Mail {
  return {
    to,
    subject: 'Confirm your address for Bowerbird',
    text: `Somebody, you we hope, made a Bowerbird account with this address. Confirm it within an hour: ${link}\n\n${IGNORE}`,
  };
}

/** For an address that has an account already: the page must not tell, but its owner may know. */
export function accountExistsMail(to: string, signInLink: string, passwordLink: string): Mail {
  return {
    to,
    subject: 'You have a Bowerbird account already',
    text: `Somebody, you we hope, tried to make a Bowerbird account with this address, which has one already. Sign in: ${signInLink}\n\nA new password, if you forgot yours: ${passwordLink}\n\n${IGNORE}`,
  };
}

export function newPasswordMail(to: string, link: string): Mail {
  return {
    to,
    subject: 'A new password for Bowerbird',
    text: `Choose a new password within an hour: ${link}\n\n${IGNORE}`,
  };
}

export function passwordChangedMail(to: string, passwordLink: string): Mail {
  return {
    to,
    subject: 'Your Bowerbird password was changed',
    text: `The password of your account was changed just now, and every other session was ended. If this was not you, choose a new one: ${passwordLink}`,
  };
}
