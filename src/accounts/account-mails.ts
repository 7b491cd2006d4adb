import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { AuditRepository } from '../observe/audit/audit.repository.js';
import { AccountRepository } from './account.repository.js';
import { AttemptLimit } from './attempt-limit.js';
import type { LinkMails } from './account-library.js';
import { type Mail, Mailer } from './mailer.js';

/**
 * The mailbox that an address leads to, as far as one can tell: what follows a plus names no other mailbox, and many providers see no dots. Two people whose
 * addresses differ in dots alone share a limit, and nothing else.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const [box = ''] = email.slice(0, at).toLowerCase().split('+');
  return `${box.replaceAll('.', '')}${email.slice(at).toLowerCase()}`;
}

/** How long a mailed link works. */
export const LINK_SECONDS = 3600;

/**
 * Mails that lead back to our pages. Nobody waits for them: how long a mail takes would tell whether an address has an
 * account. More than a few an hour of one kind to one address are not sent: sign-ups by others must not use up the links of
 * somebody who forgot a password.
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
   * The token is kept when the mail goes out, and not when there were too many: the link before works on then, however often somebody else
   * signs up with the address.
   */
  confirmAddress(email: string, token: string, keep: () => Promise<void>): void {
    this.post(confirmationMail(email, this.link('/confirm-email', token)), keep);
  }

  newPassword(email: string, token: string): void {
    this.post(newPasswordMail(email, this.link('/new-password', token)));
  }

  /**
   * Links that were mailed before set no password any more: somebody else may read that mailbox. Whoever was locked out by the
   * guesses of others is let in with the new password. Never fails: it is changed by then.
   */
  async passwordChanged(email: string): Promise<void> {
    this.post(passwordChangedMail(email, this.link('/forgotten-password'), this.link('/profile/security')));
    try {
      await this.accounts.deletePasswordLinks(email);
      await this.attempts.forget('signInToAccount', email);
    } catch (error) {
      this.logger.error(`Links and attempts were not forgotten: ${String(error)}`);
    }
  }

  /** The same, where nobody is signed in: by a mailed link. */
  async passwordReset({ id, email }: { readonly id: string; readonly email: string }): Promise<void> {
    await this.audit
      .record({
        actor: `account:${id}`,
        action: 'account.password-reset',
        subject: `account:${id}`,
        reason: '',
        from: null,
      })
      .catch((error: unknown) => this.logger.error(`A reset is not on record: ${String(error)}`));
    await this.passwordChanged(email);
  }

  accountExists(email: string): void {
    this.post(accountExistsMail(email, this.link('/sign-in'), this.link('/forgotten-password')));
  }

  /** @param what in words */
  keyChanged(email: string, what: string): void {
    this.post(keyChangedMail(email, what, this.link('/profile/activity')));
  }

  /** @param what in words */
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
      this.logger.warn(`A mail ("${mail.subject}") was not sent: its address had enough of them this hour`);
  }
}

const IGNORE = 'If this was not you, ignore this mail: nothing happens then.';

function confirmationMail(to: string, link: string): Mail {
  return {
    to,
    subject: 'Confirm your address for Bowerbird',
    text: `Somebody, you we hope, wants a Bowerbird account with this address. Choose its password within an hour: ${link}\n\n${IGNORE}`,
  };
}

/** For an address that has an account already: the page must not tell, but its owner may know. */
function accountExistsMail(to: string, signInLink: string, passwordLink: string): Mail {
  return {
    to,
    subject: 'You have a Bowerbird account already',
    text: `Somebody, you we hope, tried to make a Bowerbird account with this address, which has one already. Sign in: ${signInLink}\n\nA new password, if you forgot yours: ${passwordLink}\n\n${IGNORE}`,
  };
}

function newPasswordMail(to: string, link: string): Mail {
  return {
    to,
    subject: 'A new password for Bowerbird',
    text: `Choose a new password within an hour: ${link}\n\n${IGNORE}`,
  };
}

function passwordChangedMail(to: string, passwordLink: string, securityLink: string): Mail {
  return {
    to,
    subject: 'Your Bowerbird password was changed',
    text: `The password of your account was changed just now, and every other session was ended. If this was not you, choose a new one: ${passwordLink}\n\nPasskeys and keys work on: remove passkeys that are not yours: ${securityLink}`,
  };
}

function keyChangedMail(to: string, what: string, activityLink: string): Mail {
  return {
    to,
    subject: 'A key of your Bowerbird account was changed',
    text: `${what}. If this was not you, change your password and revoke the key; what was done with your account: ${activityLink}`,
  };
}

function factorChangedMail(to: string, what: string, passwordLink: string, securityLink: string): Mail {
  return {
    to,
    subject: 'How you sign in to Bowerbird was changed',
    text: `${what}. If this was not you, choose a new password at once: ${passwordLink}\n\nThen look at ${securityLink}: a new password removes no passkey.`,
  };
}
