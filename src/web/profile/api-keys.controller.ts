import { fillIn, t } from '../../texts/texts.js';
import { ORDER_SCOPES, scopesOf } from '../../access/api-key.js';
import { Body, Get, HttpCode, Ip, Param, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type ApiKey, isReplaceable, isWorking } from '../../access/api-key.repository.js';
import { ApiKeysService, type IssuedKey, MAX_WORKING_KEYS } from '../../access/api-keys.service.js';
import { callerIdOfAccount } from '../../access/caller.js';
import { RecordBudget } from '../../access/record-budget.js';
import { Tiers } from '../../config/tiers.js';
import { AccountActivity } from '../../accounts/account-activity.js';
import { AccountProblem } from '../../accounts/account-problem.js';
import type { Account } from '../../accounts/accounts.service.js';
import { Config } from '../../config/config.js';
import { timeOfDatabase } from '../../db/database-time.js';
import { Clock } from '../../db/database.js';
import { momentInWords, timeView } from '../layout/words.js';
import { FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import { FormsInPlace } from './forms-in-place.js';
import { CreateKeyForm, KeyPath, NameForm, ReplaceKeyForm } from './forms.dto.js';
import { definePage, DoneQuery, noticeOf } from './page.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const apiKeysPage = definePage('api-keys', { title: t.profile.titles.apiKeys, section: '/profile/api-keys' });
/** The only page that shows a key. */
const newKeyPage = definePage('new-key', { title: t.profile.titles.newKey, section: '' });

@FormPages()
@UseGuards(SessionGuard)
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly budget: RecordBudget,
    private readonly tiers: Tiers,
    private readonly config: Config,
    private readonly activity: AccountActivity,
    private readonly clock: Clock,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/profile/api-keys', (account) => this.listKeys(account, {}));
  }

  @Get('profile/api-keys')
  async listKeys(@SignedIn() account: Account, @Query() query: DoneQuery): Promise<string> {
    const tier = this.tiers.table[account.tier];
    const [keys, left] = await Promise.all([
      this.keys.listKeys(account.id),
      this.budget.read({ tier, id: callerIdOfAccount(account.id) }),
    ]);
    const now = await this.clock.now();
    return apiKeysPage({
      keys: keys.map((key) => toKeyRow(key, now)),
      left,
      resetsAt: left.quota && timeView(new Date(left.quota.resets_at), now),
      tier: tier.name,
      submission: randomUUID(),
      maxKeys: MAX_WORKING_KEYS,
      orderScopes: this.config.orders.enabled ? ORDER_SCOPES : [],
      notice: noticeOf(query),
    });
  }

  @Post('profile/api-keys')
  @UseGuards(ProofGuard)
  @HttpCode(201)
  async createKey(
    @SignedIn() account: Account,
    @Body() form: CreateKeyForm,
    @Ip() address: string,
  ): Promise<string> {
    const { id: accountId } = account;
    const { name, kind, scopes, networks, submission, expires_days: days } = form;
    if (scopesOf(kind, scopes).length < scopes.length)
      throw new AccountProblem(400, `scopes: ${t.keys.noTestOrders}`);
    const expiresAt = days === 0 ? null : await this.inTime(days * DAY_MS);
    const key = { accountId, name, kind, scopes, networks, submission, expiresAt };
    const issued = await this.keys.createKey(key);
    await this.activity.recordKeyChange(account, 'key.create', address, name);
    return this.show(issued);
  }

  @Post('profile/api-keys/:id/rotate')
  @UseGuards(ProofGuard)
  @HttpCode(201)
  async replaceKey(
    @SignedIn() account: Account,
    @Param() { id }: KeyPath,
    @Body() { submission, overlap_hours: hours }: ReplaceKeyForm,
    @Ip() address: string,
  ): Promise<string> {
    const issued = await this.keys.replaceKey(account.id, id, submission, await this.inTime(hours * HOUR_MS));
    await this.activity.recordKeyChange(account, 'key.replace', address, issued.key.name);
    return this.show(issued);
  }

  @Post('profile/api-keys/:id/rename')
  @Redirect('/profile/api-keys?done=renamed', 303)
  renameKey(
    @SignedIn() account: Account,
    @Param() { id }: KeyPath,
    @Body() { name }: NameForm,
  ): Promise<void> {
    return this.keys.renameKey(account.id, id, name);
  }

  @Post('profile/api-keys/:id/revoke')
  @UseGuards(ProofGuard)
  @Redirect('/profile/api-keys?done=revoked', 303)
  async revokeKey(
    @SignedIn() account: Account,
    @Param() { id }: KeyPath,
    @Ip() address: string,
  ): Promise<void> {
    await this.keys.revokeKey(account.id, id);
    await this.activity.recordKeyChange(account, 'key.revoke', address, id);
  }

  private async inTime(ms: number): Promise<Date> {
    return new Date((await this.clock.now()).getTime() + ms);
  }

  private show({ text, key }: IssuedKey): string {
    return newKeyPage({
      text,
      name: key.name,
      state: stateOf(key, isWorking(key, timeOfDatabase())),
      exampleUrl: `${this.config.links.baseUrl}/api/v1/usage`,
    });
  }
}

function toKeyRow(key: ApiKey, now: Date): object {
  const works = isWorking(key, now);
  return {
    id: key.id,
    name: key.name,
    kind: key.kind,
    shown: `${key.start}…${key.tail}`,
    scopes: key.scopes.join(', '),
    networks: key.networks.join(', '),
    state: stateOf(key, works),
    submission: randomUUID(),
    works,
    isReplaceable: isReplaceable(key, now),
    created: timeView(key.createdAt, now),
    lastUsed: key.lastUsedAt && timeView(key.lastUsedAt, now),
  };
}

function stateOf(key: ApiKey, works: boolean): string {
  if (key.revokedAt) return fillIn(t.profile.keyRevoked, { when: momentInWords(key.revokedAt) });
  if (!key.expiresAt) return t.profile.keyUnlimited;
  const when = momentInWords(key.expiresAt);
  if (!works) return fillIn(t.profile.keyExpired, { when });
  return fillIn(key.replacedAt ? t.profile.keyReplaced : t.profile.keyUntil, { when });
}
