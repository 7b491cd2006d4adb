import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { AuditRepository } from '../observe/audit.repository.js';
import { AccountRepository, type OtherAccess } from './account.repository.js';
import { AttemptLimit } from './attempt-limit.js';
import { type Mail, Mailer } from './mailer.js';

/**
 * The mailbox behind an address: the part after a plus is a label, and many providers ignore dots. Two people whose
 * addresses differ only in dots share a limit, and nothing else.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const [box = ''] = email.slice(0, at).toLowerCase().split('+');
  return `${box.replaceAll('.', '')}${email.slice(at).toLowerCase()}`;
}

/** How long a mailed link works. */
export const LINK_SECONDS = 3600;

/** The mails that the library sends through us; the token goes into a link to our pages. */
export interface LinkMails {
  newPassword(email: string, token: string): void;
  passwordReset(account: { readonly id: string; readonly email: string }): Promise<void>;
}

/**
 * Mails with links to our pages. Requests do not wait for them, since the time of sending would reveal whether an
 * address has an account. Each kind of mail has an hourly limit per address, so that repeated sign-ups by strangers
 * cannot use up the limit of password links.
 */
@Injectable()
export class AccountMails implements LinkMails {
  private readonly logger = new Logger('Mail');

  constructor(
    private readonly config: Config,
    private readonly mailer: Mailer,
    private readonly attempts: AttemptLimit,
    private readonly accounts: AccountRepository,
    private readonly audit: AuditRepository,
  ) {}

  /**
   * The token is stored only when the mail is sent. Past the limit the previous link keeps working, however often a
   * stranger signs up with the address.
   */
  confirmAddress(email: string, token: string, keep: () => Promise<void>): void {
    this.post(confirmationMail(email, this.link('/confirm-email', token)), keep);
  }

  newPassword(email: string, token: string): void {
    this.post(newPasswordMail(email, this.link('/new-password', token)));
  }

  /**
   * Earlier links stop working, since an attacker may read that mailbox. The owner can sign in at once, even if guesses
   * of others had locked the account. Never throws: the password is changed already.
   */
  async passwordChanged(email: string): Promise<void> {
    try {
      const access = await this.accounts.listOtherAccess(email);
      this.post(passwordChangedMail(email, access, (path) => this.link(path)));
      await this.accounts.deletePasswordLinks(email);
      await this.attempts.forget('signInToAccount', email);
    } catch (error) {
      this.logger.error(`A mail about a changed password, its links or attempts: ${String(error)}`);
    }
  }

  /** After a reset by a mailed link, where there is no session. */
  async passwordReset({ id, email }: { readonly id: string; readonly email: string }): Promise<void> {
    await this.audit
      .record({
        actor: `account:${id}`,
        action: 'account.password-reset',
        subject: `account:${id}`,
        reason: '',
        from: null,
      })
      .catch((error: unknown) =>
        this.logger.error(`A password reset is missing from the audit log: ${String(error)}`),
      );
    await this.passwordChanged(email);
  }

  accountExists(email: string): void {
    this.post(accountExistsMail(email, this.link('/sign-in'), this.link('/forgotten-password')));
  }

  keyChanged(email: string, what: string): void {
    this.post(keyChangedMail(email, what, this.link('/profile/activity')));
  }

  signedInFrom(email: string, network: string): void {
    const links = [this.link('/profile/sessions'), this.link('/forgotten-password')] as const;
    this.post(newNetworkMail(email, network, ...links));
  }

  keyRefusedFrom(email: string, network: string): void {
    this.post(keyRefusedMail(email, network, this.link('/profile/api-keys')));
  }

  appConnected(email: string, name: string): void {
    this.post(appConnectedMail(email, name, this.link('/profile/apps')));
  }

  appDisconnected(email: string, name: string): void {
    this.post(appDisconnectedMail(email, name, this.link('/profile/activity')));
  }

  factorChanged(email: string, what: string): void {
    const links = [this.link('/forgotten-password'), this.link('/profile/security')] as const;
    this.post(factorChangedMail(email, what, ...links));
  }

  private async isFew({ subject, to }: Mail): Promise<boolean> {
    return this.attempts.isWithin('mail', subject, mailboxOf(to));
  }

  private link(path: string, token?: string): string {
    const query = token === undefined ? '' : `?token=${encodeURIComponent(token)}`;
    return `${this.config.links.baseUrl}${path}${query}`;
  }

  private post(mail: Mail, before?: () => Promise<void>): void {
    void this.send(mail, before).catch((error: unknown) =>
      this.logger.error(`A mail ("${mail.subject}") was not sent: ${String(error)}`),
    );
  }

  private async send(mail: Mail, before?: () => Promise<void>): Promise<void> {
    if (await this.isFew(mail)) {
      await before?.();
      await this.mailer.send(mail);
    } else
      this.logger.warn(`A mail ("${mail.subject}") was not sent: the hourly limit of its address is reached`);
  }
}

const IGNORE = 'If this was not you, ignore this mail. Nothing will happen.';

function confirmationMail(to: string, link: string): Mail {
  return {
    to,
    subject: 'Confirm your address for Bowerbird',
    text: `This address was used to sign up at Bowerbird. Choose a password within an hour: ${link}\n\n${IGNORE}`,
  };
}

/** The page must not reveal that the address has an account, but its owner may know. */
function accountExistsMail(to: string, signInLink: string, passwordLink: string): Mail {
  return {
    to,
    subject: 'You have a Bowerbird account already',
    text: [
      `This address was used to sign up at Bowerbird, and has an account already. Sign in: ${signInLink}`,
      `A new password, if you forgot yours: ${passwordLink}`,
      IGNORE,
    ].join('\n\n'),
  };
}

function newPasswordMail(to: string, link: string): Mail {
  return {
    to,
    subject: 'A new password for Bowerbird',
    text: `Choose a new password within an hour: ${link}\n\n${IGNORE}`,
  };
}

function newNetworkMail(to: string, network: string, sessionsLink: string, passwordLink: string): Mail {
  return {
    to,
    subject: 'A sign-in to Bowerbird from a new network',
    text: [
      `Your account was signed in to from the network ${network}, for the first time. End sessions: ${sessionsLink}`,
      `If this was not you, choose a new password at once: ${passwordLink}`,
    ].join('\n\n'),
  };
}

function passwordChangedMail(to: string, access: OtherAccess, link: (path: string) => string): Mail {
  return {
    to,
    subject: 'Your Bowerbird password was changed',
    text: [
      'The password of your account was changed just now, and every other session was ended.' +
        ` If this was not you, choose a new one: ${link('/forgotten-password')}`,
      'What else has access to your account still has it. Remove what is not yours:',
      [
        `Passkeys: ${inWords(access.passkeys)} (${link('/profile/security')})`,
        `API keys: ${inWords(access.keys)} (${link('/profile/api-keys')})`,
        `Apps: ${inWords(access.apps)} (${link('/profile/apps')})`,
      ].join('\n'),
    ].join('\n\n'),
  };
}

const inWords = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

function keyChangedMail(to: string, what: string, activityLink: string): Mail {
  return {
    to,
    subject: 'A key of your Bowerbird account was changed',
    text: `${what}. If this was not you, change your password and revoke the key. Recent activity: ${activityLink}`,
  };
}

function keyRefusedMail(to: string, network: string, link: string): Mail {
  return {
    to,
    subject: 'A key of yours was used outside its networks',
    text:
      `An API key of your Bowerbird account was used from ${network}, which is not one of its networks. It was refused. ` +
      `If that was a program of yours, make it a key for that network; if not, revoke the key: ${link}`,
  };
}

function appConnectedMail(to: string, name: string, appsLink: string): Mail {
  return {
    to,
    subject: 'An app was connected to your Bowerbird account',
    text: `The app "${name}" can use the tool server for your account. Disconnect it here: ${appsLink}`,
  };
}

function appDisconnectedMail(to: string, name: string, activityLink: string): Mail {
  return {
    to,
    subject: 'An app was disconnected from your Bowerbird account',
    text: `The app "${name}" can no longer use your account. Recent activity: ${activityLink}`,
  };
}

function factorChangedMail(to: string, what: string, passwordLink: string, securityLink: string): Mail {
  return {
    to,
    subject: 'How you sign in to Bowerbird was changed',
    text: [
      `${what}. If this was not you, choose a new password at once: ${passwordLink}`,
      `Then check your passkeys, which a new password does not remove: ${securityLink}`,
    ].join('\n\n'),
  };
}
