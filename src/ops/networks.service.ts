import { Injectable } from '@nestjs/common';
import { MAX_RULES, NetworkRepository, type NetworkVerdict } from '../access/network.repository.js';
import { NetworkRules, readNetwork } from '../access/network-rules.js';
import { Database } from '../db/database.js';
import { ApiError } from '../errors/api-error.js';
import { AuditRepository } from '../observe/audit.repository.js';
import { type AnswerOf, done, type Done, type OperatorCommand } from './answers.js';

/** Networks: who takes most, and what operators have said of them. Every process knows a rule within ten seconds. */
@Injectable()
export class OperatorNetworks {
  constructor(
    private readonly database: Database,
    private readonly networks: NetworkRepository,
    private readonly rules: NetworkRules,
    private readonly audit: AuditRepository,
  ) {}

  async listTakers(hours: number, limit: number): Promise<AnswerOf<'Takers'>> {
    return { ok: true, takers: await this.networks.listTaken(hours, limit) };
  }

  async listRules(): Promise<AnswerOf<'NetworkRules'>> {
    const rules = await this.networks.listRules();
    return {
      ok: true,
      rules: rules.map(({ network, verdict, reason, setBy, setAt, endsAt }) => ({
        ...{ network, verdict, reason, set_by: setBy },
        set_at: setAt.toISOString(),
        ends_at: endsAt.toISOString(),
      })),
    };
  }

  /** @throws {ApiError} invalid_parameter, limit_reached */
  async set(text: string, verdict: NetworkVerdict, hours: number, command: OperatorCommand): Promise<Done> {
    const network = networkIn(text);
    await this.database.transaction(async (transaction) => {
      const rule = { network, verdict, reason: command.reason, setBy: command.actor };
      await this.networks.setRule(rule, hours, transaction);
      if ((await this.networks.countRules(transaction)) > MAX_RULES)
        throw new ApiError('limit_reached', `There are ${MAX_RULES} rules; clear one first.`);
      const reason = `${command.reason} (${hours} h)`;
      await this.audit.record({ ...command, reason, subject: `network:${network}` }, transaction);
    });
    await this.rules.refresh();
    return done(true);
  }

  /** @throws {ApiError} invalid_parameter */
  async clear(text: string, command: OperatorCommand): Promise<Done> {
    const network = networkIn(text);
    const changed = await this.database.transaction(async (transaction) => {
      const isChange = await this.networks.removeRule(network, transaction);
      if (isChange) await this.audit.record({ ...command, subject: `network:${network}` }, transaction);
      return isChange;
    });
    await this.rules.refresh();
    return done(changed);
  }
}

function networkIn(text: string): string {
  const network = readNetwork(text);
  if (network === null)
    throw new ApiError(
      'invalid_parameter',
      'network must be an IPv4 network from /32 to /24, or an IPv6 network from /64 to /32',
    );
  return network;
}
