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

/** The mail that the library sends through us; the token goes into a link to our pages. */
export interface LinkMails {
  newPassword(email: string, token: string): void;
}

/** At these, strangers cannot be kept from signing up with a few dozen made-up addresses. */
const LARGE_PROVIDERS: ReadonlySet<string> = new Set([
  ...['gmail.com', 'googlemail.com', 'outlook.com', 'outlook.com.au', 'hotmail.com', 'hotmail.com.au'],
  ...['live.com', 'live.com.au', 'msn.com', 'yahoo.com', 'yahoo.com.au', 'icloud.com', 'me.com', 'mac.com'],
  ...['bigpond.com', 'bigpond.net.au', 'optusnet.com.au', 'iinet.net.au', 'tpg.com.au', 'proton.me'],
  ...['protonmail.com', 'fastmail.com', 'gmx.com', 'aol.com'],
]);

/** Under a country's suffix, these belong to its registry: `com.au` and `co.uk` have many owners, `abc.au` has one. */
const SECOND_LEVELS: ReadonlySet<string> = new Set(
  'ac asn co com edu gen gob gov govt gv id info ltd me mil ne net nhs nic nom or org plc sch'.split(' '),
);

/** Subdomains count as one: an owner can have any number, on one mail server. */
function domainOf(email: string): string {
  const labels = email
    .slice(email.lastIndexOf('@') + 1)
    .toLowerCase()
    .split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && SECOND_LEVELS.has(second) ? -3 : -2).join('.');
}

interface OrderInMail {
  /** Which kind of order, in words. */
  readonly what: string;
  readonly domain: string;
  readonly years: number;
  readonly totalCents: number;
}

/**
 * Mails with links to our pages. Requests do not wait for them, since the time of sending would reveal whether an
 * address has an account. Each kind of mail has an hourly limit per address, so that repeated sign-ups by strangers
 * cannot use up the limit of password links. It is the only one for what an owner, or the account itself, causes;
 * mails that strangers ask for have limits by network and domain as well.
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
   * Counts a mail that a stranger asks for, alike with and without an account.
   *
   * @throws {AccountProblem} 429 past the limit of the network, of all domains or of this one
   */
  async countStranger(email: string, address: string): Promise<void> {
    await this.attempts.countFrom('mailFromAddress', address);
    await this.attempts.countFrom('mailToDomainFrom', address, domainOf(email));
  }

  /** @throws {AccountProblem} 429 past a limit of all strangers */
  async countSignUp(email: string): Promise<void> {
    const domain = domainOf(email);
    await this.attempts.count(LARGE_PROVIDERS.has(domain) ? 'mailToProvider' : 'mailToDomain', domain);
    await this.attempts.count('mailToAnyone');
  }

  /**
   * The token is stored only when the mail is sent. Past the limit the previous link keeps working, however often a
   * stranger signs up with the address.
   */
  confirmAddress(email: string, token: string, keep: () => Promise<void>): void {
    this.post(confirmationMail(email, this.link('/confirm-email', token)), keep);
  }

  newPassword(email: string, token: string): void {
    this.postForStranger(newPasswordMail(email, this.link('/new-password', token)));
  }

  /**
   * Earlier links stop working, since an attacker may read that mailbox. The owner can sign in at once, even if guesses
   * of others had locked the account. Never throws: the password is changed already.
   */
  async passwordChanged(email: string, endedApps: readonly string[] = []): Promise<void> {
    try {
      const access = await this.accounts.listOtherAccess(email);
      this.post(passwordChangedMail(email, access, endedApps, (path) => this.link(path)));
      await this.accounts.deletePasswordLinks(email);
      await this.attempts.forget('signInToAccount', email);
    } catch (error) {
      this.logger.error(`A mail about a changed password, its links or attempts: ${String(error)}`);
    }
  }

  /** After a reset by a mailed link, where there is no session. @param endedApps names of those it disconnected */
  async passwordReset(id: string, email: string, endedApps: readonly string[]): Promise<void> {
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
    await this.passwordChanged(email, endedApps);
  }

  accountExists(email: string): void {
    this.postForStranger(accountExistsMail(email, this.link('/sign-in'), this.link('/forgotten-password')));
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
   * @returns false where no mail was sent
   */
  async approveOrder(
    accountId: string,
    { what, domain, years, totalCents }: OrderInMail,
    token: string,
    keep: () => Promise<boolean>,
  ): Promise<boolean> {
    const account = await this.accounts.findAccountById(accountId);
    if (!account) return false;
    const price = (totalCents / 100).toFixed(2);
    const link = this.link('/profile/orders/approve', token);
    const text = fillIn(t.mails.approveOrder, { what, domain, years: String(years), price, link });
    return this.send({ to: account.email, subject: t.mails.approveOrderSubject, text }, keep);
  }

  private async isFew({ subject, to }: Mail): Promise<boolean> {
    return this.attempts.isWithin('mail', subject, mailboxOf(to));
  }

  /** To an account, asked for without its session: others must not flood its domain. */
  private postForStranger(mail: Mail): void {
    const domain = domainOf(mail.to);
    const kind = LARGE_PROVIDERS.has(domain) ? 'holderMailToProvider' : 'holderMailToDomain';
    this.post(
      mail,
      async () =>
        (await this.attempts.isWithin(kind, domain)) && (await this.attempts.isWithin('holderMailToAnyone')),
    );
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

  private async send(mail: Mail, before?: () => Promise<unknown>): Promise<boolean> {
    if (!(await this.isFew(mail))) {
      this.logger.warn(`A mail ("${mail.subject}") was not sent: the hourly limit of its address is reached`);
      return false;
    }
    if ((await before?.()) === false) return false;
    await this.mailer.send(mail);
    return true;
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

function passwordChangedMail(
  to: string,
  access: OtherAccess,
  endedApps: readonly string[],
  link: (path: string) => string,
): Mail {
  const named = (names: readonly string[], path: string) =>
    fillIn(t.mails.named, { names: names.join(', ') || t.mails.none, link: link(path) });
  const text = fillIn(t.mails.passwordChanged, {
    password: link('/forgotten-password'),
    passkeys: named(access.passkeys, '/profile/security'),
    keys: named(access.keys, '/profile/api-keys'),
    apps: named(access.apps, '/profile/apps'),
  });
  const ended = fillIn(t.mails.endedApps, { names: endedApps.join(', ') });
  const subject = t.mails.passwordChangedSubject;
  return { to, subject, text: endedApps.length > 0 ? `${text}\n\n${ended}` : text };
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
