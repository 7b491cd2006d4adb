import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from '../access/api-key.repository.js';
import { IdempotentRequestRepository } from '../access/idempotent-request.repository.js';
import { maintenance, WorkKinds } from '../work/kind.js';
import { AccountRepository, SignUpRepository } from './account.repository.js';
import { AppRepository } from './connected-apps.repository.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNCONFIRMED_DAYS = 7;
const ENDED_KEYS_DAYS = 90;

/** Deletes expired rows hourly. Several instances may run it at once. */
@Injectable()
export class AccountPurge {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly signUps: SignUpRepository,
    private readonly keys: ApiKeyRepository,
    private readonly requests: IdempotentRequestRepository,
    kinds: WorkKinds,
  ) {
    kinds.add(maintenance('account-purge', HOUR_MS, (now) => this.purge(now)));
  }

  async purge(now: Date): Promise<void> {
    const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
    await this.accounts.deleteEndedBefore(now);
    await this.signUps.deleteEndedBefore(now);
    await this.accounts.deleteUnconfirmedBefore(before(UNCONFIRMED_DAYS));
    await this.keys.deleteEndedBefore(before(ENDED_KEYS_DAYS));
    await this.requests.deleteOld();
  }
}

/** Enough for an app to register and its user to sign up and read the mail. */
const UNCONNECTED_MS = 3_600_000;

/** Deletes expired tokens and unconnected apps hourly. Several instances may run it at once. */
@Injectable()
export class AppPurge {
  constructor(
    private readonly apps: AppRepository,
    kinds: WorkKinds,
  ) {
    kinds.add(maintenance('app-purge', HOUR_MS, (now) => this.purge(now)));
  }

  purge(now: Date): Promise<void> {
    return this.apps.deleteEnded(now, new Date(now.getTime() - UNCONNECTED_MS));
  }
}
