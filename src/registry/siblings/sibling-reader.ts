import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { Queryable } from '../../db/database.js';
import { DatabaseUnavailable, isSqlState, LOCK_NOT_AVAILABLE } from '../../errors/database-failure.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import type { RegistryAnswer } from '../registry-lookup.js';
import { Registry } from '../registry.js';
import { type SiblingName, siblingNames, toSibling } from './sibling.js';
import type { Sibling } from './sibling.dto.js';

/** What is known of a label under the six suffixes, for every feature that shows it. Asks nobody. */
@Injectable()
export class SiblingReader {
  constructor(
    private readonly domains: DomainRepository,
    private readonly registry: Registry,
    private readonly config: Config,
  ) {}

  /**
   * @param source where the dataset is read
   * @param told answers of the registry that are at hand, by name
   */
  async read(
    label: string,
    source: Queryable,
    told: ReadonlyMap<string, RegistryAnswer> = new Map(),
  ): Promise<Sibling[]> {
    const names = siblingNames(label);
    const [rows, known] = await Promise.all([
      this.domains.listShownDomains(
        names.map(({ domain }) => domain),
        source,
      ),
      this.findKnown(names.flatMap(({ name }) => (name && !told.has(name.domain) ? name : []))),
    ]);
    const shown = new Map(rows.map((row) => [row.domain, row]));
    const toView = (name: SiblingName) =>
      toSibling(name, shown.get(name.domain), told.get(name.domain) ?? known.get(name.domain), this.config);
    return names.map(toView);
  }

  /** While no server takes writes, which alone knows the recent answers, or they are locked, the word of the dataset has to do. */
  private async findKnown(names: readonly DomainName[]): Promise<Map<string, RegistryAnswer>> {
    try {
      return await this.registry.findAllKnown(names);
    } catch (error) {
      if (error instanceof DatabaseUnavailable || isSqlState(error, LOCK_NOT_AVAILABLE)) return new Map();
      throw error;
    }
  }
}
