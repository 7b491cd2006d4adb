import { fillIn, t } from '../../texts/texts.js';
import {
  applyDecorators,
  type ArgumentsHost,
  Catch,
  Controller,
  Injectable,
  UseFilters,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { ApiErrorFilter } from '../../errors/api-error.filter.js';
import type { ApiError } from '../../errors/api-error.js';
import { ASSETS } from '../../web/layout/layout.js';
import { template } from '../../web/layout/templates.js';
import { messageInWords } from '../../web/layout/words.js';
import type { Block } from './blocks.js';
import { PAGES } from './pages.js';
import { formTokenOf, OperatorSignInRequired } from './sessions.js';

// What every page of operators has.

export const SEE_OTHER = 303;
/** An address of these pages, and of no other host. */
const BACK = /^\/ops(?:\/[\w/-]*)?(?:\?[\w=&%.+-]*)?$/;

export interface PageView {
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly section?: string;
  readonly problem?: string | null;
  readonly notice?: string | null;
  readonly back?: string;
  readonly signIn?: boolean;
  readonly addsPasskeys?: boolean;
}

const page = template('ops');
const SECTIONS = Object.entries(PAGES).map(([path, { name }]) => ({
  path: path === '' ? '/ops' : `/ops/${path}`,
  name,
}));

export function render(request: Request, response: Response, view: PageView): string {
  const { operator } = request;
  const role = operator?.role === 'look' ? ' (look)' : '';
  return `${page({
    ...{ section: '', problem: null, notice: null, back: '/ops', signIn: false, addsPasskeys: false },
    ...view,
    script: view.signIn || view.addsPasskeys ? ASSETS.passkeys.url : null,
    operator: operator ? operator.actor.replace('operator:', '') + role : null,
    sections: SECTIONS,
    style: ASSETS.style.url,
    formToken: formTokenOf(request, response),
  })}\n`;
}

/** Failures as pages of operators; without a session, the way to the sign-in. */
@Catch()
@Injectable()
class OperatorPageFilter extends ApiErrorFilter {
  override catch(thrown: unknown, host: ArgumentsHost): void {
    if (!(thrown instanceof OperatorSignInRequired)) {
      super.catch(thrown, host);
      return;
    }
    const { method, originalUrl } = host.switchToHttp().getRequest<Request>();
    const back = method === 'GET' ? `?${new URLSearchParams({ back: originalUrl }).toString()}` : '';
    host.switchToHttp().getResponse<Response>().redirect(SEE_OTHER, `/ops/sign-in${back}`);
  }

  protected override write(error: ApiError, request: Request, response: Response): void {
    const { status, code, message } = error;
    const problem = code === 'body_too_large' ? t.ops.fileTooLarge : messageInWords(message);
    const lead = fillIn(t.ops.requestNumber, { id: request.requestId });
    const links = [{ words: t.ops.today, href: '/ops' }];
    const view = { title: t.ops.failedTitle, problem, blocks: [{ lead, links }] };
    response
      .status(status)
      .set(error.headersFor(request))
      .type('html')
      .send(render(request, response, view));
  }
}

/** Pages without keys of accounts and without the limits of callers. */
export function OperatorPages(): ClassDecorator {
  return applyDecorators(
    Controller(),
    ApiExcludeController(),
    IgnoresKeys(),
    SkipThrottle(),
    UseFilters(OperatorPageFilter),
  );
}

export type Given = Readonly<Record<string, unknown>>;

export function backIn({ back }: Given): string {
  return typeof back === 'string' && BACK.test(back) ? back : '/ops';
}
