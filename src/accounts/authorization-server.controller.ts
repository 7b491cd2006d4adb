import {
  ArgumentsHost,
  Body,
  Catch,
  Controller,
  Get,
  Header,
  Ip,
  Post,
  Req,
  Res,
  UseFilters,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response as Answer } from 'express';
import { DEFAULT_TOKEN_RESOURCE, RESOURCE_METADATA_PATH, TOKEN_RESOURCES } from '../access/bearer.js';
import { IgnoresKeys } from '../access/requirements.js';
import { Config } from '../config/config.js';
import { ApiErrorFilter } from '../errors/api-error.filter.js';
import type { ApiError } from '../errors/api-error.js';
import { AccountProblem } from './account-problem.js';
import { ConnectedApps, RegistrationRefused } from './connected-apps.js';
import { APP_SCOPES } from './app-provider.js';

/** Errors in the format of OAuth (RFC 6749, 5.2), the only one its clients read. */
@Catch()
class OAuthErrorFilter extends ApiErrorFilter {
  override catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Answer>();
    if (thrown instanceof RegistrationRefused) sendError(response, 400, thrown.code, thrown.message);
    else if (thrown instanceof AccountProblem) {
      response.set(thrown.headers);
      sendError(response, thrown.status, codeOf(thrown.status), thrown.message);
    } else super.catch(thrown, host);
  }

  protected override write(error: ApiError, request: Request, response: Answer): void {
    response.set(this.headersOf(error, request));
    sendError(response, error.status, codeOf(error.status), error.message);
  }
}

function codeOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

function sendError(response: Answer, status: number, error: string, description: string): void {
  response.status(status).set('Cache-Control', 'no-store').type('json');
  response.json({ error, error_description: description });
}

const METADATA_TTL = 'public, max-age=3600';

/** The authorization server for programs: metadata, registration, tokens. Its page is connect.controller.ts. */
@ApiExcludeController()
@IgnoresKeys()
@UseFilters(OAuthErrorFilter)
@Controller()
export class AuthorizationServerController {
  private readonly issuer: string;

  constructor(
    private readonly apps: ConnectedApps,
    { links }: Config,
  ) {
    this.issuer = links.baseUrl;
  }

  /** RFC 9728. Clients try the path of the tool server first, then the root. */
  @Get([RESOURCE_METADATA_PATH, ...TOKEN_RESOURCES.map((path) => `${RESOURCE_METADATA_PATH}/${path}`)])
  @Header('Cache-Control', METADATA_TTL)
  describeResource(@Req() { path }: Request): object {
    const resource = TOKEN_RESOURCES.find((one) => path === `/${RESOURCE_METADATA_PATH}/${one}`);
    return {
      resource: `${this.issuer}/${resource ?? DEFAULT_TOKEN_RESOURCE}`,
      resource_name: 'Bowerbird tool server',
      authorization_servers: [this.issuer],
      // Apps request the scopes listed here; `read` alone gives no refresh token.
      scopes_supported: [...APP_SCOPES],
      bearer_methods_supported: ['header'],
      resource_documentation: `${this.issuer}/llms.txt`,
    };
  }

  /** RFC 8414. The library's own document names routes that are not served. */
  @Get('.well-known/oauth-authorization-server')
  @Header('Cache-Control', METADATA_TTL)
  describeServer(): object {
    const at = (path: string) => `${this.issuer}/oauth2/${path}`;
    return {
      issuer: this.issuer,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      registration_endpoint: at('register'),
      revocation_endpoint: at('revoke'),
      scopes_supported: [...APP_SCOPES],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  /** RFC 7591. Without Location: a registered app has no address, as RFC 7592 is not served. */
  @Post('oauth2/register')
  async register(@Req() request: Request, @Ip() address: string, @Res() answer: Answer): Promise<void> {
    await pass(await this.apps.register(request.body, address), answer);
  }

  @Post('oauth2/token')
  async token(@Body() form: unknown, @Res() answer: Answer): Promise<void> {
    await pass(await this.apps.exchange('oauth2/token', textOf(form)), answer);
  }

  /** RFC 7009. */
  @Post('oauth2/revoke')
  async revoke(@Body() form: unknown, @Res() answer: Answer): Promise<void> {
    await pass(await this.apps.exchange('oauth2/revoke', textOf(form)), answer);
  }
}

function textOf(form: unknown): string {
  return typeof form === 'string' ? form : '';
}

async function pass(from: Response, to: Answer): Promise<void> {
  const challenge = from.headers.get('www-authenticate');
  if (challenge !== null) to.set('WWW-Authenticate', challenge);
  to.status(from.status).set('Cache-Control', 'no-store').type('json');
  to.send(await from.text());
}
