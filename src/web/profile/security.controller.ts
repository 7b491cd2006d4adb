import { t } from '../../texts/texts.js';
import { Body, Get, HttpCode, Param, Post, Query, Redirect, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AccountProblem } from '../../accounts/account-problem.js';
import type { Passkey } from '../../accounts/account.repository.js';
import type { Account } from '../../accounts/accounts.service.js';
import { Passkeys } from '../../accounts/passkeys.service.js';
import { type NewFactor, SecondFactors } from '../../accounts/second-factors.service.js';
import { type Session, SessionRepository } from '../../accounts/session.repository.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { dayInWords, deviceInWords, momentInWords } from '../layout/words.js';
import { FormsInPlace } from './forms-in-place.js';
import { FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import {
  BeginPasskeyForm,
  CODE_MAX,
  CodeForm,
  DeleteForm,
  NewPasskeyForm,
  PasskeyPath,
  RemoveFactorForm,
  SessionPath,
} from './forms.dto.js';
import { definePage, DoneQuery, noticeOf } from './page.js';
import { calendarDateOf } from '../../domains/schema/calendar-date.js';

const SECURITY = '/profile/security';

const securityPage = definePage('security', {
  title: t.profile.titles.security,
  section: SECURITY,
  takesPasskeys: true,
});
const secondFactorPage = definePage<{ isOn: boolean; codeMax: number }>('second-factor', {
  title: t.profile.titles.factor,
  section: SECURITY,
});
/** The only page that shows the key. */
const setUpPage = definePage<NewFactor & { picture: string }>('second-factor-setup', {
  title: t.profile.titles.setUp,
  section: SECURITY,
});
const sessionsPage = definePage<{ rows: readonly ReturnType<typeof toSessionRow>[] }>('sessions', {
  title: t.profile.titles.sessions,
  section: '/profile/sessions',
});

@FormPages()
@UseGuards(SessionGuard)
export class SecurityController {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly factors: SecondFactors,
    inPlace: FormsInPlace,
  ) {
    inPlace.register(SECURITY, (account, request) => this.show(account, request, {}));
  }

  @Get('profile/security')
  async show(
    @SignedIn() account: Account,
    @Req() { headers }: Request,
    @Query() query: DoneQuery,
  ): Promise<string> {
    const passkeys = await this.passkeys.list(account);
    return securityPage({
      rows: passkeys.map(toPasskeyRow),
      codeMax: CODE_MAX,
      takesPasskeys: this.passkeys.isOffered,
      hasFactor: await this.factors.isOn(headers),
      notice: noticeOf(query),
    });
  }

  /** For passkeys.js. */
  @Post('profile/security/passkeys/options')
  @UseGuards(ProofGuard)
  @HttpCode(200)
  async begin(
    @SignedIn() account: Account,
    @Body() form: BeginPasskeyForm,
    @Req() { headers }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const { options, cookies } = await this.passkeys.beginAdding(account, headers, form);
    response.append('Set-Cookie', [...cookies]);
    return options;
  }

  @Post('profile/security/passkeys')
  @UseGuards(ProofGuard)
  @Redirect('/profile/security?done=passkey-added', 303)
  async add(
    @SignedIn() account: Account,
    @Body() form: NewPasskeyForm,
    @Req() { headers, ip = '' }: Request,
  ): Promise<void> {
    await this.passkeys.add(account, headers, form, ip);
  }

  @Post('profile/security/passkeys/:id/remove')
  @UseGuards(ProofGuard)
  @Redirect('/profile/security?done=passkey-removed', 303)
  async remove(
    @SignedIn() account: Account,
    @Param() { id }: PasskeyPath,
    @Body() { password }: DeleteForm,
    @Req() { headers, ip = '' }: Request,
  ): Promise<void> {
    await this.passkeys.remove(account, headers, { id, password }, ip);
  }
}

@FormPages()
@UseGuards(SessionGuard)
export class SecondFactorController {
  constructor(
    private readonly factors: SecondFactors,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/profile/second-factor', (_, request) => this.show(request, {}));
  }

  @Get('profile/second-factor')
  async show(@Req() { headers }: Request, @Query() _: NoParameters): Promise<string> {
    return secondFactorPage({ isOn: await this.factors.isOn(headers), codeMax: CODE_MAX });
  }

  @Post('profile/second-factor')
  @UseGuards(ProofGuard)
  @HttpCode(201)
  async begin(
    @SignedIn() account: Account,
    @Body() { password }: DeleteForm,
    @Req() { headers }: Request,
  ): Promise<string> {
    const factor = await this.factors.begin(account, headers, password);
    return setUpPage({ ...factor, picture: await qrCode(factor.uri, t.profile.qrCode) });
  }

  @Post('profile/second-factor/confirm')
  @UseGuards(ProofGuard)
  @Redirect('/profile?done=factor-on', 303)
  async confirm(
    @SignedIn() account: Account,
    @Body() { code }: CodeForm,
    @Req() { headers, ip = '' }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    response.append('Set-Cookie', [...(await this.factors.turnOn(account, headers, code, ip))]);
  }

  @Post('profile/second-factor/remove')
  @UseGuards(ProofGuard)
  @Redirect('/profile?done=factor-off', 303)
  async remove(
    @SignedIn() account: Account,
    @Body() form: RemoveFactorForm,
    @Req() { headers, ip = '' }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    response.append('Set-Cookie', [...(await this.factors.turnOff(account, headers, form, ip))]);
  }
}

@FormPages()
@UseGuards(SessionGuard)
export class SessionsController {
  constructor(
    private readonly sessions: SessionRepository,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/profile/sessions', (account) => this.list(account, {}));
  }

  @Get('profile/sessions')
  async list(@SignedIn() { id, sessionId }: Account, @Query() query: DoneQuery): Promise<string> {
    const sessions = await this.sessions.listSessions(id);
    const rows = sessions.map((session) => toSessionRow(session, sessionId));
    return sessionsPage({ rows, notice: noticeOf(query) });
  }

  @Post('profile/sessions/end-others')
  @Redirect('/profile/sessions?done=sessions-ended', 303)
  endOthers(@SignedIn() { id, sessionId }: Account): Promise<void> {
    return this.sessions.endOthers(id, sessionId);
  }

  @Post('profile/sessions/:id/end')
  @Redirect('/profile/sessions?done=session-ended', 303)
  async end(@SignedIn() account: Account, @Param() { id }: SessionPath): Promise<void> {
    if (!(await this.sessions.endSession(account.id, id))) throw new AccountProblem(404, t.forms.noSession);
  }
}

function toPasskeyRow({ id, name, createdAt, isSynced }: Passkey): {
  id: string;
  name: string;
  made: string;
  place: string;
} {
  return {
    id,
    name,
    made: momentInWords(createdAt),
    place: isSynced ? t.profile.yourDevices : t.profile.oneDevice,
  };
}

function toSessionRow({ id, userAgent, createdAt, usedAt, endsAt }: Session, currentId: string) {
  return {
    id,
    device: deviceInWords(userAgent),
    began: momentInWords(createdAt),
    used: dayInWords(calendarDateOf(usedAt)),
    ends: dayInWords(calendarDateOf(endsAt)),
    isCurrent: id === currentId,
  };
}

/**
 * The text as a QR code (SVG), dark on light in both colour schemes.
 *
 * @param words for screen readers; not escaped
 */
async function qrCode(text: string, words: string): Promise<string> {
  const { encodeQR } = await import('qr');
  const picture = encodeQR(text, 'svg', { ecc: 'medium' });
  return picture.replace('<svg ', `<svg class="qr" role="img" aria-label="${words}" `);
}
