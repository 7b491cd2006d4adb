import { Controller, Get, Module, Param, Query, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS, Metered } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NAME_FAILURES } from '../../errors/error-codes.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { Database } from '../../db/database.js';
import { withSandboxWords } from '../../domains/first-offers.js';
import { type DomainName, parseDomainName } from '../../domains/name/domain-name.js';
import { RecordBudget } from '../../access/record-budget.js';
import { unavailable, type RegistryAnswer } from '../../registry/answer.js';
import { type LookedUp, Registry } from '../../registry/registry.js';
import { Sibling } from '../../registry/sibling.dto.js';
import { SiblingReader } from '../../registry/siblings.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { SUFFIXES } from '../../domains/schema/domain.js';
import { AskRegistry } from '../../registry/registry-answer.dto.js';
import { many, OK, shape, text } from '../../validation/shape.js';

class SiblingsAddress {
  @ApiProperty({
    description: 'The label, without a suffix; a whole name stands for its label.',
    type: String,
    maxLength: 255,
    example: 'coffeecart',
  })
  // The name parser judges length and shape, so that its message can name the fault.
  @IsString()
  label: string;
}

class SiblingsQuery {
  @AskRegistry('Whether to ask the registry about those of which nothing is known, for a record each.')
  live: 'true' | 'false' = 'false';
}

@ApiSchema({ name: 'SiblingsResult', description: 'A label under the six suffixes.' })
class SiblingsResult extends shape({
  ...Metered.fields,
  ...OK,
  label: text('The label.', 'coffeecart'),
  siblings: many(Sibling, 'The label under each suffix, always all six and in this order.', {
    minItems: SUFFIXES.length,
    maxItems: SUFFIXES.length,
  }),
  note: text(
    'Free text: what is not known, and how to learn it.',
    'What each of the six is known to be. Check a name before you rely on it.',
  ),
}) {}

/** The cost of a report, for every result. */
const RECORDS_PER_ANSWER = 1;

@Injectable()
class SiblingsService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly registry: Registry,
    private readonly reader: SiblingReader,
    private readonly database: Database,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * A label under each of the six suffixes. Costs one record, and one more for each suffix that the registry
   * answers.
   *
   * @param text a label, or a whole name
   * @throws {ApiError} domain_* for a text that is not a label, budget_exhausted
   */
  async siblingsOf(text: string, { live }: SiblingsQuery, caller: Caller): Promise<SiblingsResult> {
    const label = labelOf(text);
    const known = await this.reader.read(label, this.reads);
    const open = live === 'true' ? known.filter(isOpen).map(({ domain }) => parseDomainName(domain)) : [];
    if (open.length === 0) {
      const { left } = await this.budget.charge(caller, RECORDS_PER_ANSWER);
      return { ok: true, label, siblings: known, note: noteOn(known), ...left };
    }
    const { result, left } = await this.budget.reserveSome(
      caller,
      RECORDS_PER_ANSWER + open.length,
      (records) => this.ask(label, open, records - RECORDS_PER_ANSWER, caller),
    );
    return { ok: true, label, siblings: result, note: noteOn(result), ...left };
  }

  /** @param paid how many of the names there are records for */
  private async ask(label: string, open: readonly DomainName[], paid: number, caller: Caller) {
    const asked = await Promise.all(
      open.slice(0, paid).map(async (name) => [name.domain, await this.tryName(name, caller)] as const),
    );
    const answers = new Map<string, RegistryAnswer>();
    const errors = new Map(open.slice(paid).map(({ domain }) => [domain, LEFT_OUT]));
    for (const [domain, said] of asked)
      if (said.answered) answers.set(domain, said.answer);
      else errors.set(domain, errorOf(said));
    const siblings = await this.reader.read(label, this.database, answers);
    const withErrors = siblings.map((one) => {
      const error = errors.get(one.domain);
      return error ? { ...one, error } : one;
    });
    return { result: withErrors, used: RECORDS_PER_ANSWER + answers.size };
  }

  private tryName(name: DomainName, caller: Caller): Promise<LookedUp> {
    return this.registry.ask(name, { by: caller });
  }
}

const LEFT_OUT: NonNullable<Sibling['error']> = {
  code: 'budget_exhausted',
  message: 'What the budget had left was enough for the names before this one.',
};

function errorOf(said: Exclude<LookedUp, { answered: true }>): NonNullable<Sibling['error']> {
  const { code, message } = unavailable(said);
  return { code, message };
}

function labelOf(text: string): string {
  return parseDomainName(text.includes('.') ? text : `${text.trim()}.com.au`).name;
}

/** Whether nothing is known of a name that there can be. */
function isOpen({ state, available }: Sibling): boolean {
  return state === null && available === null;
}

function noteOn(siblings: readonly Sibling[]): string {
  const open = siblings.filter(isOpen).length;
  const cut = siblings.some(({ error }) => error?.code === LEFT_OUT.code);
  const words = [
    ...(open === 0 ? ['What each of the six is known to be. Check a name before you rely on it.'] : []),
    ...(open > 0 && !cut ? [`Nothing is known of ${open} of the six: live=true asks the registry.`] : []),
    ...(cut ? ['The budget was not enough to ask about all: ask again after rate.reset_in seconds.'] : []),
  ].join(' ');
  return withSandboxWords(words, ...siblings.map((one) => one.learned_from));
}

@ApiTags('Availability')
@Controller()
class SiblingsController {
  constructor(private readonly siblings: SiblingsService) {}

  @Get('api/v1/domains/:label/siblings')
  @CostsRecords()
  @ApiOperation({
    operationId: 'listSiblings',
    summary: 'A label under the six suffixes',
    description:
      'What the label is under each suffix, when and from whom that was learned, and who may hold ' +
      'it. Costs one record. With live=true the registry is asked about those of which nothing is ' +
      'known, for a record more each; those that it does not answer in time, or that the budget is ' +
      'not enough for, say so and cost nothing.',
  })
  @ApiOkResponse({ type: SiblingsResult, description: 'The six names.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures(...NAME_FAILURES, 'budget_exhausted')
  listSiblings(
    @Param() { label }: SiblingsAddress,
    @Query() query: SiblingsQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<SiblingsResult> {
    return this.siblings.siblingsOf(label, query, caller);
  }
}

@Module({
  imports: [RegistryModule, RateLimitModule],
  controllers: [SiblingsController],
  providers: [SiblingsService],
  exports: [SiblingsService],
})
export class SiblingsModule {}
