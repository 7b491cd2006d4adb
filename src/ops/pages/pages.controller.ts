import { fillIn, t } from '../../texts/texts.js';
import {
  Body,
  Get,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Param,
  Post,
  Query,
  Redirect,
  Req,
  Res,
  StreamableFile,
  UploadedFile,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor, MulterModule } from '@nestjs/platform-express';
import { type Request, type Response, urlencoded } from 'express';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { AuditModule } from '../../observe/audit.repository.js';
import { isObject } from '../../validation/unknown-values.js';
import { accountPageHeaders } from '../../web/layout/page-requests.js';
import { messageInWords } from '../../web/layout/words.js';
import { type CsvText, UUID } from '../command.js';
import { download, OperatorsHttpModule } from '../operators-http.js';
import { OperatorServices } from '../operators.module.js';
import { OperatorSessionRepository } from '../operators.repository.js';
import { argumentsOf, perform, SERVED, show } from '../perform.js';
import { type Entered, formOf, type PageRequest } from './blocks.js';
import { OperatorPasskeyRepository } from './passkeys.repository.js';
import { OperatorPasskeys } from './passkeys.js';
import { commandOf, DETAILS, missing, PAGES, showAnswer } from './pages.js';
import { backIn, type Given, OperatorPages, render, SEE_OTHER } from './page.js';
import { OperatorPasskeysController, OperatorSignInController } from './sign-in.controller.js';
import { assertFormToken, FORM_TOKEN, OperatorSessionGuard, OperatorSessions } from './sessions.js';

/** A list of names that are held back is the longest form. */
const MAX_FORM = '300kb';
const MAX_FIELDS = 20;
/** Of a name in the audit log. */
const MAX_FILE_NAME = 120;
const PAGE_PATHS = Object.keys(PAGES).map((path) => (path === '' ? 'ops' : `ops/${path}`));
const DETAIL_PATHS = [...Object.keys(DETAILS), 'do', 'show', 'file'].map((path) => `ops/${path}/:id`);
/** The first value of each parameter. */
function textsOf(query: Given): Record<string, string> {
  const texts = Object.entries(query).flatMap(([name, value]) => {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' ? [[name, first] as const] : [];
  });
  return Object.fromEntries(texts);
}

/** A file as it was received. */
interface ReceivedFile {
  readonly path: string;
  readonly originalname: string;
}

@OperatorPages()
@UseGuards(OperatorSessionGuard)
class OperatorPagesController {
  constructor(
    private readonly services: OperatorServices,
    private readonly sessions: OperatorSessions,
    private readonly clock: Clock,
  ) {}

  @Post('ops/sign-out')
  @Redirect('/ops/sign-in', SEE_OTHER)
  async signOut(
    @Body() form: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    assertFormToken(request, isObject(form) ? form[FORM_TOKEN] : undefined);
    await this.sessions.end(request, response);
  }

  @Get(PAGE_PATHS)
  async showPage(
    @Query() query: Given,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const path = request.path.replace(/^\/ops\/?|\/$/gi, '').toLowerCase();
    const found = Object.hasOwn(PAGES, path) ? PAGES[path] : undefined;
    if (!found) throw missing();
    const { title, view } = found;
    const section = path === '' ? '/ops' : `/ops/${path}`;
    const blocks = await view(await this.requestOf(query));
    return render(request, response, { title, blocks, section, back: section, notice: noticeIn(query) });
  }

  @Get(DETAIL_PATHS)
  async showDetail(
    @Param('id') id: string,
    @Query() query: Given,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | StreamableFile> {
    const [, , list = ''] = request.path.toLowerCase().split('/');
    const asked = await this.requestOf(query, id);
    if (list === 'do') return this.showForm(id, { values: asked.query }, backIn(query), request, response);
    if (list === 'file') return this.sendFile(id, asked);
    if (list === 'show') {
      const blocks = await showAnswer(id, asked);
      return render(request, response, { title: commandOf(id).summary, blocks, section: '/ops/more' });
    }
    const detail = DETAILS[list];
    if (!detail || !UUID.test(id)) throw missing();
    const blocks = await detail.view(asked);
    const [section, back] = [`/ops/${list}`, `/ops/${list}/${id}`];
    return render(request, response, { title: detail.title, blocks, section, back, notice: noticeIn(query) });
  }

  @Post('ops/do/:command')
  @UseInterceptors(FileInterceptor('list'))
  async run(
    @Param('command') name: string,
    @UploadedFile() file: ReceivedFile | undefined,
    @Body() form: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // The fields of a multipart form have no prototype.
    const { [FORM_TOKEN]: token, back: asked, ...sent }: Given = isObject(form) ? { ...form } : {};
    const back = backIn({ back: asked });
    // An empty field was left out.
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
    try {
      assertFormToken(request, token);
      const command = commandOf(name);
      if (command.action === undefined) throw missing();
      const answer = await this.perform(name, given, file, request);
      const isSame = isObject(answer) && answer.changed === false;
      const at = command.takesFile && isObject(answer) ? `/ops/imports/${String(answer.id)}` : back;
      response.redirect(SEE_OTHER, `${at}${at.includes('?') ? '&' : '?'}${isSame ? 'same' : 'done'}=${name}`);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500 || !SERVED.has(name)) throw error;
      const text = this.showForm(name, { values: sent, failure: error }, back, request, response);
      response.status(error.status).type('html').send(text);
    } finally {
      if (file) await rm(file.path, { force: true });
    }
  }

  private async perform(
    name: string,
    given: Given,
    file: ReceivedFile | undefined,
    request: Request,
  ): Promise<unknown> {
    const command = commandOf(name);
    if (!command.takesFile) return perform(command, this.services, given, request);
    if (!file) throw new ApiError('invalid_parameter', 'Choose a file.');
    const body = createReadStream(file.path);
    try {
      const named = {
        ...given,
        file: file.originalname.replace(/[^\w .()+-]/g, '_').slice(0, MAX_FILE_NAME),
      };
      return await perform(command, this.services, named, request, body);
    } finally {
      body.destroy();
    }
  }

  private showForm(
    name: string,
    entered: Entered,
    back: string,
    request: Request,
    response: Response,
  ): string {
    const command = commandOf(name);
    if (command.action === undefined) throw missing();
    const { summary, description, words } = command;
    const mayAct = request.operator?.role === 'act';
    // What the page chose stays as it is shown; the rest is to be filled in or changed.
    const known = Object.entries(argumentsOf(command));
    const fixed = entered.failure
      ? []
      : known.flatMap(([one, { isRequired }]) => (isRequired && one !== 'reason' ? [one] : []));
    const lead = [
      ...(description === undefined ? [] : [description.replaceAll('`', '')]),
      ...(words === null ? [] : [fillIn(t.ops.asCommand, { command: words })]),
      ...(mayAct ? [] : [t.ops.readOnlyKey]),
    ].join(' ');
    const form = mayAct ? { form: formOf(name, command, entered, fixed) } : {};
    return render(request, response, {
      title: summary,
      blocks: [{ lead, ...form, links: [{ words: t.ops.back, href: back }] }],
      back,
      problem: entered.failure ? messageInWords(entered.failure.message) : null,
    });
  }

  private async sendFile(name: string, { query }: PageRequest): Promise<StreamableFile> {
    const command = commandOf(name);
    if (command.file === undefined) throw missing();
    return download(command.file, (await show(command, this.services, query)) as CsvText);
  }

  private async requestOf(query: Given, id = ''): Promise<PageRequest> {
    return { services: this.services, now: await this.clock.now(), query: textsOf(query), id };
  }
}

/** What became of the form before. The texts are those of the table: a link cannot bring its own. */
function noticeIn({ done, same }: Given): string | null {
  const summaryOf = (name: unknown) => (typeof name === 'string' ? SERVED.get(name)?.summary : undefined);
  const did = summaryOf(done);
  if (did !== undefined) return `${did}: done.`;
  const was = summaryOf(same);
  return was === undefined ? null : fillIn(t.ops.unchanged, { was });
}

@Module({
  imports: [
    AuditModule,
    OperatorsHttpModule,
    MulterModule.registerAsync({
      inject: [Config],
      useFactory: ({ operators }: Config) => ({
        dest: tmpdir(),
        limits: { fileSize: operators.maxUploadBytes, files: 1, fields: MAX_FIELDS },
      }),
    }),
  ],
  controllers: [OperatorSignInController, OperatorPasskeysController, OperatorPagesController],
  providers: [OperatorPasskeyRepository, OperatorPasskeys, OperatorSessionRepository, OperatorSessions],
})
export class OperatorPagesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const form = urlencoded({ extended: false, limit: MAX_FORM, parameterLimit: MAX_FIELDS });
    consumer
      .apply(accountPageHeaders, form)
      .forRoutes(OperatorSignInController, OperatorPasskeysController, OperatorPagesController);
  }
}
