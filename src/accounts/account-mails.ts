import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { AuditRepository } from '../observe/audit.repository.js';
import { AccountRepository, type OtherAccess } from './account.repository.js';
import { AttemptLimit } from './attempt-limit.js';
import { type Mail, Mailer } from './mailer.js';
import { fillIn, t } from '../texts/texts.js';

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

interface OrderInMail {
  readonly domain: string;
  readonly years: number;
  readonly totalCents: number;
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

  /**
   * One subject for all orders: its hourly limit holds for all of them, however many a program places.
   *
   * @param keep stores the token; false: another link was sent meanwhile
   */
  async approveOrder(
    accountId: string,
    { domain, years, totalCents }: OrderInMail,
    token: string,
    keep: () => Promise<boolean>,
  ): Promise<void> {
    const account = await this.accounts.findAccountById(accountId);
    if (!account) return;
    const price = (totalCents / 100).toFixed(2);
    const link = this.link('/profile/orders/approve', token);
    const text = fillIn(t.mails.approveOrder, { domain, years: String(years), price, link });
    this.post({ to: account.email, subject: t.mails.approveOrderSubject, text }, keep);
  }

  private async isFew({ subject, to }: Mail): Promise<boolean> {
    return this.attempts.isWithin('mail', subject, mailboxOf(to));
  }

  private link(path: string, token?: string): string {
    const query = token === undefined ? '' : `?token=${encodeURIComponent(token)}`;
    return `${this.config.links.baseUrl}${path}${query}`;
  }

  private post(mail: Mail, before?: () => Promise<unknown>): void {
    void this.send(mail, before).catch((error: unknown) =>
      this.logger.error(`A mail ("${mail.subject}") was not sent: ${String(error)}`),
    );
  }

  private async send(mail: Mail, before?: () => Promise<unknown>): Promise<void> {
    if (await this.isFew(mail)) {
      if ((await before?.()) !== false) await this.mailer.send(mail);
    } else
      this.logger.warn(`A mail ("${mail.subject}") was not sent: the hourly limit of its address is reached`);
  }
}

function confirmationMail(to: string, link: string): Mail {
  return { to, subject: t.mails.confirmSubject, text: fillIn(t.mails.confirm, { link }) };
}

/** The page must not reveal that the address has an account, but its owner may know. */
function accountExistsMail(to: string, signIn: string, password: string): Mail {
  return { to, subject: t.mails.existsSubject, text: fillIn(t.mails.exists, { signIn, password }) };
}

function newPasswordMail(to: string, link: string): Mail {
  return { to, subject: t.mails.passwordSubject, text: fillIn(t.mails.password, { link }) };
}

function newNetworkMail(to: string, network: string, sessions: string, password: string): Mail {
  const text = fillIn(t.mails.network, { network, sessions, password });
  return { to, subject: t.mails.networkSubject, text };
}

function passwordChangedMail(to: string, access: OtherAccess, link: (path: string) => string): Mail {
  const named = (names: readonly string[], path: string) =>
    fillIn(t.mails.named, { names: names.join(', ') || t.mails.none, link: link(path) });
  const text = fillIn(t.mails.passwordChanged, {
    password: link('/forgotten-password'),
    passkeys: named(access.passkeys, '/profile/security'),
    keys: named(access.keys, '/profile/api-keys'),
    apps: named(access.apps, '/profile/apps'),
  });
  return { to, subject: t.mails.passwordChangedSubject, text };
}

function keyChangedMail(to: string, what: string, activity: string): Mail {
  return { to, subject: t.mails.keyChangedSubject, text: fillIn(t.mails.keyChanged, { what, activity }) };
}

function keyRefusedMail(to: string, network: string, link: string): Mail {
  return { to, subject: t.mails.keyRefusedSubject, text: fillIn(t.mails.keyRefused, { network, link }) };
}

function appConnectedMail(to: string, name: string, apps: string): Mail {
  return { to, subject: t.mails.appConnectedSubject, text: fillIn(t.mails.appConnected, { name, apps }) };
}

function appDisconnectedMail(to: string, name: string, activity: string): Mail {
  const text = fillIn(t.mails.appDisconnected, { name, activity });
  return { to, subject: t.mails.appDisconnectedSubject, text };
}

function factorChangedMail(to: string, what: string, password: string, security: string): Mail {
  return { to, subject: t.mails.factorSubject, text: fillIn(t.mails.factor, { what, password, security }) };
}
