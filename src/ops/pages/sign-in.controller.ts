import { t } from '../../texts/texts.js';
import { Body, Get, HttpCode, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { OperatorKey } from '../../config/parsers.js';
import { Clock } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { isObject } from '../../validation/unknown-values.js';
import { assertFromHere } from '../../web/layout/page-requests.js';
import type { Operator } from '../operator-access.js';
import { cellOf, type FormView } from './blocks.js';
import { backIn, type Given, OperatorPages, render, SEE_OTHER } from './page.js';
import { OperatorPasskeys } from './passkeys.js';
import {
  assertFormToken,
  FORM_TOKEN,
  OperatorSessionGuard,
  OperatorSessions,
  OperatorSignInRequired,
} from './sessions.js';

@OperatorPages()
export class OperatorSignInController {
  constructor(
    private readonly sessions: OperatorSessions,
    private readonly passkeys: OperatorPasskeys,
  ) {}

  @Get('ops/sign-in')
  showForm(
    @Query() query: Given,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): string {
    return render(request, response, { title: t.ops.signIn, blocks: [], signIn: true, back: backIn(query) });
  }

  @Post('ops/sign-in')
  async signIn(@Body() form: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    await this.begin(form, request, response, ({ key }) =>
      this.sessions.begin(typeof key === 'string' ? key.trim() : '', request, response),
    );
  }

  @Post('ops/sign-in/passkey/options')
  @HttpCode(200)
  passkeyOptions(@Req() request: Request): Promise<object> {
    assertFromHere(request);
    return this.passkeys.signInOptions();
  }

  @Post('ops/sign-in/passkey')
  async signInByPasskey(
    @Body() form: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.begin(form, request, response, async ({ response: answer }) => {
      const key = await this.passkeys.signIn(typeof answer === 'string' ? answer : '', request);
      await this.sessions.beginFor(key, request, response);
    });
  }

  private async begin(
    form: unknown,
    request: Request,
    response: Response,
    prove: (fields: Given) => Promise<void>,
  ): Promise<void> {
    const fields: Given = isObject(form) ? form : {};
    const back = backIn(fields);
    try {
      assertFormToken(request, fields[FORM_TOKEN]);
      await prove(fields);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const { code, message, status } = error;
      const isKey = code === 'key_invalid' && fields.key !== undefined;
      const problem = isKey ? t.ops.wrongKey : message;
      const view = { title: t.ops.signIn, blocks: [], signIn: true, back, problem };
      response.status(status).set(error.headersFor(request)).removeHeader('WWW-Authenticate');
      response.type('html').send(render(request, response, view));
      return;
    }
    response.redirect(SEE_OTHER, back);
  }
}

const PASSKEYS = {
  title: t.ops.passkeys,
  section: '/ops/passkeys',
  back: '/ops/passkeys',
  addsPasskeys: true,
};

/** An operator's own passkeys. */
@OperatorPages()
@UseGuards(OperatorSessionGuard)
export class OperatorPasskeysController {
  constructor(
    private readonly passkeys: OperatorPasskeys,
    private readonly clock: Clock,
  ) {}

  @Get('ops/passkeys')
  async list(
    @Query() query: Given,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const notice = query.done === 'add' ? t.ops.passkeyAdded : query.done ? t.ops.itIsRemoved : null;
    return this.show(request, response, { notice });
  }

  @Post('ops/passkeys/options')
  @HttpCode(200)
  options(@Req() request: Request): Promise<object> {
    return this.passkeys.addOptions(keyOf(request));
  }

  @Post('ops/passkeys')
  async add(@Body() form: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    await this.change(form, request, response, 'add', ({ response: answer }, operator) =>
      this.passkeys.add(typeof answer === 'string' ? answer : '', keyOf(request), operator),
    );
  }

  @Post('ops/passkeys/remove')
  async remove(@Body() form: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    await this.change(form, request, response, 'remove', ({ id }, operator) =>
      this.passkeys.remove(typeof id === 'string' ? id : '', keyOf(request), operator),
    );
  }

  private async change(
    form: unknown,
    request: Request,
    response: Response,
    done: string,
    work: (fields: Given, operator: Operator) => Promise<void>,
  ): Promise<void> {
    const { operator } = request;
    const fields: Given = isObject(form) ? form : {};
    assertFormToken(request, fields[FORM_TOKEN]);
    if (!operator) throw new OperatorSignInRequired();
    try {
      await work(fields, operator);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      response.status(error.status).type('html');
      response.send(await this.show(request, response, { problem: error.message }));
      return;
    }
    response.redirect(SEE_OTHER, `/ops/passkeys?done=${done}`);
  }

  private async show(
    request: Request,
    response: Response,
    said: { readonly notice?: string | null; readonly problem?: string },
  ): Promise<string> {
    const now = await this.clock.now();
    const passkeys = await this.passkeys.list(keyOf(request));
    const rows = passkeys.map(({ id, addedAt, usedAt }) => ({
      cells: [
        { words: id.slice(0, 12) },
        cellOf(addedAt.toISOString(), now),
        cellOf(usedAt?.toISOString(), now),
      ],
    }));
    const list = {
      heading: t.ops.yours,
      lead: t.ops.passkeyHint,
      heads: [t.ops.passkey, t.ops.added, t.ops.lastUsed],
      rows,
      empty: t.ops.noneYet,
    };
    const removal = passkeys.map(({ id }) => ({ form: removalOf(id) }));
    return render(request, response, { ...PASSKEYS, ...said, blocks: [list, ...removal] });
  }
}

function removalOf(id: string): FormView {
  return {
    method: 'post',
    path: '/ops/passkeys/remove',
    given: [['id', id]],
    fields: [],
    takesFile: false,
    button: t.ops.removeIt,
    isDanger: true,
  };
}

/** @throws {OperatorSignInRequired} */
function keyOf({ operatorKey }: Request): OperatorKey {
  if (!operatorKey) throw new OperatorSignInRequired();
  return operatorKey;
}
